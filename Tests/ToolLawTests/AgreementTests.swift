import Foundation
import TestSupport
import Testing

/// What tools have in common: `Tests/Agreement/check` tries each cell of the tables in Tests/Cases/agreement.
@Suite(.enabled(if: Repository.has("python3"))) struct AgreementTests {
  static let tables: [String] =
    ((try? Repository.files("Tests/Cases/agreement")) ?? [])
    .map { ($0 as NSString).lastPathComponent }.filter { $0.hasSuffix(".txt") }.map { String($0.dropLast(4)) }

  /// If the tables were not found, an empty list would pass.
  @Test func thereAreTables() { #expect(Set(Self.tables).isSuperset(of: ["media", "statuses"])) }

  @Test(arguments: tables)
  func eachToolDoesAsItsCellSays(_ table: String) throws {
    let check = Command.quote(Repository.path("Tests/Agreement/check"))
    let result = try Command.shell("\(check) --table \(Command.quote(table))")
    #expect(result.status == 0, "\(result.error)")
  }

  /// A table with an empty cell, an unknown one, a `-` without a reason, a tool without a column and too few cells.
  @Test func whatIsMissingIsRed() throws {
    let folder = try ScratchFolder()
    try folder.write(
      "wrong.txt",
      """
      floor 9
      cells status
      column jpatch
      run jpatch {options}
      column jdiff
      run jdiff --version
      absent deliver: it is another case
      section options
      without xml-split: it is in no column
      |          | jpatch | jdiff |
      | nonsense |        | -     |

      [no such option]
      options --nonsense
        jpatch  0
      """)
    let check = Command.quote(Repository.path("Tests/Agreement/check"))
    let result = try Command.shell("\(check) \(Command.quote(folder.file("wrong.txt")))")
    #expect(result.status == 1)
    for complaint in [
      "nonsense: jpatch: the cell is missing", "nonsense: jdiff: '-' has no reason", "1 cells, fewer than 9",
      "no such option: jdiff: the cell is missing", "expected 0\n  found    2", "sse-cat is in no column",
    ] {
      #expect(result.error.contains(complaint), "\(complaint) is not in \(result.error)")
    }
    #expect(!result.error.contains("deliver"))
  }
}
