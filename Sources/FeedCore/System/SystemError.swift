/// A system call that failed, with its `errno`.
package struct SystemError: Error, Equatable, Sendable {
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
  package var isFullDisk: Bool { code == ENOSPC }
  /// The file is no longer the same (`ESTALE`).
  package static var changed: SystemError { SystemError(code: ESTALE) }
  /// This process or machine has no more descriptors or memory, and another try would use more (`EMFILE`, `ENFILE`,
  /// `ENOMEM`).
  package var isExhaustion: Bool { [EMFILE, ENFILE, ENOMEM].contains(code) }
  package var isMissingFile: Bool { code == ENOENT }
}
