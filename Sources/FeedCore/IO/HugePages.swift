// Memory for large documents in large pages, where Linux gives them to those who ask (its default): a document of
// 100 MB with its tape is 40,000 page faults of 4 KiB, which cost more than parsing it.

#if canImport(Glibc)
  import Glibc
#endif

extension Array where Element: BitwiseCopyable {
  /// Like `reserveCapacity`, in large pages when it is a lot.
  mutating func reserveLargeCapacity(_ count: Int) {
    reserveCapacity(count)
    #if canImport(Glibc)
      let size = count * MemoryLayout<Element>.stride
      guard size >= 2 * hugePage else { return }
      unsafe withUnsafeMutableBytes { buffer in
        guard let start = buffer.baseAddress else { return }
        // Whole pages inside the room only. Advice that is not taken changes nothing.
        let first = (Int(bitPattern: start) + hugePage - 1) & -hugePage
        let last = (Int(bitPattern: start) + size) & -hugePage
        unsafe _ = madvise(UnsafeMutableRawPointer(bitPattern: first), last - first, MADV_HUGEPAGE)
      }
    #endif
  }
}

private let hugePage = 1 << 21
