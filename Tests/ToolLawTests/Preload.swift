import Foundation
import TestSupport
import Testing

/// C libraries for LD_PRELOAD with the tools, each built once in a test run.
enum Preload {
  /// The library of a file of Tests/Fixtures/laws or Tests/Faults; nil without a C compiler.
  static func library(_ name: String) throws -> String? {
    #if os(Linux)
      guard Repository.has("cc") else { return nil }
      return try built.withLock { paths in
        if let path = paths[name] { return path }
        let path = NSTemporaryDirectory() + "feedutils-\(name)-\(ProcessInfo.processInfo.processIdentifier).so"
        let source =
          ["Tests/Fixtures/laws", "Tests/Faults"].map { Repository.path("\($0)/\(name).c") }
          .first(where: FileManager.default.fileExists) ?? name
        let result = try Command.shell(
          "cc -shared -fPIC -O1 -o \(Command.quote(path)) \(Command.quote(source)) -ldl")
        #expect(result.status == 0, "\(result.error)")
        paths[name] = path
        return path
      }
    #else
      return nil
    #endif
  }

  /// The variables with which `tool` loads a library and passes `settings` to it. A static tool loads none: then its
  /// debug build runs.
  static func environment(_ library: String, into tool: String, _ settings: [String: String] = [:])
    -> [String: String]
  {
    var environment = settings.merging(["LD_PRELOAD": library]) { $1 }
    if Repository.staticTools.contains(tool) {
      environment["PATH"] = Repository.debugBinaries + ":" + (Command.environment["PATH"] ?? "")
    }
    return environment
  }

  private static let built = Guarded()

  private final class Guarded: @unchecked Sendable {
    private let lock = NSLock()
    private var paths: [String: String] = [:]

    func withLock<Answer>(_ body: (inout [String: String]) throws -> Answer) rethrows -> Answer {
      try lock.withLock { try body(&paths) }
    }
  }
}
