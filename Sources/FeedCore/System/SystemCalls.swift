/// The system calls, as values.
///
/// The tools use `.libc`. A test passes its own: reads of one byte, short writes, EINTR at every second call, a full
/// disk, a failing poll(2) or fsync(2). Nothing else in the project calls read(2) or write(2), and every other call that
/// a tool depends on goes through `retrying`.
package struct SystemCalls: Sendable {
  /// The result of `read(2)` or `write(2)`: how many bytes, or -1 with an `errno`.
  package struct Answer: Equatable, Sendable {
    package let count: Int
    package let errno: Int32

    package init(count: Int, errno: Int32 = 0) {
      (self.count, self.errno) = (count, errno)
    }
  }

  /// The calls that move no data; a test only chooses which of them fail.
  package enum Call: Sendable, CaseIterable {
    case open, close, sync, seek, rename, link, unlink, changeOwner, pipe, lock, waitForChild
    case poll, createPoller, controlPoller, waitForPoller
    case socket, bind, connect, listen, accept, control, setOption, getOption, address
  }

  /// Reads from a descriptor into the free part of a buffer.
  package var read: @Sendable (Int32, inout OutputSpan<UInt8>) -> Answer
  /// Writes bytes to a descriptor.
  package var write: @Sendable (Int32, borrowing Span<UInt8>) -> Answer
  /// The `errno` with which to fail a call without making it; nil to make it.
  package var failure: @Sendable (Call) -> Int32?

  package init(
    read: @escaping @Sendable (Int32, inout OutputSpan<UInt8>) -> Answer = libc.read,
    write: @escaping @Sendable (Int32, borrowing Span<UInt8>) -> Answer = libc.write,
    failure: @escaping @Sendable (Call) -> Int32? = libc.failure
  ) {
    (self.read, self.write, self.failure) = (read, write, failure)
  }

  package static let libc = SystemCalls(
    read: { number, free in
      unsafe free.withUnsafeMutableBufferPointer { target, filled in
        let room = UnsafeMutableRawBufferPointer(target)
        let count = unsafe systemRead(number, room.baseAddress.map { unsafe $0 + filled }, room.count - filled)
        if count > 0 { filled += count }
        return answer(count)
      }
    },
    write: { number, bytes in
      unsafe bytes.withUnsafeBytes { answer(unsafe systemWrite(number, $0.baseAddress, $0.count)) }
    },
    failure: { _ in nil })

  private static func answer(_ count: Int) -> Answer {
    Answer(count: count, errno: count < 0 ? errno : 0)
  }

  /// Repeats a call while signals interrupt it: the only EINTR loop.
  func retrying(_ call: Call, _ body: () -> Int32) throws(SystemError) -> Int32 {
    while true {
      let answer = once(call, body)
      if answer >= 0 { return answer }
      if errno != EINTR { throw SystemError.last }
    }
  }

  /// Makes a call once, for the few that must not simply be repeated.
  /// - Returns: its result; if below 0, `errno` has the reason.
  func once(_ call: Call, _ body: () -> Int32) -> Int32 {
    guard let code = failure(call) else { return body() }
    errno = code
    return -1
  }
}

private func systemRead(_ number: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(number, target, count)
}

private func systemWrite(_ number: Int32, _ source: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, source, count)
}

/// A system call that failed, with its `errno`.
package struct SystemError: Error, Equatable, Sendable {
  /// As in errno(3).
  package let code: Int32

  package init(code: Int32) { self.code = code }

  static var last: SystemError { SystemError(code: errno) }

  /// The system's own words, beginning in lower case like all our messages: `no such file or directory`.
  package var message: String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text).lowercasedFirst
  }

  /// The pipe or socket has no reader any more (`EPIPE`).
  package var isBrokenPipe: Bool { code == EPIPE }
}

extension String {
  /// The text beginning in lower case, unless its first word is an abbreviation or a name (`RPC …`, `OpenSSL …`).
  package var lowercasedFirst: String {
    let rest = prefix { $0 != " " }.dropFirst()
    guard !rest.contains(where: \.isUppercase) else { return self }
    return prefix(1).lowercased() + dropFirst()
  }
}

extension SystemError {
  package static var brokenPipe: SystemError { SystemError(code: EPIPE) }
  /// More bytes than a limit allows (`EFBIG`).
  package static var tooLarge: SystemError { SystemError(code: EFBIG) }
  package var isTooLarge: Bool { code == EFBIG }
  /// No space is left on the device (`ENOSPC`).
  package var isFullDisk: Bool { code == ENOSPC }
  /// The file is no longer the same (`ESTALE`).
  package static var changed: SystemError { SystemError(code: ESTALE) }
  /// This process or machine has no more descriptors or memory, and another try would use more (`EMFILE`, `ENFILE`,
  /// `ENOMEM`).
  package var isExhaustion: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }
  /// There is no file of this name, or a folder of its path is missing (`ENOENT`).
  package var isMissingFile: Bool { code == ENOENT }
}
