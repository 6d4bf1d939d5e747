import Foundation

/// The places of files, for tests.
public enum Repository {
  /// The top folder of the checkout.
  public static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  public static func path(_ relative: String) -> String { root.appendingPathComponent(relative).path }

  /// The folder of the built tools: `FEEDUTILS_BIN`, else the folder in which this test was built.
  public static let binaries: String = ProcessInfo.processInfo.environment["FEEDUTILS_BIN"] ?? debugBinaries

  /// The folder in which this test was built, with tools that are built for debugging.
  public static let debugBinaries: String =
    Bundle.allBundles.map(\.bundlePath).first { $0.hasSuffix(".xctest") }
    .map { ($0 as NSString).deletingLastPathComponent } ?? path(".build/debug")

  /// Whether these are the released tools rather than debug builds.
  public static let areReleased = ProcessInfo.processInfo.environment["FEEDUTILS_BIN"] != nil

  /// Whether a Linux-only program is available for tests. In CI on Linux it must be.
  public static func hasOnLinux(_ program: String) -> Bool {
    #if os(Linux)
      return has(program)
    #else
      return false
    #endif
  }

  /// Every tool of the package: the folders of `Sources` with a main.swift.
  public static let tools: [String] = {
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: path("Sources"))) ?? []
    return folders.filter { FileManager.default.fileExists(atPath: path("Sources/\($0)/main.swift")) }.sorted()
  }()

  /// The static executables among them. Others name their loader, near the start of the file.
  public static let staticTools: [String] = tools.filter {
    let file = try? Data(contentsOf: URL(fileURLWithPath: "\(binaries)/\($0)"), options: .alwaysMapped)
    return file?.prefix(4096).range(of: Data("/ld-".utf8)) == nil
  }

  /// The folder of the public conformance suites, which are not part of the project.
  public static let conformance: String? = {
    let given = ProcessInfo.processInfo.environment["FEEDUTILS_CONFORMANCE"]
    return given.flatMap { $0.isEmpty ? nil : $0 }
  }()

  /// A file of these suites.
  public static func conformanceFile(_ name: String) throws -> Data {
    try Data(contentsOf: URL(fileURLWithPath: (conformance ?? "") + "/" + name))
  }

  /// Whether a missing optional program is an error, as in CI.
  public static let isCI = ProcessInfo.processInfo.environment["CI"] == "true"

  /// Whether a program is available for tests. In CI it must be.
  public static func has(_ program: String) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let found = path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    precondition(found || !isCI, "\(program) is missing, and CI=true")
    return found
  }

  /// The paths of the files in a folder.
  public static func files(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path(folder)).sorted().map { "\(folder)/\($0)" }
  }

  public static func contents(_ relative: String) throws -> String {
    try String(contentsOfFile: path(relative), encoding: .utf8)
  }
}

/// A folder that is deleted after the test.
public final class ScratchFolder {
  public let path: String

  public init() throws {
    path = NSTemporaryDirectory() + "feedutils-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // A process that the test has ended may write for a moment longer.
    for _ in 0..<100 where FileManager.default.fileExists(atPath: path) {
      do { try FileManager.default.removeItem(atPath: path) } catch { Thread.sleep(forTimeInterval: 0.02) }
    }
  }

  public func file(_ name: String) -> String { path + "/" + name }

  @discardableResult
  public func write(_ name: String, _ content: String) throws -> String {
    try content.write(toFile: file(name), atomically: false, encoding: .utf8)
    return file(name)
  }

  public func read(_ name: String) throws -> String { try String(contentsOfFile: file(name), encoding: .utf8) }
}
