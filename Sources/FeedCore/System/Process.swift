// The process: its arguments, its environment, its limits, and how it ends.

import CStart

package enum Process {
  /// The arguments after the program's name, as bytes: a file name need not be UTF-8.
  ///
  /// They come from C, because the Swift runtime loses them without /proc. Swift's are used only if C has none.
  package static var arguments: [[UInt8]] {
    let count = feed_argument_count()
    guard count < 0 else { return (1..<max(1, count)).map { unsafe [UInt8](cString: feed_argument($0)) } }
    return (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      unsafe CommandLine.unsafeArgv[index].map { unsafe [UInt8](cString: $0) }
    }
  }

  /// Removes the variables that CStart set for the Swift runtime, now that it has started.
  static func restoreEnvironment() { feed_restore_environment() }

  /// The value of an environment variable; nil if it is unset or empty.
  package static func environment(_ name: String) -> [UInt8]? {
    guard let value = unsafe getenv(name) else { return nil }
    let bytes = unsafe [UInt8](cString: value)
    return bytes.isEmpty ? nil : bytes
  }

  /// Our environment with some variables set or unset, as `NAME=value`.
  static func environment(with variables: [(name: String, value: [UInt8]?)]) -> [[UInt8]] {
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

  package static var identifier: Int32 { getpid() }

  /// Ends the process at once: what a writer still holds is lost.
  package static func exit(_ status: Int32) -> Never { systemExit(status) }

  /// Raises the limit of open descriptors to `count`, or as far as the system allows, if it is lower.
  /// - Returns: the limit after that.
  package static func raiseLimitOfOpenFiles(to count: Int) -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(Platform.openFiles, &limit) == 0 else { return 0 }
    let wanted = rlim_t(count)
    if limit.rlim_cur >= wanted { return Int(clamping: limit.rlim_cur) }
    // First try to raise the hard limit, which only root may do.
    var raised = limit
    raised.rlim_cur = wanted
    raised.rlim_max = max(limit.rlim_max, wanted)
    if unsafe setrlimit(Platform.openFiles, &raised) == 0 { return count }
    raised.rlim_cur = min(wanted, limit.rlim_max)
    raised.rlim_max = limit.rlim_max
    if unsafe setrlimit(Platform.openFiles, &raised) == 0 { return Int(clamping: raised.rlim_cur) }
    return Int(clamping: limit.rlim_cur)
  }
}

private func systemExit(_ status: Int32) -> Never { exit(status) }
