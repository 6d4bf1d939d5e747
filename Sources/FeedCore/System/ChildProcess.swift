// Programs that a tool starts, by posix_spawn(3). Each leads its own process group: signals from the terminal do not
// reach it, and signals from us reach it and all programs that it has started.

/// A program that was started.
package struct ChildProcess {
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    /// The number of the signal.
    case killed(Int32)
  }

  private let identifier: pid_t

  /// Starts a program, found by PATH if its name has no slash.
  /// - Parameters:
  ///   - arguments: the program and its arguments.
  ///   - variables: variables to set in its environment; nil to unset.
  /// - Throws: the error of exec(2): `isUnusableProgram`, or one that may pass.
  package init(
    _ arguments: [[UInt8]], variables: [(name: String, value: [UInt8]?)], input: ChildInput, output: Descriptor,
    error: Descriptor
  ) throws(SystemError) {
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
    var none = sigset_t()
    var ours = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigemptyset(&ours)
    for number in [SIGPIPE, SIGXFSZ] { unsafe sigaddset(&ours, number) }
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &ours)
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))

    let environment = Process.environment(with: variables)
    var identifier: pid_t = 0
    let code = unsafe withPointers(to: arguments) { arguments in
      unsafe withPointers(to: environment) { environment in
        guard let program = unsafe arguments[0] else { return ENOENT }
        return unsafe posix_spawnp(&identifier, program, &files, &attributes, arguments, environment)
      }
    }
    guard code == 0 else { throw SystemError(code: code) }
    self.identifier = identifier
  }

  /// How it ended; nil while it runs or is stopped. Do not call this again after it has returned an ending.
  package func ending() throws(SystemError) -> Ending? {
    var status: Int32 = 0
    let found = try SystemCalls.libc.retrying(.waitForChild) { unsafe waitpid(identifier, &status, WNOHANG) }
    guard found == identifier else { return nil }
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
  }

  /// Sends a signal to the program and its children, and continues them if they were stopped.
  package func send(_ number: Int32) {
    for number in number == SIGKILL ? [number] : [number, SIGCONT] {
      kill(-identifier, number)
      // The program may have joined another group.
      if getpgid(identifier) != identifier { kill(identifier, number) }
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

extension Process {
  /// Our environment with some variables set or unset, as `NAME=value`.
  fileprivate static func environment(with variables: [(name: String, value: [UInt8]?)]) -> [[UInt8]] {
    let names = variables.map { Array(($0.name + "=").utf8) }
    var result: [[UInt8]] = []
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      let bytes = unsafe [UInt8](cString: entry)
      if !names.contains(where: bytes.starts(with:)) { result.append(bytes) }
      unsafe next += 1
    }
    for (name, variable) in zip(names, variables) { if let value = variable.value { result.append(name + value) } }
    return result
  }
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
