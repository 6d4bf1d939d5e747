// Large memory is asked for by a call that can fail, so that a document that does not fit is an error with a name and
// not the end of the process. (What Swift itself asks for ends the tool with a message: CStart/memory.c.)

enum Memory {
  /// Below this nobody is asked: what is left of a process without it could not even say so.
  private static let small = 1 << 20

  /// Makes room for `count` bytes in all.
  /// - Throws: `ENOMEM` when there is not as much memory.
  static func reserve(_ count: Int, in bytes: inout [UInt8]) throws(SystemError) {
    if count > small {
      // What is not touched costs nothing. (A compiler may take malloc and free away, and malloc ends the tool.)
      let room = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
      guard unsafe room != MAP_FAILED else { throw SystemError(code: ENOMEM) }
      unsafe munmap(room, count)
    }
    bytes.reserveCapacity(count)
  }
}
