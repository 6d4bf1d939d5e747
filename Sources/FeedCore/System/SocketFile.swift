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
          try? unlink(path, calls)
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
    if isThere { try? Self.unlink(path, calls) }
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
    guard let status = Descriptor.status(of: path, followsLinks: false) else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else { throw SystemError(code: EEXIST) }
    guard let address = SocketAddress(unixName: path) else { throw SystemError(code: ENAMETOOLONG) }
    do throws(SystemError) {
      try Descriptor.connected(to: address, calls: calls).closeQuietly()
    } catch {
      switch error.code {
      case ECONNREFUSED: return try unlink(path, calls)
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

  private static func unlink(_ path: [UInt8], _ calls: SystemCalls) throws(SystemError) {
    _ = try calls.retrying(.unlink) { unsafe withPath(path) { unsafe systemUnlink($0) } }
  }
}

extension SystemError {
  /// The process lacks the right (`EPERM`).
  package var isNotPermitted: Bool { code == EPERM }
  /// The name belongs to a file of another kind.
  package var isOtherFile: Bool { code == EEXIST }
}

private func systemUnlink(_ path: UnsafePointer<CChar>) -> Int32 { unsafe unlink(path) }
