/// Large memory is requested by a call that can fail. So a document that does not fit is an error with a name, not the
/// end of the process. (If Swift's own requests fail, the tool ends with a message: CStart/memory.c.)
enum Memory {
  /// Smaller requests are not checked: if they failed, the process could not even report it.
  private static let small = 1 << 20

  /// Reserves capacity for `count` bytes in total.
  /// - Throws: `ENOMEM` if there is not enough memory.
  static func reserve(_ count: Int, in bytes: inout [UInt8]) throws(SystemError) {
    if count > small {
      // Untouched pages cost nothing. (The compiler may remove malloc with free, and a failing malloc ends the tool.)
      let room = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
      guard unsafe room != MAP_FAILED else { throw SystemError(code: ENOMEM) }
      unsafe munmap(room, count)
    }
    bytes.reserveCapacity(count)
  }
}
