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
  /// The text with its first letter small, unless its first word is an abbreviation or a name (`RPC …`, `OpenSSL …`).
  public var lowercasedFirst: String {
    let rest = prefix { $0 != " " }.dropFirst()
    guard !rest.contains(where: \.isUppercase) else { return self }
    return prefix(1).lowercased() + dropFirst()
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
  /// This process or machine has used up what it has: another try would use more (`EMFILE`, `ENFILE`, `ENOMEM`).
  public var isExhaustion: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }
  public var isMissingFile: Bool { code == ENOENT }
}
