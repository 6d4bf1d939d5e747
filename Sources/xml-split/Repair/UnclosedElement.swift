// An element that has no end contains the elements after it, of the same kind. When that is known, it is lost, but they
// are read again.

import FeedCore

extension Splitter {
  /// Leaves the wanted element that has no end, at the first element in it that has its name.
  /// - Returns: the error; nil if there is no such element, or if too much has been read again already.
  mutating func leaveUnclosed(_ bytes: borrowing Span<UInt8>) -> XMLError? {
    // With --nested, those inside it were written already.
    guard !options.isNested, let record = records.first, let start = firstLike(record, bytes),
      repairs.readAgain(tokenizer.offset - start, at: dropped + tokenizer.offset)
    else { return nil }
    // What is read again has been repaired.
    repairs.end = max(repairs.end, tokenizer.offset)
    tokenizer.goBack(to: start, depth: record.depth - 1)
    tokenizer.stopRecording(before: nil)
    selector.leave(to: record.depth - 1)
    records = []
    deepest = .max
    let name = shortened(array(bytes, (record.start + 1)..<record.nameEnd))
    return XMLError("element '\(name)' has no end tag", at: record.start)
  }

  /// The start of the first child with the name of an open element.
  private func firstLike(_ record: WantedElement, _ bytes: borrowing Span<UInt8>) -> Int? {
    let name = array(bytes, (record.start + 1)..<record.nameEnd)
    var depth = 0
    var index = record.start
    while index < tokenizer.offset {
      let piece = ElementPiece(bytes, at: index)
      let end = piece.end(bytes, from: index)
      switch piece {
      case .text, .delimited: break
      case .endTag: depth -= 1
      case .startTag:
        let nameEnd = index + 1 + name.count
        if depth == 1, nameEnd < end, isName(bytes, (index + 1)..<nameEnd, name), !XMLName.isNameByte(bytes[nameEnd]),
          bytes[nameEnd] < 0x80
        {
          return index
        }
        if bytes[end - 2] != UInt8(ascii: "/") { depth += 1 }
      }
      index = end
    }
    return nil
  }
}
