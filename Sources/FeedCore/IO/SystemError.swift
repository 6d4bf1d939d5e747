#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A system call that failed, by the `errno` it left.
public struct SystemError: Error, Equatable, Sendable {
  public let code: Int32

  public init(code: Int32) { self.code = code }

  static var last: SystemError { SystemError(code: errno) }

  /// The system's own words, with a small first letter as all our messages have: `no such file or directory`.
  public var message: String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text).lowercasedFirst
  }

  /// The reader of a pipe or socket has gone (`EPIPE`).
  public var isBrokenPipe: Bool { code == EPIPE }
}

extension String {
  /// The text with its first letter small, unless it begins an abbreviation (`RPC …` stays).
  public var lowercasedFirst: String {
    let head = prefix(2)
    guard head.count == 2, head.last?.isUppercase == false else { return self }
    return head.lowercased() + dropFirst(2)
  }
}

extension SystemError {
  public static var brokenPipe: SystemError { SystemError(code: EPIPE) }
  /// More bytes than a limit allows (`EFBIG`).
  public static var tooLarge: SystemError { SystemError(code: EFBIG) }
  public var isTooLarge: Bool { code == EFBIG }
  public var isFullDisk: Bool { code == ENOSPC }
  /// A file is not the one that it was (`ESTALE`).
  public static var changed: SystemError { SystemError(code: ESTALE) }
  public var isMissingFile: Bool { code == ENOENT }
}
