import Foundation
import TestSupport
import Testing

/// A man page describes the tool: its options are those of the table, and its examples print what they show.
@Suite struct ManPageTests {
  private static func page(of tool: String) -> String { "man/\(tool).1" }

  @Test func thePagesAreFound() {
    #expect(Repository.tools.count >= 7 && ManPage.all.count > Repository.tools.count)
    #expect(ManPage.all.contains("man/feedutils.7"))
  }

  @Test(arguments: Repository.tools)
  func everyToolHasAPage(_ tool: String) throws {
    let page = try ManPage(Self.page(of: tool))
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "EXAMPLES", "SEE ALSO"] {
      #expect(page.sections.contains(section), "\(tool).1 has no \(section)")
    }
    #expect(page.displays.contains { $0.notRun == nil }, "no example of \(tool).1 can be run")
  }

  /// Names, values, defaults and what options need; and the headings, in order. What excludes what is told by the
  /// message: a page may say it, if it is true. An option that the page only names is described in the page of shared
  /// options.
  @Test(arguments: Repository.tools)
  func theOptionsAreThoseOfTheTable(_ tool: String) throws {
    let table = try Tables.of(tool)
    let source = try ManPage(Self.page(of: tool))
    let shared = try ManPage(ManPage.shared).options
    let page = try source.options.map { option in
      guard source.named.contains(option.name) else { return option }
      let described = try #require(shared.first { $0.name == option.name }, "--\(option.name) is described nowhere")
      #expect(described.letter == option.letter, "\(tool).1: --\(option.name)")
      return described.changed(by: option)
    }
    #expect(Set(page.map(\.name)).count == page.count, "an option is described twice")
    #expect(Set(page.map(\.name)) == Set(table.options.map(\.name)))
    for row in table.options {
      let item = page.first { $0.name == row.name }
      let listed = ListedOption(row, of: table)
      #expect(item?.description == listed.description, "\(tool).1")
      #expect(item?.excludes.isSubset(of: listed.excludes) == true, "\(tool).1: --\(row.name)")
      #expect(item?.meaningless.isSubset(of: listed.meaningless) == true, "\(tool).1: --\(row.name)")
    }
    let headings = page.map(\.group).reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
    #expect(headings == table.groups.map(\.group.heading))
  }

  /// The page of shared options describes each once, and only options that several tools have.
  @Test func theSharedOptionsAreShared() throws {
    let shared = try ManPage(ManPage.shared).options.map(\.name)
    #expect(Set(shared).count == shared.count && shared.count > 40)
    for name in shared {
      #expect(Tables.all.filter { $0.options.contains { $0.name == name } }.count > 1, "--\(name)")
    }
  }

  /// The page of a tool that makes requests only names them, but for those that mean something of their own there.
  @Test func theSharedOptionsAreDescribedOnce() throws {
    let shared = Set(try ManPage(ManPage.shared).options.map(\.name))
    let again = try Repository.tools.flatMap { tool in
      let page = try ManPage(Self.page(of: tool))
      guard !page.named.isEmpty else { return [String]() }
      return page.options.map(\.name).filter { shared.contains($0) && !page.named.contains($0) }.map { "\(tool) \($0)" }
    }
    let own = ["idle-timeout", "notes", "retries", "verbose"].map { "paginate \($0)" } + ["ws-cat location"]
    #expect(again.sorted() == own)
  }

  @Test(.enabled(if: Repository.has("mandoc")), arguments: ManPage.all)
  func mandocFindsNothing(_ page: String) throws {
    let result = try Command.shell("mandoc -Tlint -W warning \(Command.quote(Repository.path(page)))")
    #expect(result.text + result.error == "")
  }

  /// The pages at 78 columns, as man(1) shows them.
  @Test(.enabled(if: Repository.has("groff")), arguments: ManPage.all)
  func groffFindsNothing(_ page: String) throws {
    let result = try Command.shell(
      "groff -k -mandoc -Tutf8 -ww -rLL=78n \(Command.quote(Repository.path(page))) 2>&1 >/dev/null")
    #expect(result.text == "")
  }

  /// All pages are short together and each alone, and a tool's page begins with an example: it is on the first screen.
  /// No line is wider than the screen, unless a URL or a record makes it so.
  @Test(.enabled(if: Repository.has("mandoc"))) func thePagesAreShort() throws {
    var table = ""
    var words = 0
    for path in ManPage.all {
      let count = try Repository.contents(path).split(whereSeparator: \.isWhitespace).count
      // Without bold and underlined letters, which are written over others.
      let shown = try Command.shell("mandoc -Tascii -O width=80 \(Command.quote(Repository.path(path)))").text
      let lines = shown.replacing(#/.\x08/#, with: "").components(separatedBy: "\n")
      for line in lines where line.count > 80 && !line.contains(#/\S{50}/#) { Issue.record("\(path): \(line)") }
      let example = lines.firstIndex { $0.contains(#/^ +\$ /#) }
      words += count
      table += "\(path): \(count) words, \(lines.count) lines"
      table += example.map { ", an example at line \($0 + 1)\n" } ?? "\n"
      guard path.hasSuffix(".1") else { continue }
      #expect(lines.count <= (path == Self.page(of: "paginate") ? 520 : 420), "\(path)")
      #expect(example.map { $0 < 24 } == true, "\(path) has no example on its first screen")
    }
    print(table + "all: \(words) words")
    #expect(words <= 32_000)
  }

  /// Each row of the table of exit statuses has an example in statuses.cases, under a comment that names it.
  @Test func everyExitStatusHasAnExample() throws {
    let rows = try Repository.contents("man/feedutils.7").matches(of: /\.It ([0-9]) Ta Xr (\S+) 1 Ta/)
    let stated = Set(rows.map { "\($0.1) \($0.2)" })
    let cases = try Repository.contents("Tests/Cases/all/statuses.cases")
    // `# 1 jdiff`, a command with that tool in it, and `? 1` as the last line.
    let examples = cases.matches(of: /# ([0-9]) (\S+)\n\$ ([^\n]+)\n(?:[|@][^\n]*\n)*\? ([0-9])\n/)
    for example in examples { #expect(example.1 == example.4 && example.3.contains(example.2), "\(example.0)") }
    #expect(stated.count >= 4 * Repository.tools.count / 2, "the table is not read")
    #expect(stated == Set(examples.map { "\($0.1) \($0.2)" }))
    for tool in Repository.tools { #expect(stated.contains("2 \(tool)")) }
  }

  /// Each row of the table of feedutils-pipelines(7) has an example in pipes.cases, under a comment that names it.
  @Test func everyPipeHasAnExample() throws {
    let rows = try Repository.contents("man/feedutils-pipelines.7").matches(of: /\.It Xr (\S+) 1 Ta Xr (\S+) 1 Ta/)
    let stated = rows.map { "\($0.1) | \($0.2)" }
    let cases = try Repository.contents("Tests/Cases/all/pipes.cases")
    let examples = cases.matches(of: /# (\S+) \| (\S+)\n\$ ([^\n]+)\n/)
    for example in examples {
      let pipe = example.3.split(separator: " | ").map(String.init)
      #expect(pipe.count > 1 && pipe.dropLast().joined().contains(example.1) && pipe.last?.contains(example.2) == true)
    }
    #expect(stated.count >= 45, "the table is not read")
    #expect(stated == examples.map { "\($0.1) | \($0.2)" })
  }

  /// Each command of feedutils-feeds(7) is in Tests/Cases/feeds, word for word, under a comment with its name. There `at`
  /// runs it, with another host.
  @Test func everyFeedHasAnExample() throws {
    let page = try Repository.contents("man/feedutils-feeds.7").replacing(#"\e"#, with: "\\")
    let rows = page.matches(of: /\.It ([^\n]+)\n\.Bd -literal -compact\n((?:(?!\.Ed)[^\n]*\n)+)\.Ed\n/)
    let stated = rows.map { "\($0.1)\n\($0.2)" }
    let cases = try ["models", "live", "machines", "pages"].map {
      try Repository.contents("Tests/Cases/feeds/\($0).cases")
    }
    var tried: [String] = []
    for part in cases.joined(separator: "\n").split(separator: "\n# ") {
      guard let row = part.firstMatch(of: /\$ cat >row <<'\.'\n((?:> [^\n]*\n)+?)> \.\n/) else { continue }
      let name = part.prefix { $0 != "\n" }
      let command = row.1.split(separator: "\n").map { $0.dropFirst(2) + "\n" }.joined()
      tried.append("\(name)\n\(command)")
      let rest = part[row.range.upperBound...]
      #expect(
        rest.contains(/\$ serve-(script|ws) .*at ("\$0"|\{0\})/.dotMatchesNewlines()), "\(name) is not run")
    }
    #expect(stated.count >= 30, "the page is not read")
    #expect(stated == tried)
  }

  /// apropos(1) finds what people search for: each line of words is in the names and the purpose of a page.
  @Test func aproposFindsThem() throws {
    let script = try Repository.contents("examples/packaging/check-installed")
    let list = try #require(script.firstMatch(of: /done <<'END'\n((?:[a-z -]+\n)+)END\n/)).1
    let pages = try ManPage.all.map { path in
      let lines = try Repository.contents(path).split(separator: "\n").prefix { $0 != ".Sh DESCRIPTION" }
      return lines.filter { $0.hasPrefix(".Nm ") || $0.hasPrefix(".Nd ") }.joined(separator: " ").lowercased()
    }
    let searches = list.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(searches.count >= 30 && pages.count >= 14 && pages.allSatisfy { $0.contains(".nd ") })
    for words in searches {
      #expect(pages.contains { page in words.allSatisfy(page.contains) }, "no page for \(words)")
    }
  }

  /// The examples of a page run one after another in an empty folder, as a reader would type them.
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
}
