import Foundation
import TestSupport

/// A manual page, parsed from its mdoc source as far as the tests need it.
struct ManPage {
  /// A display of commands with their output, as on a terminal: `$` starts a command, `>` continues it.
  struct Display {
    let line: Int
    /// On the lines before the display can be comments: what must have been done before, `.\" after: COMMAND`, and the
    /// server of its commands, `.\" url: URL SERVER`. SERVER runs each command with `$url`, and fills in `{0}`.
    let steps: [Transcript.Step]
    /// Why it cannot be run here: from a comment `.\" not run: needs a network` before the display.
    let notRun: String?
  }

  private(set) var sections: [String] = []
  /// The options that it describes, each with its default, and what it needs and excludes, from its item and from the
  /// text above its list:
  ///
  ///     The default is 64M.  Needs --raw.  Needs a URL or --print-next.
  ///     Excludes --quiet and --text.  Has no meaning with --follow.
  private(set) var options: [ListedOption] = []
  /// Those of `options` that it only names, because `shared` describes them, without their dashes. They stand in a list
  /// after "feedutils-request(7) describes these:". Sentences after the list say what differs in this tool:
  ///
  ///     The default of --retries is 5.  --notes needs --records.  --reconnect and --notes have no meaning with --raw.
  private(set) var named: Set<String> = []
  private(set) var displays: [Display] = []

  /// The page of the options that several tools have.
  static let shared = "man/feedutils-request.7"

  /// Every page, by its path.
  static let all: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Repository.path("man"))) ?? []
    return names.filter { $0.wholeMatch(of: /.*\.[1-8]/) != nil }.sorted().map { "man/" + $0 }
  }()

  init(_ path: String) throws {
    let lines = try Repository.contents(path).components(separatedBy: "\n")
    var heading = ""
    /// The text from the last heading to the list of its options.
    var above = ""
    /// Whether this is in a list of names, and the text after such a list.
    var isNaming = false
    var below = ""
    func endSection() {
      for place in options.indices where options[place].group == heading && named.contains(options[place].name) {
        Self.read(below, aboutNamed: &options[place])
      }
      below = ""
    }
    var index = 0
    while index < lines.count {
      let line = lines[index]
      if line.hasPrefix(".Sh ") {
        endSection()
        sections.append(String(line.dropFirst(4)))
      } else if line.hasPrefix(".Ss ") {
        endSection()
        (heading, above) = (String(line.dropFirst(4)), "")
      } else if line.hasPrefix(".It Fl "), var option = Self.option(line) {
        let item = lines[(index + 1)...].prefix { next in ![".It Fl ", ".Ss ", ".Sh "].contains(where: next.hasPrefix) }
        option.group = heading
        Self.read(Self.plain(item), into: &option)
        Self.read(above, into: &option)
        option.needs = option.needs.filter { !$0.contains("--" + option.name) }
        options.append(option)
      } else if isNaming {
        for var option in Self.names(line) {
          option.group = heading
          Self.read(above, into: &option)
          options.append(option)
          named.insert(option.name)
        }
        isNaming = line != ".El"
      } else if line == "describes these:", lines[index - 1] == ".Xr feedutils-request 7" {
        isNaming = true
      } else if line.hasPrefix(".Bd -literal") {
        let body = Array(lines[(index + 1)...].prefix { $0 != ".Ed" })
        let comments = lines[..<index].reversed().prefix { $0.hasPrefix(#".\""#) }
        func comment(_ mark: String) -> String? {
          comments.first { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
        }
        let notRun = comment(#".\" not run: "#)
        if body.first?.hasPrefix("$ ") == true {
          let first = comment(#".\" after: "#).map { [Transcript.Step(line: index, command: $0)] } ?? []
          var steps = first + Self.steps(body.map(Self.unescaped), from: index + 2)
          if let server = comment(#".\" url: "#) { steps = steps.map { Self.served($0, by: server) } }
          displays.append(Display(line: index + 1, steps: steps, notRun: notRun))
        }
        index += body.count
      } else if sections.last == "DESCRIPTION", options.last?.group != heading {
        above += Self.plain([line])
      } else {
        below += Self.plain([line])
      }
      index += 1
    }
  }

  // MARK: Options

  /// `.It Fl e , Fl -expression Ar JSON`
  private static func option(_ line: String) -> ListedOption? {
    let words = line.split(separator: " ").map { unescaped(String($0)) }
    guard let long = words.firstIndex(where: { $0.hasPrefix("-") }), words[long - 1] == "Fl" else { return nil }
    let value = words[(long + 1)...].filter { $0 != "Ar" && $0 != "Cm" }.joined()
    let isShort = words[2] != words[long]
    return ListedOption(
      letter: isShort ? words[2] : nil, name: String(words[long].dropFirst()), value: value.isEmpty ? nil : value,
      group: "")
  }

  /// `.Fl H -header , -netrc`
  private static func names(_ line: String) -> [ListedOption] {
    guard line.hasPrefix(".Fl ") else { return [] }
    return line.dropFirst(4).split(separator: ",").compactMap { part in
      let words = part.split(separator: " ").map { unescaped(String($0)) }.filter { $0 != "Fl" }
      guard let long = words.last, long.hasPrefix("-"), words.count <= 2 else { return nil }
      return ListedOption(
        letter: words.count == 2 ? words[0] : nil, name: String(long.dropFirst()), value: nil, group: "")
    }
  }

  /// The text of lines without their macros: `.Fl -raw .` is `--raw.`
  private static func plain(_ lines: some Sequence<String>) -> String {
    var text = ""
    for line in lines where !line.hasPrefix(#".\""#) {
      var words = line.split(separator: " ").map { unescaped(String($0)) }
      if line.hasPrefix(".") { words[0].removeFirst() }
      var isFlag = false
      for word in words {
        if line.hasPrefix("."), word.wholeMatch(of: /[A-Z][a-z]/) != nil {
          isFlag = word == "Fl"
        } else {
          let isPunctuation = word.wholeMatch(of: /[.,;:]/) != nil
          text += (isPunctuation ? "" : " ") + (isFlag && !isPunctuation ? "-" : "") + word
          if isPunctuation { isFlag = false }
        }
      }
    }
    return text
  }

  private static let condition = #"(?:a URL|--[a-z0-9-]+(?: [a-z-]+(?=[.,]| and| or))?)"#
  private static let list = "\(condition)(?:(?:, or|,| or| and) \(condition))*"

  private static func read(_ text: String, into option: inout ListedOption) {
    if let match = text.firstMatch(of: /default is ([^ ;]+?)[.,;]?(?: |$)/) { option.defaultValue = String(match.1) }
    func lists(_ words: String) -> [[String]] {
      guard let sentence = try? Regex("(?:\(words)) (\(list))\\.", as: (Substring, Substring).self) else { return [] }
      return text.matches(of: sentence).map { match in
        match.1.replacing(#/, or | or | and |, /#, with: "\n").split(separator: "\n").map(String.init)
      }
    }
    option.needs.formUnion(lists("Needs|need"))
    option.excludes.formUnion(lists("Excludes").joined())
    option.meaningless.formUnion(lists("Has no meaning with|have no meaning with").joined())
  }

  /// Reads the sentences about an option that is only named: `--notes needs --records.`
  private static func read(_ text: String, aboutNamed option: inout ListedOption) {
    if let match = text.firstMatch(of: /default of --([a-z0-9-]+) is ([^ ]+?)\.(?: |$)/), match.1 == option.name {
      option.defaultValue = String(match.2)
    }
    let pattern = "((?:--[a-z0-9-]+(?:,| and)? )+)(needs?|has no meaning with|have no meaning with) (\(list))\\."
    guard let sentence = try? Regex(pattern, as: (Substring, Substring, Substring, Substring).self) else { return }
    for match in text.matches(of: sentence) where match.1.contains("--\(option.name) ") {
      let verb = match.2.hasPrefix("need") ? "Needs" : "Has no meaning with"
      read("\(verb) \(match.3).", into: &option)
    }
  }

  // MARK: Displays

  /// A terminal shows both outputs together, and the status only by `echo $?`.
  static func steps(_ body: [String], from first: Int) -> [Transcript.Step] {
    var steps: [Transcript.Step] = []
    var isCommand = false
    var asksStatus = false
    for (index, line) in body.enumerated() {
      if line == "$ echo $?", !steps.isEmpty {
        (isCommand, asksStatus) = (false, true)
      } else if line.hasPrefix("$ ") {
        steps.append(Transcript.Step(line: first + index, command: "exec 2>&1\n" + line.dropFirst(2)))
        (isCommand, asksStatus) = (true, false)
      } else if isCommand, line == ">" || line.hasPrefix("> ") {
        steps[steps.count - 1].command += "\n" + line.dropFirst(2)
      } else if asksStatus {
        steps[steps.count - 1].status = Int32(line) ?? -1
      } else {
        steps[steps.count - 1].output.append(line)
        isCommand = false
      }
    }
    return steps
  }

  /// A step whose command runs by a server, if it has `$url`.
  /// - Parameter server: the URL, with `{0}`, and then a command such as `serve-script '{"body":"1"}'`.
  private static func served(_ step: Transcript.Step, by server: String) -> Transcript.Step {
    let words = server.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2, step.command.contains("$url") else { return step }
    var step = step
    step.command = "\(words[1]) -- sh -c \(Command.quote("url=$1\n" + step.command)) - \(Command.quote(words[0]))"
    return step
  }

  private static func unescaped(_ text: String) -> String {
    [(#"\&"#, ""), (#"\-"#, "-"), (#"\(aq"#, "'"), (#"\(dq"#, "\""), (#"\e"#, #"\"#)].reduce(text) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
  }
}
