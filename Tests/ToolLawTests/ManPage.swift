import Foundation
import TestSupport

/// A manual page, read off its mdoc source as far as the tests ask for it.
struct ManPage {
  /// A display of commands with what they print, as on a terminal: `$` starts a command, `>` goes on with it.
  struct Display {
    let line: Int
    let steps: [Transcript.Step]
    /// Why it cannot be run here: from a comment `.\" not run: needs a network` on the line before the display.
    let notRun: String?
  }

  private(set) var sections: [String] = []
  private(set) var options: [ListedOption] = []
  private(set) var displays: [Display] = []

  /// Every page, by its path.
  static let all: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Repository.path("man"))) ?? []
    return names.sorted().map { "man/" + $0 }
  }()

  init(_ path: String) throws {
    let lines = try Repository.contents(path).components(separatedBy: "\n")
    var index = 0
    while index < lines.count {
      let line = lines[index]
      if line.hasPrefix(".Sh ") {
        sections.append(String(line.dropFirst(4)))
      } else if line.hasPrefix(".It Fl "), let option = Self.option(line) {
        options.append(option)
      } else if line.hasPrefix(".Bd -literal") {
        let body = Array(lines[(index + 1)...].prefix { $0 != ".Ed" })
        let mark = #".\" not run: "#
        let before = index > 0 ? lines[index - 1] : ""
        let notRun = before.hasPrefix(mark) ? String(before.dropFirst(mark.count)) : nil
        if body.first?.hasPrefix("$ ") == true {
          displays.append(Display(line: index + 1, steps: Self.steps(body, from: index + 2), notRun: notRun))
        }
        index += body.count
      }
      index += 1
    }
  }

  /// `.It Fl e , Fl -expression Ar JSON`
  private static func option(_ line: String) -> ListedOption? {
    let words = line.split(separator: " ").map { unescaped(String($0)) }
    guard let long = words.firstIndex(where: { $0.hasPrefix("-") }), words[long - 1] == "Fl" else { return nil }
    let value = words[(long + 1)...].filter { $0 != "Ar" && $0 != "Cm" }.joined()
    let isShort = words[2] != words[long]
    return ListedOption(
      letter: isShort ? words[2] : nil, name: String(words[long].dropFirst()), value: value.isEmpty ? nil : value)
  }

  /// What is shown on a terminal is both outputs together, and the status only when it is asked for, by `echo $?`.
  private static func steps(_ body: [String], from first: Int) -> [Transcript.Step] {
    var steps: [Transcript.Step] = []
    var isCommand = false
    var asksStatus = false
    for (index, source) in body.enumerated() {
      let line = unescaped(source)
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

  private static func unescaped(_ text: String) -> String {
    [(#"\&"#, ""), (#"\-"#, "-"), (#"\(aq"#, "'"), (#"\(dq"#, "\""), (#"\e"#, #"\"#)].reduce(text) {
      $0.replacingOccurrences(of: $1.0, with: $1.1)
    }
  }
}
