import Foundation
import TestSupport
import Testing

/// C libraries for LD_PRELOAD with the tools, kept in .build/preload.
enum Preload {
  /// The library of a file of Tests/Fixtures/laws or Tests/Faults, built if the source is newer; nil without a C compiler.
  static func library(_ name: String) throws -> String? {
    #if os(Linux)
      guard Repository.has("cc") else { return nil }
      let path = Repository.path(".build/preload/\(name).so")
      let source =
        ["Tests/Fixtures/laws", "Tests/Faults"].map { Repository.path("\($0)/\(name).c") }
        .first(where: FileManager.default.fileExists) ?? name
      // Tests in other processes may build it too.
      let result = try Command.shell(
        """
        library=\(Command.quote(path)) source=\(Command.quote(source)); [ ! "$library" -nt "$source" ] || exit 0
        mkdir -p "${library%/*}"
        cc -shared -fPIC -O1 -o "$library.$$" "$source" -ldl && mv "$library.$$" "$library"
        """)
      #expect(result.status == 0, "\(result.error)")
      return path
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
}
