// swift-tools-version: 6.2
import PackageDescription

/// The same rules for every target: Swift 6, no warnings, every unsafe construct marked.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// Tests may use Foundation, and need not mark unsafe constructs.
let plain: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// How the executables are linked: the loader looks for no library beside them, and makes its tables read-only before
/// anything runs. (`make` also keeps SwiftPM from adding its own search path.) If memory runs out, a message says so:
/// Sources/CStart/memory.c.
let hardened: [LinkerSetting] = [
  .unsafeFlags(
    ["-z", "now", "-z", "relro", "--wrap=malloc"].flatMap { ["-Xlinker", $0] }, .when(platforms: [.linux]))
]

/// These need no library at run time, so their release builds can be static executables: they start in half the time.
/// `make` asks for it, where the C library can be linked like that. glibc would load libraries for iconv (xml-split) and
/// for names of hosts (sse-serve).
let alone: Set = ["jpatch", "jdiff", "deliver"]

/// Only lld of the toolchain links them at random addresses.
let isolated: [LinkerSetting] =
  Context.environment["FEEDUTILS_STATIC"] != "yes"
  ? []
  : [
    .unsafeFlags(
      ["-static-executable", "-use-ld=lld", "-Xclang-linker", "-static-pie"],
      .when(platforms: [.linux], configuration: .release))
  ]

/// Only these tools are built, and no tests, if this is set: `make` names all of them, and `make demo` four.
let chosen = Context.environment["FEEDUTILS_TOOLS"]?.split(separator: " ").map(String.init)

/// The tools: what each is called, where its tests are, and what it uses besides FeedCore.
let allTools: [(name: String, tests: String, uses: [Target.Dependency])] = [
  ("sse-cat", "SSECatTests", ["FeedHTTP"]),
  ("jpatch", "JPatchTests", []),
  ("jdiff", "JDiffTests", []),
  ("xml-split", "XMLSplitTests", []),
  ("paginate", "PaginateTests", ["FeedHTTP", "CSQLite"]),
  ("sse-serve", "SSEServeTests", ["FeedZlib"]),
  ("ws-cat", "WSCatTests", ["FeedHTTP", "FeedZlib"]),
  ("http-cat", "HTTPCatTests", ["FeedHTTP"]),
  ("deliver", "DeliverTests", []),
]

let tools = allTools.filter { chosen?.contains($0.name) ?? true }

let libraries: [Target] = [
  .target(name: "CStart", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
  .systemLibrary(name: "CLinux"),
  .target(
    name: "FeedCore", dependencies: ["CStart", .target(name: "CLinux", condition: .when(platforms: [.linux]))],
    // Elsewhere iconv(3) is in the C library.
    swiftSettings: strict, linkerSettings: [.linkedLibrary("iconv", .when(platforms: [.macOS]))]),
  .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
  .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
  .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
  .target(name: "FeedZlib", dependencies: ["FeedCore", "CZlib"], swiftSettings: strict),
  .target(name: "FeedHTTP", dependencies: ["FeedCore", "FeedZlib", "CCurl"], swiftSettings: strict),
]

let executables: [Target] = tools.map { tool in
  .executableTarget(
    name: tool.name, dependencies: ["FeedCore"] + tool.uses, swiftSettings: strict,
    linkerSettings: hardened + (alone.contains(tool.name) ? isolated : []))
}

let tests: [Target] =
  [
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: plain),
    .testTarget(name: "FeedCoreTests", dependencies: ["FeedCore", "TestSupport"], swiftSettings: plain),
    .testTarget(name: "FeedHTTPTests", dependencies: ["FeedHTTP", "TestSupport"], swiftSettings: plain),
    .testTarget(
      name: "ToolLawTests", dependencies: ["FeedCore", "TestSupport"] + tools.map { .init(stringLiteral: $0.name) },
      swiftSettings: plain),
  ]
  + tools.map { tool in
    .testTarget(
      name: tool.tests, dependencies: ["FeedCore", "TestSupport", .init(stringLiteral: tool.name)] + tool.uses,
      swiftSettings: plain)
  }

let package = Package(
  name: "feedutils",
  platforms: [.macOS(.v26)],
  products: tools.map { .executable(name: $0.name, targets: [$0.name]) },
  dependencies: [],
  targets: libraries + executables + (chosen == nil ? tests : [])
)
