/// A system call that failed, by the `errno` it left.
package struct SystemError: Error, Equatable, Sendable {
  package let code: Int32

  package init(code: Int32) { self.code = code }

  static var last: SystemError { SystemError(code: errno) }

  /// The system's own words, with a small first letter as all our messages have: `no such file or directory`.
  package var message: String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text).lowercasedFirst
  }

  /// The reader of a pipe or socket has gone (`EPIPE`).
  package var isBrokenPipe: Bool { code == EPIPE }
}

extension String {
  /// The text with its first letter small, unless its first word is an abbreviation or a name (`RPC …`, `OpenSSL …`).
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
  package var isFullDisk: Bool { code == ENOSPC }
  /// A file is not the one that it was (`ESTALE`).
  package static var changed: SystemError { SystemError(code: ESTALE) }
  /// This process or machine has used up what it has: another try would use more (`EMFILE`, `ENFILE`, `ENOMEM`).
  package var isExhaustion: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }
  package var isMissingFile: Bool { code == ENOENT }
}
