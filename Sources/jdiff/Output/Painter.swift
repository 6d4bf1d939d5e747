// The lines of the view: a sign for each kind, and its colour.

import FeedCore

/// What a line is.
enum LineKind {
  case heading, gone, come, left, arrived, same

  var sign: String {
    switch self {
    case .heading: "@ "
    case .gone, .left: "- "
    case .come, .arrived: "+ "
    case .same: "  "
    }
  }

  /// The colour of the line, and of the words in it that changed; nil for none.
  var colors: (line: Rendition, words: Rendition)? {
    switch self {
    case .heading: (.cyan, .cyan)
    case .gone: (.red, .redReversed)
    case .come: (.green, .greenReversed)
    case .left, .arrived: (.yellow, .yellow)
    case .same: nil
    }
  }
}

/// A part of a line.
struct LinePart {
  let text: [UInt8]
  /// Whether it is a part of a string in which not everything changed.
  var isChangedWord = false
}

struct Painter {
  let isColored: Bool

  func write(_ kind: LineKind, _ text: [UInt8], to output: inout ByteWriter) {
    write(kind, [LinePart(text: text)], to: &output)
  }

  func write(_ kind: LineKind, _ pieces: [LinePart], to output: inout ByteWriter) {
    var run = Array(kind.sign.utf8)
    var isWord = false
    func end(_ run: [UInt8], _ isWord: Bool, to output: inout ByteWriter) {
      guard isColored, let colors = kind.colors else { return output.append(run) }
      output.append((isWord ? colors.words : colors.line).applied(to: run))
    }
    for piece in pieces where !piece.text.isEmpty {
      if piece.isChangedWord != isWord {
        end(run, isWord, to: &output)
        (run, isWord) = ([], piece.isChangedWord)
      }
      run += piece.text
    }
    end(run, isWord, to: &output)
    output.endLine()
  }
}

/// A value that was added or removed, for people: on one line if it is short. Otherwise each member and item has a line,
/// and the same holds for these:
///
///     + [2] {
///     +   "title": "A quiet day at sea",
///     +   "geometry": {"type":"Point","coordinates":[13.4,52.5]}
///     + }
extension Painter {
  /// A longer container has several lines.
  static let width = 72
  /// A longer string is shown without its middle.
  static let longestString = 1024
  /// Deeper containers have one line. Otherwise n nested brackets would produce n² blanks.
  private static let deepestLine = 100

  /// An opened container.
  private struct OpenedContainer {
    private var children: JSONChildren
    private(set) var next: JSONChildren.Child?
    let brackets: (open: String, close: String)

    init(_ value: JSONValue) {
      children = value.children
      next = children.next()
      brackets = value.kind == .object ? ("{", "}") : ("[", "]")
    }

    mutating func take() -> JSONChildren.Child? {
      defer { next = children.next() }
      return next
    }
  }

  func write(_ kind: LineKind, _ label: [UInt8], _ value: JSONValue, to output: inout ByteWriter) {
    var open: [OpenedContainer] = []
    func line(_ text: [UInt8], to output: inout ByteWriter) {
      let comma = open.last?.next == nil ? "" : ","
      let indentation = [UInt8](repeating: UInt8(ascii: " "), count: 2 * open.count)
      write(kind, indentation + text + Array(comma.utf8), to: &output)
    }
    func begin(_ label: [UInt8], _ value: JSONValue, to output: inout ByteWriter) {
      guard value.kind.isContainer, value.range.count > Self.width, open.count < Self.deepestLine else {
        return line(label + ShownText.of(value, upTo: Self.longestString), to: &output)
      }
      let level = OpenedContainer(value)
      let indentation = [UInt8](repeating: UInt8(ascii: " "), count: 2 * open.count)
      write(kind, indentation + label + Array(level.brackets.open.utf8), to: &output)
      open.append(level)
    }
    begin(label, value, to: &output)
    while !open.isEmpty {
      if let child = open[open.count - 1].take() {
        begin(child.key.map(Self.label) ?? [], child.value, to: &output)
      } else {
        line(Array(open.removeLast().brackets.close.utf8), to: &output)
      }
    }
  }

  /// A member's name as it stands before its value.
  static func label(_ name: JSONValue) -> [UInt8] { ShownText.of(name, upTo: longestString) + Array(": ".utf8) }
}
