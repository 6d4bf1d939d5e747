// swift-tools-version: 6.2
import PackageDescription

/// The same rules for every target: Swift 6, no warning left, every unsafe construct marked.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// Tests may use Foundation, and need no marks on what it does.
let plain: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// What the executables are linked with: no library is looked for beside them, and what the loader has filled in is
/// read-only before anything runs. (`make` also keeps SwiftPM from adding a search path of its own.) Memory that runs out
/// is a message: Sources/CStart/memory.c.
let hardened: [LinkerSetting] = [
  .unsafeFlags(
    ["-z", "now", "-z", "relro", "--wrap=malloc"].flatMap { ["-Xlinker", $0] }, .when(platforms: [.linux]))
]

let package = Package(
  name: "feedutils",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "sse-cat", targets: ["sse-cat"]),
    .executable(name: "jpatch", targets: ["jpatch"]),
    .executable(name: "jdiff", targets: ["jdiff"]),
    .executable(name: "xml-split", targets: ["xml-split"]),
    .executable(name: "paginate", targets: ["paginate"]),
    .executable(name: "sse-serve", targets: ["sse-serve"]),
    .executable(name: "ws-cat", targets: ["ws-cat"]),
  ],
  dependencies: [],
  targets: [
    .target(name: "CStart", cSettings: [.unsafeFlags(["-Wall", "-Wextra", "-Werror"])]),
    .systemLibrary(name: "CEpoll"),
    .target(
      name: "FeedCore", dependencies: ["CStart", .target(name: "CEpoll", condition: .when(platforms: [.linux]))],
      swiftSettings: strict),
    .systemLibrary(
      name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    .systemLibrary(
      name: "CSQLite", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(name: "FeedHTTP", dependencies: ["FeedCore", "CCurl"], swiftSettings: strict),
    .executableTarget(
      name: "sse-cat", dependencies: ["FeedCore", "FeedHTTP"], swiftSettings: strict, linkerSettings: hardened),
    .executableTarget(name: "jpatch", dependencies: ["FeedCore"], swiftSettings: strict, linkerSettings: hardened),
    .executableTarget(name: "jdiff", dependencies: ["FeedCore"], swiftSettings: strict, linkerSettings: hardened),
    .executableTarget(name: "xml-split", dependencies: ["FeedCore"], swiftSettings: strict, linkerSettings: hardened),
    .executableTarget(
      name: "paginate", dependencies: ["FeedCore", "FeedHTTP", "CSQLite"], swiftSettings: strict,
      linkerSettings: hardened),
    .executableTarget(name: "sse-serve", dependencies: ["FeedCore"], swiftSettings: strict, linkerSettings: hardened),
    .executableTarget(
      name: "ws-cat", dependencies: ["FeedCore", "FeedHTTP"], swiftSettings: strict, linkerSettings: hardened),

    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: plain),
    .testTarget(name: "FeedCoreTests", dependencies: ["FeedCore", "TestSupport"], swiftSettings: plain),
    .testTarget(name: "FeedHTTPTests", dependencies: ["FeedHTTP", "TestSupport"], swiftSettings: plain),
    .testTarget(name: "JPatchTests", dependencies: ["FeedCore", "TestSupport", "jpatch"], swiftSettings: plain),
    .testTarget(name: "JDiffTests", dependencies: ["FeedCore", "TestSupport", "jdiff"], swiftSettings: plain),
    .testTarget(name: "SSECatTests", dependencies: ["TestSupport", "sse-cat"], swiftSettings: plain),
    .testTarget(name: "XMLSplitTests", dependencies: ["FeedCore", "TestSupport", "xml-split"], swiftSettings: plain),
    .testTarget(
      name: "PaginateTests", dependencies: ["FeedCore", "FeedHTTP", "TestSupport", "paginate"], swiftSettings: plain),
    .testTarget(name: "SSEServeTests", dependencies: ["FeedCore", "TestSupport", "sse-serve"], swiftSettings: plain),
    .testTarget(
      name: "WSCatTests", dependencies: ["FeedCore", "FeedHTTP", "TestSupport", "ws-cat"], swiftSettings: plain),
    .testTarget(
      name: "ToolLawTests",
      dependencies: [
        "FeedCore", "TestSupport", "jdiff", "jpatch", "paginate", "sse-cat", "sse-serve", "ws-cat", "xml-split",
      ],
      swiftSettings: plain),
  ]
)
