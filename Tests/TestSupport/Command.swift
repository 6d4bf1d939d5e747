import Foundation

/// A finished process.
public struct Result {
  public let output: Data
  public let error: String
  /// The exit status as a shell sees it: 128 and the number for a signal.
  public let status: Int32

  public var text: String { String(decoding: output, as: UTF8.self) }
}

/// Running the built tools and other programs.
public enum Command {
  /// Runs a shell command with the built tools first in the PATH.
  ///
  /// Output goes through files, so that nothing blocks however much there is.
  public static func shell(
    _ command: String, input: Data = Data(), in folder: String? = nil, environment: [String: String] = [:]
  ) throws -> Result {
    let scratch = try ScratchFolder()
    for (name, content) in [("in", input), ("out", Data()), ("err", Data())] {
      try content.write(to: URL(fileURLWithPath: scratch.file(name)))
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardInput = FileHandle(forReadingAtPath: scratch.file("in"))
    process.standardOutput = FileHandle(forWritingAtPath: scratch.file("out"))
    process.standardError = FileHandle(forWritingAtPath: scratch.file("err"))
    process.currentDirectoryURL = URL(fileURLWithPath: folder ?? scratch.path)
    process.environment = self.environment.merging(environment) { $1 }
    try process.run()
    process.waitUntilExit()
    let isSignal = process.terminationReason == .uncaughtSignal
    return Result(
      output: FileManager.default.contents(atPath: scratch.file("out")) ?? Data(),
      error: String(decoding: FileManager.default.contents(atPath: scratch.file("err")) ?? Data(), as: UTF8.self),
      status: process.terminationStatus + (isSignal ? 128 : 0))
  }

  /// The environment of every command: the built tools first, then the fixtures' helpers, plain messages, no proxies.
  public static let environment: [String: String] = {
    var environment = ProcessInfo.processInfo.environment
    let folders = Repository.binaries + ":" + Repository.path("Tests/Fixtures/bin")
    environment["PATH"] = folders + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    environment["LC_ALL"] = "C.UTF-8"
    for name in environment.keys where name.lowercased().hasSuffix("_proxy") { environment[name] = nil }
    environment["SWIFT_BACKTRACE"] = "enable=no"
    return environment
  }()

  /// `text` as one word of a shell command.
  public static func quote(_ text: String) -> String {
    "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
  }
}
