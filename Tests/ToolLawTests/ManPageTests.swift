import Foundation
import TestSupport
import Testing

/// A man page says what the tool does: its options are those of the table, and its examples print what they show.
@Suite struct ManPageTests {
  private static func page(of tool: String) -> String { "man/\(tool).1" }

  @Test(arguments: Repository.tools)
  func everyToolHasAPage(_ tool: String) throws {
    let page = try ManPage(Self.page(of: tool))
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"] {
      #expect(page.sections.contains(section), "\(tool).1 has no \(section)")
    }
    #expect(page.displays.contains { $0.notRun == nil }, "no example of \(tool).1 can be run")
  }

  @Test(arguments: Repository.tools)
  func theOptionsAreThoseOfTheTable(_ tool: String) throws {
    let table = try HelpTable(of: tool).options
    let page = try ManPage(Self.page(of: tool)).options
    #expect(table.contains { $0.name == "help" })
    #expect(Set(page).subtracting(table) == [], "in \(tool).1 only")
    #expect(Set(table).subtracting(page) == [], "in \(tool) --help only")
    #expect(Set(page).count == page.count, "an option is described twice")
  }

  @Test(.enabled(if: Repository.has("mandoc")), arguments: ManPage.all)
  func mandocFindsNothing(_ page: String) throws {
    let result = try Command.shell("mandoc -Tlint -W warning \(Command.quote(Repository.path(page)))")
    #expect(result.text + result.error == "")
  }

  /// The examples of a page run one after another in one empty folder, as somebody would type them.
  @Test(arguments: ManPage.all)
  func theExamplesPrintWhatTheyShow(_ path: String) throws {
    let page = try ManPage(path)
    let steps = page.displays.filter { $0.notRun == nil }.flatMap(\.steps)
    #expect(!steps.isEmpty)
    for report in try Transcript(steps: steps).run(name: path) { Issue.record("\(report)") }
  }

  @Test func theOverviewNamesEveryTool() throws {
    let overview = try Repository.contents("man/feedutils.7")
    for tool in Repository.tools { #expect(overview.contains(".It Xr \(tool) 1")) }
  }

  @Test(arguments: Repository.tools)
  func theHelpFitsATerminal(_ tool: String) throws {
    for line in try HelpTable(of: tool).lines { #expect(line.count <= 80, "\(line)") }
  }
}
