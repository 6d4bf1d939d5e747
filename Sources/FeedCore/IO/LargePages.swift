// Room for a document of megabytes. In pages of 4 KiB the kernel is asked for it thousands of times, which takes longer
// than scanning it; where it is told so, it may use pages of 2 MiB.

#if canImport(Glibc)
  import Glibc
#endif

extension Array {
  /// Below this, small pages are as good.
  private static var largeSize: Int { 4 << 20 }

  /// Makes room for `count` elements in an array that is still empty, in large pages if it is worth it.
  mutating func reserveInLargePages(_ count: Int) {
    reserveCapacity(count)
    #if canImport(Glibc)
      let size = capacity * MemoryLayout<Element>.stride
      guard size >= Self.largeSize else { return }
      unsafe withUnsafeMutableBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return }
        let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
        let start = (UInt(bitPattern: base) + page - 1) / page * page
        let end = (UInt(bitPattern: base) + UInt(size)) / page * page
        // Only a wish: where it is not heard, all goes on as before.
        unsafe _ = madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_HUGEPAGE)
      }
    #endif
  }
}
