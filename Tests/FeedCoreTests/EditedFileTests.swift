import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FeedCore

/// A file that several processes edit at once, and a companion file.
@Suite struct EditedFileTests {
  @Test func onlyOneHasIt() throws {
    let scratch = try ScratchFolder()
    try scratch.write("f", "old")
    let path = Array(scratch.file("f").utf8)
    let first = try EditedFile.open(path)
    #expect(throws: EditedFile.EditProblem.self) { try EditedFile.open(path, patience: 0) }
    #expect(!first.hasChanged)
  }

  @Test func whatOthersDoIsSeen() throws {
    let scratch = try ScratchFolder()
    let path = Array(scratch.file("f").utf8)
    try scratch.write("f", "old")
    let changes: [() throws -> Void] = [
      { try scratch.write("f", "longer") },
      { try AtomicFile(path).replace { $0.append("new") } },
      { try FileManager.default.removeItem(atPath: scratch.file("f")) },
    ]
    for change in changes {
      let file = try EditedFile.open(path, patience: 0)
      #expect(!file.hasChanged)
      try change()
      #expect(file.hasChanged)
    }
  }

  /// On a file system without locks, edits still work.
  @Test func aFileSystemWithoutLocks() throws {
    let scratch = try ScratchFolder()
    try scratch.write("f", "old")
    let calls = SystemCalls(failure: { $0 == .lock ? ENOLCK : nil })
    #expect(try !EditedFile.open(Array(scratch.file("f").utf8), calls: calls).hasChanged)
  }

  /// Whichever call fails, after any number of successes: document and companion are both old or both new, and no other
  /// file remains.
  @Test(arguments: [SystemCalls.Call.open, .sync, .close, .rename, .link], [true, false])
  func aCompanionFitsWhateverFails(_ call: SystemCalls.Call, _ isThere: Bool) throws {
    var failures = 0
    for skipped in 0..<12 {
      let scratch = try ScratchFolder()
      try scratch.write("doc", "old")
      if isThere { try scratch.write("undo", "fits old") }
      try scratch.write("doc~", "older")
      let count = Mutex(0)
      // Only once: the calls that restore the files must not fail too.
      let failing = SystemCalls(failure: { made in
        guard made == call else { return nil }
        return count.withLock { count in
          count += 1
          return count == skipped + 1 ? EIO : nil
        }
      })
      let companion = CompanionFile(Array(scratch.file("undo").utf8), calls: failing) { $0.append("fits new") }
      var hasFailed = false
      do {
        var file = AtomicFile(Array(scratch.file("doc").utf8), calls: failing)
        (file.backup, file.companion) = (Array("~".utf8), companion)
        try file.replace { $0.append("new") }
      } catch { hasFailed = true }
      failures += hasFailed ? 1 : 0
      let document = try scratch.read("doc")
      #expect(document == "new" || hasFailed)
      let undo = try? scratch.read("undo")
      #expect(undo == (document == "new" ? "fits new" : isThere ? "fits old" : nil), "\(skipped)")
      #expect(try scratch.read("doc~") == (document == "new" ? "old" : "older"), "\(skipped)")
      let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
      #expect(Set(names).isSubset(of: ["doc", "undo", "doc~"]), "\(names)")
    }
    #expect(failures > 0)
  }

  @Test func whatIsNotConfirmedChangesNothing() throws {
    let scratch = try ScratchFolder()
    try scratch.write("doc", "old")
    let path = Array(scratch.file("doc").utf8)
    let companion = CompanionFile(Array(scratch.file("undo").utf8)) { $0.append("undo") }
    #expect(throws: SystemError.changed) {
      var file = AtomicFile(path)
      (file.backup, file.companion) = (Array("~".utf8), companion)
      try file.replace(confirm: { () throws(SystemError) in throw SystemError.changed }) { $0.append("new") }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["doc"])
    #expect(try scratch.read("doc") == "old")
  }

  @Test(arguments: [true, false])
  func theOriginalFileIsRestored(_ isThere: Bool) throws {
    let scratch = try ScratchFolder()
    let path = Array(scratch.file("f").utf8)
    if isThere { try scratch.write("f", "old") }
    let former = OriginalFile(path)
    try AtomicFile(path).replace { $0.append("new") }
    former.restore()
    #expect((try? scratch.read("f")) == (isThere ? "old" : nil))
  }
}
