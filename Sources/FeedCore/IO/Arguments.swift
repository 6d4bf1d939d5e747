// The process: what it was called with, its environment, and how it ends.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

public enum Process {
  /// The arguments after the program's name, as bytes: a file name need not be UTF-8.
  public static var arguments: [[UInt8]] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      unsafe CommandLine.unsafeArgv[index].map { unsafe bytes(ofCString: $0) }
    }
  }

  /// The value of an environment variable; nil when it is unset or empty.
  public static func environment(_ name: String) -> [UInt8]? {
    guard let value = unsafe getenv(name) else { return nil }
    let bytes = unsafe bytes(ofCString: value)
    return bytes.isEmpty ? nil : bytes
  }

  public static var identifier: Int32 { getpid() }

  public static func exit(_ status: Int32) -> Never { systemExit(status) }

  private static func bytes(ofCString text: UnsafeMutablePointer<CChar>) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}

private func systemExit(_ status: Int32) -> Never { exit(status) }
