/// A Unix domain socket that a server makes: a name in the file system. Who may write to that file may connect, so it has
/// its mode and owner before anybody can. After kill -9 the name stays. Nobody listens then, and the next server takes it.
package struct SocketFile: Sendable {
  private let path: [UInt8]
  private let identity: Descriptor.Identity
  private let calls: SystemCalls

  /// Makes the socket, and listens.
  /// - Parameters:
  ///   - mode: its permission bits, whatever the umask is.
  ///   - owner: who gets it; nil for this process.
  /// - Throws: `EADDRINUSE` if somebody listens there, `isOtherFile` if the file is no socket.
  package static func listen(
    _ path: [UInt8], mode: UInt32, owner: FileOwner?, calls: SystemCalls = .libc
  ) throws(SystemError) -> (socket: Descriptor, file: SocketFile) {
    try alone(in: AtomicFile.folder(of: path)) { () throws(SystemError) in
      try removeStale(path, calls)
      guard let address = SocketAddress(unixName: path) else { throw SystemError(code: ENAMETOOLONG) }
      // chmod(2) would follow a link that somebody puts in its place.
      let before = umask(mode_t(0o777 & ~mode))
      defer { umask(before) }
      let socket = try Descriptor.bound(to: address, calls: calls)
      do throws(SystemError) {
        guard let status = Descriptor.status(of: path, followsLinks: false) else {
          let error = SystemError.last
          try? removeName(path, calls)
          throw error
        }
        let file = SocketFile(path: path, identity: .init(status), calls: calls)
        do throws(SystemError) {
          if let owner { try owner.take(path, calls) }
          try socket.listen()
          // In a folder without a lock, another server may have taken the name just before.
          guard file.isThere else { throw SystemError(code: EADDRINUSE) }
        } catch {
          file.remove()
          throw error
        }
        return (socket, file)
      } catch {
        socket.closeQuietly()
        throw error
      }
    }
  }

  /// Removes the name, if it is still ours.
  package func remove() {
    // If this fails, it stays as after kill -9.
    if isThere { try? Self.removeName(path, calls) }
  }

  private var isThere: Bool {
    Descriptor.status(of: path, followsLinks: false).map(Descriptor.Identity.init) == identity
  }

  /// Whether `listen` could make it now, as far as one can know before.
  /// - Throws: as `listen`.
  package static func check(_ path: [UInt8], calls: SystemCalls = .libc) throws(SystemError) {
    let folder = AtomicFile.folder(of: path)
    _ = try calls.retrying(.open) { unsafe withPath(folder) { unsafe access($0, W_OK | X_OK) } }
    try alone(in: folder) { () throws(SystemError) in try removeStale(path, calls) }
  }

  /// Removes a socket on which nobody listens any more.
  private static func removeStale(_ path: [UInt8], _ calls: SystemCalls) throws(SystemError) {
    guard let type = Descriptor.fileType(of: path, followsLinks: false) else { return }
    guard type == S_IFSOCK else { throw SystemError(code: EEXIST) }
    guard let address = SocketAddress(unixName: path) else { throw SystemError(code: ENAMETOOLONG) }
    do throws(SystemError) {
      try Descriptor.connected(to: address, calls: calls).closeQuietly()
    } catch {
      switch error.code {
      case ECONNREFUSED: return try removeName(path, calls)
      case ENOENT: return
      // So many clients wait that there is no room for another one, or the server speaks in datagrams.
      case EAGAIN, EINPROGRESS, EPROTOTYPE: break
      default: throw error
      }
    }
    throw SystemError(code: EADDRINUSE)
  }

  /// Runs `body` while no other server that starts does so for a name in the same folder. Otherwise one could take the
  /// socket of another for stale in the moment between bind(2) and listen(2), or remove the new one instead of the old.
  private static func alone<T>(in folder: [UInt8], _ body: () throws(SystemError) -> T) throws(SystemError) -> T {
    // It goes without the lock in a folder that cannot be opened, or that another program keeps locked.
    let lock = try? Descriptor.open(directory: folder)
    defer { lock?.closeQuietly() }
    for _ in 0..<50 {
      guard let lock, flock(lock.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { break }
      _ = try Descriptor.wait(for: [], milliseconds: 10)
    }
    return try body()
  }

  private static func removeName(_ path: [UInt8], _ calls: SystemCalls) throws(SystemError) {
    _ = try calls.retrying(.unlink) { unsafe withPath(path) { unsafe unlink($0) } }
  }
}

extension SystemError {
  /// The process lacks the right (`EPERM`).
  package var isNotPermitted: Bool { code == EPERM }
  /// The name belongs to a file of another kind.
  package var isOtherFile: Bool { code == EEXIST }
}

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
