import Foundation
import TestSupport
import Testing

/// Pairs of documents that others have collected: Tests/Corpus says what they look like and what is tried.
@Suite(.enabled(if: Repository.has("python3")))
struct CorpusTests {
  private static func pairs(_ folder: String, path: String = "") throws -> Result {
    let driver = Command.quote(Repository.path("Tests/Corpus/pairs"))
    return try Command.shell("\(path) \(driver) -v \(Command.quote(folder))")
  }

  private static let own = Repository.path("Tests/Fixtures/corpus")

  /// Each form of pair, and one whose own patch leads elsewhere. Whether that is our fault, only jsonpatch can say.
  @Test func ourOwnPairsAreRight() throws {
    let result = try Self.pairs(Self.own)
    let isJudged = !result.text.contains("jsonpatch is not installed")
    #expect(result.status == (isJudged ? 0 : 1), "\(result.text) \(result.error)")
    #expect(result.text.contains("/corpus/moved: its own patch leads elsewhere"), "\(result.text)")
    let counts = "8 pairs, \(isJudged ? 0 : 1) wrong; 1 patches that must be refused; 2 records skipped\n"
    #expect(result.text.contains(counts + "7 merge patches; 1 documents that none can express\n6 patches"))
  }

  /// Otherwise the test above would prove nothing.
  @Test func aWrongPatchIsNoticed() throws {
    let scratch = try ScratchFolder()
    let path = try scratch.write("jdiff", "#!/bin/sh\necho '[]'\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    let result = try Self.pairs(Self.own, path: "PATH=\(Command.quote(scratch.path)):$PATH")
    #expect(result.status == 1, "\(result.text) \(result.error)")
    #expect(result.text.contains("8 pairs, 8 wrong") && result.text.contains("/objects: the patch leads elsewhere"))
  }

  private static let folder = ProcessInfo.processInfo.environment["FEEDUTILS_CORPUS"]

  @Test(.enabled(if: folder != nil, "FEEDUTILS_CORPUS names no folder"))
  func everyPairOfTheCorpusIsRight() throws {
    let result = try Self.pairs(Self.folder ?? "")
    #expect(result.status == 0, "\(result.text) \(result.error)")
    print(result.text)
  }

  @Test(.enabled(if: Repository.conformance != nil))
  func thePublicSuiteOfPatchesIsACorpusToo() throws {
    let result = try Self.pairs((Repository.conformance ?? "") + "/json-patch-tests")
    #expect(result.status == 0 && result.text.contains("74 pairs, 0 wrong"), "\(result.text) \(result.error)")
  }
}
