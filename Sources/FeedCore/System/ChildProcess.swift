// Programs that a tool starts, by posix_spawn(3). Each leads its own process group, so signals from the terminal do not
// reach it. What it starts belongs to it: on Linux all processes below it, elsewhere those of its group.

#if os(Linux)
  import CLinux
#endif

/// A program that was started.
package struct ChildProcess {
  /// How a program ended (wait(2)).
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    /// The number of the signal.
    case killed(Int32)

    /// For messages: `exit status 3`.
    package var words: String {
      switch self {
      case .exited(let number): "exit status \(number)"
      case .killed(let number): "killed by signal \(number)"
      }
    }
  }

  private let identifier: pid_t
  private let endsWithUs: Bool
  /// Processes below ours from before its start, which earlier programs have left.
  private let others: Set<pid_t>
  /// How it ended; nil while it runs or is stopped.
  package private(set) var ending: Ending?
  /// Whether a child of ours still runs: itself, or on Linux another one that it or an earlier program has left.
  private var hasChildren = true

  /// Starts a program, found by PATH if its name has no slash. One program of ours runs at a time.
  /// - Parameters:
  ///   - arguments: the program and its arguments.
  ///   - variables: variables to set in its environment; nil to unset.
  ///   - endsWithUs: whether a signal that ends the tool goes to the program too, for tools that do not catch signals.
  /// - Throws: the error of exec(2): `isUnusableProgram`, or one that may pass.
  package init(
    _ arguments: [[UInt8]], variables: [(name: String, value: [UInt8]?)], input: ChildInput, output: Descriptor,
    error: Descriptor, endsWithUs: Bool = false
  ) throws(SystemError) {
    // Usually there are none, and the table of all processes need not be read.
    let others = try Self.reap { _, _ in } ? RunningProcess.descendants() ?? [] : []
    var files = unsafe Platform.spawnFiles
    var attributes = unsafe Platform.spawnAttributes
    unsafe posix_spawn_file_actions_init(&files)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&files)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    for (number, stream) in [input.file, output, error].enumerated() {
      _ = unsafe posix_spawn_file_actions_adddup2(&files, stream.number, Int32(number))
    }
    // Signals that we catch or ignore get their default back in the program; those that our parent ignored stay
    // ignored.
    var none = Signals.set(of: [])
    var ours = Signals.set(of: [SIGPIPE, SIGXFSZ])
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &ours)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    let environment = Process.environment(with: variables)
    var identifier: pid_t = 0
    // A signal between the two would end only us.
    let code = Signals.blocked(endsWithUs ? Signals.deadly : []) {
      let code = unsafe withPointers(to: arguments) { arguments in
        unsafe withPointers(to: environment) { environment in
          guard let program = unsafe arguments[0] else { return ENOENT }
          return unsafe posix_spawnp(&identifier, program, &files, &attributes, arguments, environment)
        }
      }
      if code == 0, endsWithUs { Signals.share(with: identifier) }
      return code
    }
    guard code == 0 else { throw SystemError(code: code) }
    self.identifier = identifier
    self.endsWithUs = endsWithUs
    self.others = Set(others.map(\.identifier))
  }

  /// Sees whether it has ended.
  package mutating func update() throws(SystemError) {
    var status: Int32?
    hasChildren = try Self.reap { if $0 == identifier { status = $1 } }
    guard let status else {
      if !hasChildren, ending == nil { throw SystemError(code: ECHILD) }
      return
    }
    let signal = status & 0x7F
    ending = signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
    if endsWithUs { Signals.share(with: 0) }
  }

  /// Ends the program and all that it has started, and does not wait for that.
  package func endAtOnce() {
    send(SIGKILL)
    if endsWithUs { Signals.share(with: 0) }
  }

  /// Takes leave of all children that have ended.
  /// - Parameter body: gets the process ID and the status of each (waitpid(2)).
  /// - Returns: whether there are others, which run.
  private static func reap(_ body: (pid_t, Int32) -> Void) throws(SystemError) -> Bool {
    while true {
      var status: Int32 = 0
      let ended: pid_t
      do { ended = try SystemCalls.libc.retrying(.waitForChild) { unsafe waitpid(-1, &status, WNOHANG) } } catch {
        if error.code == ECHILD { return false }
        throw error
      }
      if ended == 0 { return true }
      body(ended, status)
    }
  }

  /// The program and what it has started, as far as they run.
  package var running: [RunningProcess] {
    if RunningProcess.adoptsOrphans, !hasChildren { return [] }
    if let found = RunningProcess.descendants(except: others) { return found }
    let isLeading = ending != nil || getpgid(identifier) == identifier
    guard ending == nil || kill(-identifier, 0) == 0 || errno == EPERM else { return [] }
    return [RunningProcess(identifier: identifier, group: isLeading ? identifier : 0, name: [])]
  }

  /// Sends a signal to the program and all that it has started, and continues those that were stopped.
  package func send(_ number: Int32) {
    let running = running
    for number in number == SIGKILL ? [number] : [number, SIGCONT] {
      // The whole group at once: none of it can start another one meanwhile.
      if running.contains(where: { $0.group == identifier }) { kill(-identifier, number) }
      for process in running where process.group != identifier { kill(process.identifier, number) }
    }
  }
}

extension SystemError {
  /// The file cannot be run as a program, now or later.
  package var isUnusableProgram: Bool {
    [ENOENT, ENOTDIR, EACCES, EPERM, ENOEXEC, ELOOP, ENAMETOOLONG, EISDIR, EINVAL, E2BIG].contains(code)
  }
  /// The file is neither a binary for this machine nor a script with a `#!` line.
  package var isNoProgram: Bool { code == ENOEXEC }
}

/// Calls `body` with the texts as an array of C strings that ends with a null pointer.
private func withPointers<T>(
  to texts: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> T
) -> T {
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { text in
    var copy: UnsafeMutablePointer<CChar>?
    _ = unsafe withPath(text) { bytes in
      unsafe copy = unsafe strdup(bytes)
      return 0
    }
    return unsafe copy
  }
  unsafe pointers.append(nil)
  defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
  return unsafe body(&pointers)
}

/// A process that runs, from the system's table of all processes. On Linux, those whose parent has ended come to us
/// (PR_SET_CHILD_SUBREAPER, prctl(2)), so that none escapes by a process group or a session of its own.
package struct RunningProcess: Sendable {
  package let identifier: pid_t
  let group: pid_t
  /// The name of its program, as ps(1) shows it.
  package let name: [UInt8]

  #if os(Linux)
    static let adoptsOrphans = true
    /// From now on, processes whose parent has ended belong to us.
    package static func adoptOrphans() { _ = feed_adopt_orphans() }

    /// The processes that run below ours, parents first.
    /// - Parameter others: those of our children that are left out, with everything below them.
    /// - Returns: nil if the system's table cannot be read.
    static func descendants(except others: Set<pid_t> = []) -> [RunningProcess]? {
      let children = children
      var found = (children[Process.identifier] ?? []).filter { !others.contains($0.identifier) }
      var next = 0
      while next < found.count {
        found += children[found[next].identifier] ?? []
        next += 1
      }
      return children.isEmpty ? nil : found
    }

    /// The processes that run, by their parents (proc_pid_stat(5)).
    private static var children: [pid_t: [RunningProcess]] {
      var children: [pid_t: [RunningProcess]] = [:]
      Descriptor.forEachName(in: Array("/proc".utf8)) { name in
        guard let identifier = pid_t(decimal: name),
          let line = contents(of: Array("/proc/".utf8) + name + Array("/stat".utf8)),
          // The name of the program may contain anything.
          let open = line.firstIndex(of: UInt8(ascii: "(")), let close = line.lastIndex(of: UInt8(ascii: ")"))
        else { return }
        let fields = line[(close + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 3)
        guard fields.count > 3, !"ZX".utf8.contains(fields[0][fields[0].startIndex]),
          let parent = pid_t(decimal: fields[1]), let group = pid_t(decimal: fields[2])
        else { return }
        children[parent, default: []].append(
          RunningProcess(identifier: identifier, group: group, name: Array(line[(open + 1)..<close])))
      }
      return children
    }

    /// The first bytes of a small file; nil if it cannot be read.
    private static func contents(of path: [UInt8]) -> [UInt8]? {
      guard let file = try? Descriptor.open(reading: path) else { return nil }
      defer { file.closeQuietly() }
      var bytes: [UInt8] = []
      return (try? file.read(upTo: 4096, into: &bytes)).map { _ in bytes }
    }
  #else
    static let adoptsOrphans = false
    package static func adoptOrphans() {}
    static func descendants(except others: Set<pid_t> = []) -> [RunningProcess]? { nil }
  #endif
}

/// The standard input of a child process, if all of it is known: a file without a name. Neither process waits for the
/// other, and if the tool is killed, the child still has all of its input.
package struct ChildInput {
  /// At its first byte.
  package let file: Descriptor
  private let size: Int

  /// - Throws: if there is no room for the bytes (`ENOSPC`, `ENOMEM`).
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

  /// How many bytes at its end were not read. A program that opens its input again, as /dev/stdin, has its own file
  /// position; then this cannot be known, and the answer is 0.
  package var unreadCount: Int {
    guard let place = file.place, place < size else { return 0 }
    return place > 0 || !file.wasRead ? size - place : 0
  }

  /// The child keeps its own copy of the descriptor.
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
