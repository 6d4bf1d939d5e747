/// Signals. Most tools keep the defaults, so a signal kills at once and the shell sees which one. Work that must not be
/// interrupted (see AtomicFile) blocks signals for a short time. Tools that must close connections before they end
/// (`ws-cat`, `sse-serve`) read signals from a pipe, beside their other input, and die of the signal afterwards.
package enum Signals {
  /// Dies of SIGPIPE, as if the failed write had raised it: silently, with status 141 in the shell.
  package static func dieOfBrokenPipe() -> Never { die(of: SIGPIPE) }

  /// Dies of a signal, so that the parent sees which one.
  ///
  /// A parent may have made the tool ignore the signal (systemd and some languages do), so it is reset first.
  package static func die(of number: Int32) -> Never {
    signal(number, SIG_DFL)
    unblock(number)
    raise(number)
    Process.exit(128 + number)
  }

  /// These signals and no others, as the C library holds them.
  static func set(of numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    return set
  }

  private static func unblock(_ number: Int32) {
    var set = set(of: [number])
    unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
  }

  /// The pipe that the handler writes to; set once, before the handler is installed.
  nonisolated(unsafe) private static var pipeEnd: Int32 = -1
  nonisolated(unsafe) private static var catchesAgain = false
  nonisolated(unsafe) private static var childrenEnd: Int32 = -1
  /// The process group that gets a signal before it ends the tool; 0 for none.
  nonisolated(unsafe) private static var sharingGroup: Int32 = 0

  /// The signals that ask a tool to end, and let it finish first.
  private static let leaving = [SIGHUP, SIGINT, SIGTERM]

  /// Catches SIGHUP, SIGINT and SIGTERM once: the first becomes a byte to read, a second one of any kind kills. Ignored
  /// signals, as in a background job of a shell or under nohup(1), stay ignored.
  /// - Parameter again: whether a second one becomes a byte too, for tools that then end sooner.
  /// - Returns: the descriptor to wait for; each byte is the number of a signal, for `die(of:)`.
  package static func caught(again: Bool = false) throws(SystemError) -> Descriptor {
    let (output, input) = try Descriptor.pipe()
    try input.stopWaiting()
    unsafe pipeEnd = input.number
    unsafe catchesAgain = again
    for number in leaving {
      let before = signal(number) { number in
        let before = errno
        if unsafe !Signals.catchesAgain { for number in Signals.leaving { Signals.reset(number) } }
        var byte = UInt8(truncatingIfNeeded: number)
        _ = unsafe write(Signals.pipeEnd, &byte, 1)
        errno = before
      }
      if isIgnoring(before) { signal(number, SIG_IGN) }
    }
    return output
  }

  /// Catches SIGCHLD, so that a tool can wait for its children together with other events.
  /// - Returns: a descriptor with a byte to read when a child may have ended. Reading it does not wait.
  package static func childrenEnding() throws(SystemError) -> Descriptor {
    let (output, input) = try Descriptor.pipe()
    for end in [output, input] { try end.stopWaiting() }
    unsafe childrenEnd = input.number
    signal(SIGCHLD) { _ in
      let before = errno
      var byte: UInt8 = 0
      _ = unsafe write(Signals.childrenEnd, &byte, 1)
      errno = before
    }
    // A parent may have started us with SIGCHLD blocked.
    unblock(SIGCHLD)
    return output
  }

  /// Closes what `childrenEnding` has opened.
  package static func ignoreChildren(_ output: Descriptor) {
    signal(SIGCHLD, SIG_DFL)
    output.closeQuietly()
    unsafe Descriptor(childrenEnd).closeQuietly()
    unsafe childrenEnd = -1
  }

  /// The signals that end a tool, unless it ignores them.
  static let deadly = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

  /// From now on, a signal that ends the tool goes to a process group first, so that a child in a group of its own does
  /// not outlive it. Ignored signals stay ignored.
  /// - Parameter group: 0 for none any more.
  static func share(with group: Int32) {
    unsafe sharingGroup = group
    guard group > 0 else { return }
    for number in deadly {
      let former = signal(number) { number in
        let before = errno
        let group = unsafe Signals.sharingGroup
        if group > 0 {
          kill(-group, number)
          kill(-group, SIGCONT)
        }
        StatusLine.eraseAtOnce()
        signal(number, SIG_DFL)
        Signals.unblock(number)
        raise(number)
        errno = before
      }
      if isIgnoring(former) { signal(number, SIG_IGN) }
    }
  }

  /// Has `StatusLine` erased before a signal kills or stops the tool. One that is ignored or caught stays so.
  static func eraseStatusLineFirst() {
    let numbers = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP]
    // Held back, so that none comes while one that is ignored or caught is not.
    blocked(numbers) { for number in numbers { eraseStatusLine(before: number) } }
  }

  private static func eraseStatusLine(before number: Int32) {
    let former = signal(number) { number in
      let before = errno
      StatusLine.eraseAtOnce()
      signal(number, SIG_DFL)
      Signals.unblock(number)
      raise(number)
      // Only from SIGTSTP does a process come back.
      Signals.eraseStatusLine(before: number)
      errno = before
    }
    if !isDefault(former) { signal(number, former) }
  }

  private static func reset(_ number: Int32) {
    if isIgnoring(signal(number, SIG_DFL)) { signal(number, SIG_IGN) }
  }

  private static func isDefault(_ handler: sig_t?) -> Bool {
    unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self)
  }

  private static func isIgnoring(_ handler: sig_t?) -> Bool {
    unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Makes a write to a closed pipe or socket an error instead of a signal, for a library that writes to sockets.
  /// A tool whose own output is closed still ends by `dieOfBrokenPipe`.
  package static func ignoreBrokenPipe() { signal(SIGPIPE, SIG_IGN) }

  /// Makes a write beyond the file size limit (`ulimit -f`) an error instead of a signal. So the tool can report it and
  /// clean up.
  static func ignoreFileSizeLimit() { signal(SIGXFSZ, SIG_IGN) }

  /// Runs `body` with signals blocked, by default all that end a tool; a pending one is delivered after it.
  static func blocked<T, Failure>(
    _ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE], _ body: () throws(Failure) -> T
  ) throws(Failure) -> T {
    var held = set(of: numbers)
    var before = sigset_t()
    unsafe sigprocmask(SIG_BLOCK, &held, &before)
    defer { unsafe sigprocmask(SIG_SETMASK, &before, nil) }
    return try body()
  }
}
