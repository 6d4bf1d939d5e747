import Foundation

/// A child process, by posix_spawn and waitpid. Foundation's own loses exits when many tests start children at once.
public struct Child {
  public let identifier: pid_t

  /// Starts `/bin/sh -c command` with the built tools first in the PATH, in `folder`.
  ///
  /// In the child, all signals have their defaults, whatever the test runner has set.
  public init(
    _ command: String, in folder: String, input: Int32, output: Int32, error: Int32, environment: [String: String] = [:]
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in [(Int32(0), input), (1, output), (2, error)] {
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    let variables = Command.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
    // On separate lines, so that a command that ends in `&` does not include the `cd`.
    let words: [String] = ["/bin/sh", "-c", "cd \(Command.quote(folder)) || exit\n\(command)"]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var values: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for text in arguments + values { free(text) } }
    var identifier: pid_t = 0
    Self.keepInherited
    let code = Self.starting.withLock {
      posix_spawn(&identifier, "/bin/sh", &actions, &attributes, &arguments, &values)
    }
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    self.identifier = identifier
  }

  /// Waits for the end.
  /// - Returns: the exit status as in a shell: 128 plus the number for a signal.
  @discardableResult
  public func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// Waits until the process runs the program `name` and sleeps: it has started, and waits for something.
  /// - Returns: false if that does not happen in 20 seconds.
  public func waits(as name: String) -> Bool {
    for _ in 0..<10_000 {
      if isAsleep(as: name) { return true }
      usleep(2000)
    }
    return false
  }

  private func isAsleep(as name: String) -> Bool {
    #if os(Linux)
      var room = [CChar](repeating: 0, count: 4096)
      let count = readlink("/proc/\(identifier)/exe", &room, room.count - 1)
      let program = String(decoding: room.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      // The state is the letter after the name, which is in parentheses.
      let text = FileManager.default.contents(atPath: "/proc/\(identifier)/stat") ?? Data()
      let state = String(decoding: text, as: UTF8.self).components(separatedBy: ") ").last?.first
      return (program as NSString).lastPathComponent == name && state == "S"
    #else
      guard let found = try? Command.shell("ps -o state=,comm= -p \(identifier)").text else { return false }
      let words = found.split(separator: " ", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      return words.count == 2 && words[0].hasPrefix("S") && (words[1] as NSString).lastPathComponent == name
    #endif
  }

  public func send(_ signal: Int32) { kill(identifier, signal) }

  /// A pipe whose ends a child inherits only if they are passed to it.
  public static func pipe() -> (read: Int32, write: Int32) {
    starting.withLock {
      var ends: [Int32] = [0, 0]
      precondition(Foundation.pipe(&ends) == 0)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (ends[0], ends[1])
    }
  }

  /// Keeps inherited descriptors, such as those of `make -j`, from children: some cases count descriptors.
  private static let keepInherited: Void = {
    for number in Int32(3)..<1024 { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
  }()

  /// No child may start between the creation of a pipe and its flag.
  private static let starting = NSLock()
}
