// The process: its arguments, its environment, and how it ends.

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

  package static var identifier: Int32 { getpid() }

  package static func exit(_ status: Int32) -> Never { systemExit(status) }
}

private func systemExit(_ status: Int32) -> Never { exit(status) }
