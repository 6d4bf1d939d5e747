import Foundation
import TestSupport

@testable import FeedCore
@testable import deliver
@testable import http_cat
@testable import jdiff
@testable import jpatch
@testable import paginate
@testable import sse_cat
@testable import sse_serve
@testable import ws_cat
@testable import xml_split

/// The option tables of the tools, from the tools themselves, and the functions that their main.swift runs.
enum Tables {
  private static let tools: [(table: ToolSpec, run: ToolSpec.Run)] = [
    (deliver::deliver, deliver::run), (httpCat, http_cat::run), (jdiff, jdiff::run), (jpatch, jpatch::run),
    (paginate, paginate::run), (sseCat, sse_cat::run), (sseServe, sse_serve::run), (wsCat, ws_cat::run),
    (xmlSplit, xml_split::run),
  ]

  static let all = tools.map(\.table)

  static func of(_ tool: String) throws -> ToolSpec { try row(of: tool).table }

  static func run(_ tool: String) throws -> ToolSpec.Run { try row(of: tool).run }

  private static func row(of tool: String) throws -> (table: ToolSpec, run: ToolSpec.Run) {
    guard let row = tools.first(where: { $0.table.name == tool }) else { throw NoTable(tool: tool) }
    return row
  }

  struct NoTable: Error { let tool: String }
}

/// An option as listed in the table and in the man page.
struct ListedOption: CustomStringConvertible {
  var letter: String?
  /// Without the dashes.
  var name: String
  /// `FILE`; `a|b` for a choice; nil for an option without a value.
  var value: String?
  var group: String
  var defaultValue: String?
  /// One of each list is needed: `--follow`, or `a URL`.
  var needs: Set<[String]> = []
  /// `--raw`, `--type merge-patch`.
  var excludes: Set<String> = []
  var meaningless: Set<String> = []

  /// `-0 --null, under Output; needs --raw`, without what it excludes.
  var description: String {
    var text = (letter.map { "-\($0) " } ?? "") + "--\(name)" + (value.map { " \($0)" } ?? "") + ", under \(group)"
    if let defaultValue { text += "; default \(defaultValue)" }
    for list in needs.map({ $0.joined(separator: " or ") }).sorted() { text += "; needs \(list)" }
    return text
  }
}

extension ListedOption {
  /// This option of the page of shared options, as the page of a tool has it.
  func changed(by named: ListedOption) -> ListedOption {
    var option = self
    option.group = named.group
    option.defaultValue = named.defaultValue ?? defaultValue
    option.needs.formUnion(named.needs)
    option.excludes.formUnion(named.excludes)
    option.meaningless.formUnion(named.meaningless)
    return option
  }

  /// - Parameter tool: if every command line of it has a URL, no row needs to say that it needs one.
  init(_ row: OptionSpec, of tool: ToolSpec) {
    func phrases(_ kind: OptionRelation.Kind) -> [[String]] {
      row.conditions(kind).map { $0.flatMap(tool.phrases) }.filter { !$0.contains("--" + row.name) }
    }
    let needs = phrases(.needs).filter { !($0 == ["a URL"] && tool.readsURL([])) }
    self.init(
      letter: row.letter.map { String($0) }, name: row.name, value: row.value?.name, group: row.group.heading,
      defaultValue: row.defaultValue, needs: Set(needs), excludes: Set(phrases(.excludes).joined()),
      meaningless: Set(phrases(.meaningless).joined()))
  }
}

extension OptionSpec {
  /// The letter and the name with their dashes.
  var words: [String] { (letter.map { ["-\($0)"] } ?? []) + ["--" + name] }
  var choice: [String]? { if case .words(let words)? = value?.completion { words } else { nil } }
}
