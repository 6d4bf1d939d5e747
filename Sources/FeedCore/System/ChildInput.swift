/// The standard input of a child process, if all of it is known: a file without a name. Neither process waits for the
/// other, and if the tool is killed, the child still has all of its input.
package struct ChildInput {
  let file: Descriptor
  private let size: Int

  package init(_ bytes: borrowing Span<UInt8>) throws(SystemError) {
    file = try Descriptor.createNameless()
    size = bytes.count
    let error = file.write(bytes).error
    do throws(SystemError) {
      if let error { throw error }
      try file.rewind()
    } catch {
      file.closeQuietly()
      throw error
    }
    file.forgetReads()
  }

  /// Whether a part of it was not read. A program that opens its input again, as /dev/stdin, has its own file position;
  /// then this cannot be known, and the answer is no.
  package var isUnread: Bool {
    guard let place = file.place, place < size else { return false }
    return place > 0 || !file.wasRead
  }

  package func close() { file.closeQuietly() }
}

extension Descriptor {
  /// The file position of the next read.
  fileprivate var place: Int? {
    let place = lseek(number, 0, SEEK_CUR)
    return place < 0 ? nil : Int(place)
  }

  /// Sets the time of the last read to 0, for `wasRead`.
  fileprivate func forgetReads() {
    var times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: 0, tv_nsec: Platform.sameTime)]
    _ = unsafe futimens(number, &times)
  }

  fileprivate var wasRead: Bool { status.map { $0.accessed.tv_sec != 0 } ?? true }
}
