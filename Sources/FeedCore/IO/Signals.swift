// Signals. The tools leave them at their defaults, so a signal kills at once and the shell sees by which; what
// must not be cut in two (see AtomicFile) holds them back for its short while.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

public enum Signals {
  /// Dies of SIGPIPE, as if the write had not been told about the closed pipe: silent, 141 for the shell.
  ///
  /// A parent may have made the tool ignore the signal (systemd and some languages do), hence the reset.
  public static func dieOfBrokenPipe() -> Never {
    signal(SIGPIPE, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, SIGPIPE)
    unsafe sigprocmask(SIG_UNBLOCK, &set, nil)
    raise(SIGPIPE)
    Process.exit(141)
  }

  /// Makes a write to a closed pipe or socket an error instead of a signal, for a library that writes to sockets.
  /// A tool whose own output is closed still ends by `dieOfBrokenPipe`.
  public static func ignoreBrokenPipe() { signal(SIGPIPE, SIG_IGN) }

  /// Runs `body` while SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGPIPE wait; one that came is delivered after it.
  static func heldBack<T>(_ body: () throws(SystemError) -> T) throws(SystemError) -> T {
    var held = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&held)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE] { unsafe sigaddset(&held, number) }
    unsafe sigprocmask(SIG_BLOCK, &held, &before)
    defer { unsafe sigprocmask(SIG_SETMASK, &before, nil) }
    return try body()
  }
}
