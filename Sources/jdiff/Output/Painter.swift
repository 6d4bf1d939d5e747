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
