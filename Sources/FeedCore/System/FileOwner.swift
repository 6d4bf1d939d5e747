/// The user and group that a file is given to, by name or number as chown(1) reads them. The C library looks names up where
/// the system says (nsswitch.conf), so they need not be in /etc/passwd.
package struct FileOwner: Sendable {
  /// Why a text names no owner.
  package enum OwnerProblem: Error, Equatable {
    /// It is none of USER, USER:GROUP and :GROUP.
    case malformed
    /// The system does not know this `user` or `group`.
    case unknown(kind: String, name: [UInt8])
  }

  /// nil to keep it.
  private let user: uid_t?
  private let group: gid_t?

  /// - Parameter text: USER, USER:GROUP or :GROUP.
  package init(_ text: [UInt8]) throws(OwnerProblem) {
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Array($0) }
    guard parts.count <= 2, let name = parts.last, !name.isEmpty else { throw .malformed }
    user = parts[0].isEmpty ? nil : try Self.number(parts[0], "user", Self.user)
    group = parts.count < 2 ? nil : try Self.number(name, "group", Self.group)
  }

  /// As chown(1), a name of digits is a name first.
  private static func number(
    _ name: [UInt8], _ kind: String, _ find: ([UInt8]) -> UInt32?
  ) throws(OwnerProblem) -> UInt32 {
    // The greatest number means "none" to chown(2).
    if let number = find(name) ?? UInt32(decimal: name), number < .max { return number }
    throw .unknown(kind: kind, name: name)
  }

  private static func user(_ name: [UInt8]) -> uid_t? {
    var found: uid_t?
    _ = unsafe withPath(name) { name in
      found = unsafe getpwnam(name)?.pointee.pw_uid
      return 0
    }
    return found
  }

  private static func group(_ name: [UInt8]) -> gid_t? {
    var found: gid_t?
    _ = unsafe withPath(name) { name in
      found = unsafe getgrnam(name)?.pointee.gr_gid
      return 0
    }
    return found
  }

  /// Gives them a file. A link is not followed.
  func take(_ path: [UInt8], _ calls: SystemCalls) throws(SystemError) {
    _ = try calls.retrying(.changeOwner) {
      unsafe withPath(path) { unsafe lchown($0, user ?? .max, group ?? .max) }
    }
  }
}
