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

  func write(_ kind: LineKind, _ label: [UInt8], _ value: JSONValue, to output: inout ByteWriter) {
    // The opened containers, each with its next child.
    var open: [(children: JSONChildren, next: JSONChildren.Child?, close: [UInt8])] = []
    func line(_ text: [UInt8], _ comma: Bool, to output: inout ByteWriter) {
      let indentation = [UInt8](repeating: UInt8(ascii: " "), count: 2 * open.count)
      write(kind, indentation + text + (comma ? [UInt8(ascii: ",")] : []), to: &output)
    }
    func begin(_ label: [UInt8], _ value: JSONValue, to output: inout ByteWriter) {
      guard value.kind.isContainer, value.range.count > Self.width, open.count < Self.deepestLine else {
        return line(label + ShownText.of(value, upTo: Self.longestString), open.last?.next != nil, to: &output)
      }
      let isObject = value.kind == .object
      line(label + [isObject ? UInt8(ascii: "{") : UInt8(ascii: "[")], false, to: &output)
      var children = value.children
      let first = children.next()
      open.append((children, first, [isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")]))
    }
    begin(label, value, to: &output)
    while let top = open.indices.last {
      if let child = open[top].next {
        open[top].next = open[top].children.next()
        begin(child.key.map(Self.label) ?? [], child.value, to: &output)
      } else {
        let close = open.removeLast().close
        line(close, open.last?.next != nil, to: &output)
      }
    }
  }

  /// A member's name as it stands before its value.
  static func label(_ name: JSONValue) -> [UInt8] { ShownText.of(name, upTo: longestString) + Array(": ".utf8) }
}
