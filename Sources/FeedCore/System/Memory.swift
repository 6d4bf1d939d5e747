// Large memory is requested by a call that can fail. So a document that does not fit is an error with a name, not the
// end of the process. (If Swift's own requests fail, the tool ends with a message: CStart/memory.c.)

enum Memory {
  /// Smaller requests are not checked: if they failed, the process could not even report it.
  private static let small = 1 << 20
  /// The size of a large page, on most machines.
  private static let pageSize = 2 << 20
  #if os(Linux)
    /// `MADV_COLLAPSE`, which the C library may not know: makes one large page of small ones now. Since Linux 6.1.
    private static let makeLarge: CInt = 25
  #endif

  /// Reserves capacity for `count` bytes in total.
  /// - Throws: `ENOMEM` if there is not enough memory.
  static func reserve(_ count: Int, in bytes: inout [UInt8]) throws(SystemError) {
    if count > small {
      // Untouched pages cost nothing. (The compiler may remove malloc with free, and a failing malloc ends the tool.)
      let room = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
      guard unsafe room != MAP_FAILED else { throw SystemError(code: ENOMEM) }
      unsafe munmap(room, count)
    }
    reservePages(count, in: &bytes)
  }

  /// Reserves capacity for `count` elements in total. If that is much, the system is asked for large pages: to fault in
  /// small ones takes longer than to scan the JSON in them.
  static func reservePages<Element: BitwiseCopyable>(_ count: Int, in array: inout [Element]) {
    let size = MemoryLayout<Element>.stride
    guard count >= 2 * pageSize / size else { return array.reserveCapacity(count) }
    // Whole pages: only then does Linux begin the memory at a page. The headers of malloc and the array come first.
    let headers = 64
    let pages = (count * size + headers + pageSize - 1) / pageSize
    var larger: [Element] = []
    larger.reserveCapacity((pages * pageSize - headers) / size)
    #if os(Linux)
      unsafe larger.withUnsafeMutableBytes { room in
        guard let start = room.baseAddress else { return }
        let offset = Int(bitPattern: start) & (pageSize - 1)
        // It is only advice, so a refusal does no harm.
        guard offset <= headers else { return }
        _ = unsafe madvise(start - offset, pages * pageSize, MADV_HUGEPAGE)
        // The headers are written already, so the first page is in small ones.
        _ = unsafe madvise(start - offset, pageSize, makeLarge)
      }
    #endif
    larger.append(contentsOf: array)
    array = larger
  }
}
