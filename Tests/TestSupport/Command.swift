import Foundation

/// The result of a command.
public struct Result: Equatable {
  public let output: Data
  public let error: String
  /// The exit status as in a shell: 128 plus the number for a signal.
  public let status: Int32

  public init(output: Data, error: String, status: Int32) {
    (self.output, self.error, self.status) = (output, error, status)
  }

  public var text: String { String(decoding: output, as: UTF8.self) }
}

/// Runs the built tools and other programs.
public enum Command {
  /// Runs a shell command with the built tools first in the PATH.
  ///
  /// Output goes through files, so that large output does not block.
  public static func shell(
    _ command: String, input: Data = Data(), in folder: String? = nil, environment: [String: String] = [:]
  ) throws -> Result {
    let scratch = try ScratchFolder()
    for (name, content) in [("in", input), ("out", Data()), ("err", Data())] {
      try content.write(to: URL(fileURLWithPath: scratch.file(name)))
    }
    let descriptors = [
      open(scratch.file("in"), O_RDONLY | O_CLOEXEC), open(scratch.file("out"), O_WRONLY | O_CLOEXEC),
      open(scratch.file("err"), O_WRONLY | O_CLOEXEC),
    ]
    defer { for descriptor in descriptors { close(descriptor) } }
    let child = try Child(
      command, in: folder ?? scratch.path, input: descriptors[0], output: descriptors[1], error: descriptors[2],
      environment: environment)
    let status = child.wait()
    return Result(
      output: FileManager.default.contents(atPath: scratch.file("out")) ?? Data(),
      error: String(decoding: FileManager.default.contents(atPath: scratch.file("err")) ?? Data(), as: UTF8.self),
      status: status)
  }

  /// Starts the tools without the small stack of Support/launch.c, and so without its system calls: for strace(1).
  public static let bare = ["PATH": path(Repository.binaries, Repository.path("Tests/Fixtures/bin"))]

  private static func path(_ folders: String...) -> String {
    (folders + [ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]).joined(separator: ":")
  }

  /// The environment of every command: the built tools first, then the fixtures' helpers, plain messages, no proxies.
  public static let environment: [String: String] = {
    var environment = ProcessInfo.processInfo.environment
    environment.merge(bare) { $1 }
    if let folder = environment["FEEDUTILS_COMMANDS"] { environment["PATH"] = folder + ":" + (bare["PATH"] ?? "") }
    environment["LC_ALL"] = "C.UTF-8"
    for name in environment.keys where name.lowercased().hasSuffix("_proxy") { environment[name] = nil }
    // A hook of git, or its rebase, runs the tests with variables that make every git use its repository.
    for name in environment.keys where name.hasPrefix("GIT_") { environment[name] = nil }
    environment["SWIFT_BACKTRACE"] = "enable=no"
    // A terminal without colours, unless a test has one made: Fixtures/bin/on-terminal.
    environment["TERM"] = "dumb"
    environment["NO_COLOR"] = nil
    return environment
  }()

  /// `command` with words such as `strace -o log` before the name of its `program`. Words that become the program, such
  /// as `with-ws-echo`, stay before them.
  public static func put(_ words: String, before program: String, in command: String) -> String {
    let parts = command.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard let index = parts.firstIndex(of: program) else { return command }
    return (parts[..<index] + [words] + parts[index...]).joined(separator: " ")
  }

  /// `text` as one word of a shell command.
  public static func quote(_ text: String) -> String {
    "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
  }
}
