// All system calls on open files are in this file, each made through `SystemCalls`.

#if os(Linux)
  import CLinux
#endif

/// An open file descriptor. A plain value: the code that opened it closes it.
package struct Descriptor: Sendable {
  package let number: Int32
  let calls: SystemCalls

  package init(_ number: Int32, calls: SystemCalls = .libc) {
    (self.number, self.calls) = (number, calls)
  }

  package static let standardInput = Descriptor(0)
  package static let standardOutput = Descriptor(1)
  package static let standardError = Descriptor(2)

  // MARK: Opening and closing

  /// Opens a file to read. A directory is refused here (`EISDIR`) rather than at the first read.
  package static func open(reading path: [UInt8], calls: SystemCalls = .libc) throws(SystemError) -> Descriptor {
    let descriptor = try open(path, O_RDONLY | O_CLOEXEC, calls: calls)
    if descriptor.fileType == S_IFDIR {
      descriptor.closeQuietly()
      throw SystemError(code: EISDIR)
    }
    return descriptor
  }

  /// Creates a file that must not exist yet, to write.
  /// - Parameter mode: the permission bits; the umask applies.
  static func create(_ path: [UInt8], mode: UInt32, calls: SystemCalls = .libc) throws(SystemError) -> Descriptor {
    try open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode: mode, calls: calls)
  }

  /// Opens a file to append to, after all other writers; creates it if it does not exist.
  static func open(appending path: [UInt8], mode: UInt32) throws(SystemError) -> Descriptor {
    try open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, mode: mode)
  }

  /// Creates a file without a name, in memory if the system can. It is deleted when no process has it open any more.
  static func createNameless() throws(SystemError) -> Descriptor {
    #if os(Linux)
      if let number = try? SystemCalls.libc.retrying(.open, { unsafe feed_memory_file("batch") }) {
        return Descriptor(number)
      }
    #endif
    let name = Array("/batch".utf8)
    if let folder = Process.environment("TMPDIR"), let file = try? createNameless(beside: folder + name) { return file }
    return try createNameless(beside: Array("/tmp".utf8) + name)
  }

  /// Creates a file without a name in the folder of `path`, to write and then read. It is deleted when the process
  /// ends.
  static func createNameless(beside path: [UInt8]) throws(SystemError) -> Descriptor {
    try Signals.blocked { () throws(SystemError) in
      let name = TemporaryFiles.name(beside: path)
      let file = try open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode: 0o600)
      _ = unsafe withPath(name) { unsafe unlink($0) }
      return file
    }
  }

  /// Moves back to the first byte of a file.
  func rewind() throws(SystemError) {
    _ = try calls.retrying(.seek) { lseek(number, 0, SEEK_SET) < 0 ? -1 : 0 }
  }

  /// Opens an existing file to write in place (a terminal, a pipe, a device).
  package static func open(
    writing path: [UInt8], followsLinks: Bool = true, calls: SystemCalls = .libc
  ) throws(SystemError) -> Descriptor {
    try open(path, O_WRONLY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW), calls: calls)
  }

  /// Opens a file to read and write; creates it if it does not exist.
  /// - Parameter followsLinks: if not, a symbolic link is refused (`ELOOP`).
  static func openOrCreate(_ path: [UInt8], mode: UInt32, followsLinks: Bool = true) throws(SystemError) -> Descriptor {
    try open(path, O_RDWR | O_CREAT | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW), mode: mode)
  }

  static func open(directory path: [UInt8], calls: SystemCalls = .libc) throws(SystemError) -> Descriptor {
    try open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, calls: calls)
  }

  private static func open(
    _ path: [UInt8], _ flags: Int32, mode: UInt32 = 0, calls: SystemCalls = .libc
  ) throws(SystemError) -> Descriptor {
    let number = try calls.retrying(.open) { unsafe withPath(path) { unsafe systemOpen($0, flags, mode_t(mode)) } }
    return Descriptor(number, calls: calls)
  }

  /// Creates a pipe that child processes do not inherit.
  package static func pipe() throws(SystemError) -> (output: Descriptor, input: Descriptor) {
    var numbers: [Int32] = [-1, -1]
    _ = try SystemCalls.libc.retrying(.pipe) { unsafe systemPipe(&numbers) }
    for number in numbers { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    return (Descriptor(numbers[0]), Descriptor(numbers[1]))
  }

  /// Closes the descriptor; throws a write error that the system reports only now.
  package func close() throws(SystemError) {
    // After EINTR the state of the descriptor is unspecified (POSIX); on Linux and macOS it is closed.
    if calls.once(.close, { systemClose(number) }) != 0, errno != EINTR { throw SystemError.last }
  }

  /// Closes a descriptor that was not written to, or whose error is reported already.
  package func closeQuietly() { _ = systemClose(number) }

  /// Makes sure that 0, 1 and 2 are open, so that no file opened later becomes a standard stream by accident.
  ///
  /// A stream that the caller closed (`>&-`) is opened in the wrong direction: using it still fails with `EBADF`.
  static func openMissingStandardStreams() {
    for number: Int32 in 0...2 where fcntl(number, F_GETFD) < 0 {
      _ = unsafe withPath(Array("/dev/null".utf8)) { unsafe systemOpen($0, number == 0 ? O_WRONLY : O_RDONLY, 0) }
    }
  }

  // MARK: Reading and writing

  /// Appends up to `count` bytes to `buffer`; waits for the first.
  /// - Returns: how many arrived; 0 at the end of the file.
  package func read(upTo count: Int, into buffer: inout [UInt8]) throws(SystemError) -> Int {
    while true {
      if let count = try readAvailable(upTo: count, into: &buffer) { return count }
      // Another process made this descriptor non-blocking (a shared terminal, a parent's pipe).
      _ = try Self.wait(for: [.init(self, .input)], milliseconds: -1)
    }
  }

  /// Appends up to `count` available bytes to `buffer`.
  /// - Returns: how many; 0 at the end of the input; nil if the descriptor does not wait and no bytes are available.
  package func readAvailable(upTo count: Int, into buffer: inout [UInt8]) throws(SystemError) -> Int? {
    var answer = SystemCalls.Answer(count: 0)
    repeat {
      buffer.append(addingCapacity: count) { free in answer = calls.read(number, &free) }
    } while answer.count < 0 && answer.errno == EINTR
    if answer.count >= 0 { return answer.count }
    let error = SystemError(code: answer.errno)
    if error.wouldBlock { return nil }
    throw error
  }

  /// Writes all of `bytes`, even if the system takes them in several parts.
  /// - Returns: how many bytes were accepted, with the error that stopped it, if any.
  @discardableResult
  package func write(_ bytes: borrowing Span<UInt8>) -> (accepted: Int, error: SystemError?) {
    var done = 0
    while done < bytes.count {
      let answer = calls.write(number, bytes.extracting(done...))
      if answer.count > 0 {
        done += answer.count
      } else if answer.count == 0 || answer.errno == EAGAIN {
        // Another process made this descriptor non-blocking (a shared terminal, a parent's pipe): wait for room.
        do { _ = try Self.wait(for: [.init(self, .output)], milliseconds: -1) } catch { return (done, error) }
      } else if answer.errno != EINTR {
        return (done, SystemError(code: answer.errno))
      }
    }
    return (done, nil)
  }

  /// Waits until all written data is on the disk.
  func sync() throws(SystemError) {
    _ = try calls.retrying(.sync) { fsync(number) }
  }

  /// Makes the descriptor non-blocking: reads and writes report that they would wait.
  package func stopWaiting() throws(SystemError) {
    _ = try calls.retrying(.control) { fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
  }

  /// Lets child processes inherit the open file, and with it the lock on the file.
  func beInherited() throws(SystemError) {
    _ = try calls.retrying(.control) { fcntl(number, F_SETFD, 0) }
  }

  // MARK: Kinds of files

  /// `S_IFREG`, `S_IFIFO` and so on (inode(7)); nil if this is not open.
  var fileType: mode_t? { status?.type }

  /// The same of what is under a name; nil if there is nothing.
  static func fileType(of path: [UInt8], followsLinks: Bool = true) -> mode_t? {
    status(of: path, followsLinks: followsLinks)?.type
  }

  /// The size of a regular file in bytes; nil for pipes, terminals and devices.
  package var fileSize: Int? { Self.fileSize(status) }

  /// The same of what is under a name.
  static func fileSize(of path: [UInt8]) -> Int? { fileSize(status(of: path)) }

  private static func fileSize(_ status: stat?) -> Int? {
    guard let status, status.type == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Gives a file the permission bits, owner and group of the file that it replaces.
  func take(ownershipOf old: stat) {
    // Best effort: only root may change the owner, and then the mode must be set after the owner.
    _ = fchown(number, old.st_uid, old.st_gid)
    _ = fchmod(number, old.st_mode & 0o7777)
  }

  var status: stat? {
    var status = stat()
    return unsafe fstat(number, &status) == 0 ? status : nil
  }

  /// The status of a file, without opening it: opening a FIFO would wait, and the file may be unreadable.
  static func status(of path: [UInt8], followsLinks: Bool = true) -> stat? {
    var status = stat()
    let flags = followsLinks ? 0 : AT_SYMLINK_NOFOLLOW
    return unsafe withPath(path) { unsafe fstatat(AT_FDCWD, $0, &status, flags) } == 0 ? status : nil
  }

  /// Whether a name is a symbolic link.
  package static func isSymbolicLink(_ path: [UInt8]) -> Bool { fileType(of: path, followsLinks: false) == S_IFLNK }

  /// Whether a name is neither a regular file nor a folder, so that opening it could wait for ever.
  package static func isSpecialFile(_ path: [UInt8]) -> Bool {
    ![nil, S_IFREG, S_IFDIR].contains(fileType(of: path))
  }

  /// Calls `body` with the name of each entry of a folder. An unreadable folder counts as empty.
  static func forEachName(in folder: [UInt8], _ body: ([UInt8]) -> Void) {
    _ = unsafe withPath(folder) { path in
      guard let stream = unsafe opendir(path) else { return -1 }
      defer { unsafe closedir(stream) }
      while let entry = unsafe readdir(stream) {
        // The name is the last member, and may be longer than its declared type.
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        let name = unsafe UnsafeRawPointer(entry) + offset
        body(unsafe [UInt8](cString: name.assumingMemoryBound(to: CChar.self)))
      }
      return 0
    }
  }

  /// The absolute path of a file, without symbolic links; nil if there is no such file.
  package static func realPath(_ path: [UInt8]) -> [UInt8]? {
    var result: [UInt8]?
    _ = unsafe withPath(path) { name in
      guard let found = unsafe realpath(name, nil) else { return -1 }
      result = unsafe [UInt8](cString: found)
      unsafe free(found)
      return 0
    }
    return result
  }

  /// The file that a descriptor or path refers to; equal for two names of one file.
  package struct Identity: Equatable, Sendable {
    private let device: UInt64
    private let node: UInt64

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      node = UInt64(status.st_ino)
    }

    /// - Returns: nil if there is no such file.
    package init?(_ path: [UInt8]) {
      guard let status = Descriptor.status(of: path) else { return nil }
      self.init(status)
    }
  }

  /// Whether there is a folder with this name.
  package static func isFolder(_ path: [UInt8]) -> Bool { fileType(of: path) == S_IFDIR }

  /// Whether this is open on the file with this name: `/dev/stderr` is a name of the file that standard error goes to.
  package func isOpen(on path: [UInt8]) -> Bool {
    guard let status, let other = Self.status(of: path) else { return false }
    return Identity(status) == Identity(other)
  }

  /// Whether this is open on a file or a pipe, where two writers would mix their bytes, or one replace the other's.
  package var isShared: Bool { [S_IFREG, S_IFIFO].contains(fileType) }

  /// The regular file that this is open on; nil for anything else, such as a device, which may have many users.
  package var fileIdentity: Identity? {
    guard let status, status.type == S_IFREG else { return nil }
    return Identity(status)
  }
}

/// Calls `body` with `path` as a C string. A path that contains NUL names no file.
func withPath(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Int32 {
  guard !path.contains(0) else {
    errno = ENOENT
    return -1
  }
  return unsafe (path + [0]).withUnsafeBytes { bytes in
    guard let base = unsafe bytes.bindMemory(to: CChar.self).baseAddress else { return -1 }
    return unsafe body(base)
  }
}

extension [UInt8] {
  /// The bytes before the NUL.
  package init(cString text: UnsafePointer<CChar>) {
    self = unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}

private func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  unsafe open(path, flags, mode)
}

private func systemPipe(_ numbers: UnsafeMutablePointer<Int32>) -> Int32 { unsafe pipe(numbers) }

private func systemClose(_ number: Int32) -> Int32 { close(number) }
