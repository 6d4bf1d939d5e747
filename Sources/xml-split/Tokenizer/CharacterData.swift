// What stands between tags: text with its references, comments, CDATA sections, processing instructions. It is judged as
// it comes, and need not be there as a whole.

import FeedCore

extension XMLTokenizer {
  /// Judges text up to the next `<`.
  /// - Returns: false when more is needed.
  mutating func text(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Bool {
    var index = offset
    defer { offset = max(offset, index) }
    while true {
      index = XMLText.plainEnd(bytes, index)
      guard index < bytes.count else { return true }
      switch bytes[index] {
      case UInt8(ascii: "<"): return true
      case UInt8(ascii: "]"):
        guard index + 2 < bytes.count else {
          // `]]` at the very end of what is there may become the `]]>` that text must not hold.
          let isBracket = index + 1 == bytes.count || bytes[index + 1] == UInt8(ascii: "]")
          if isLast || !isBracket {
            index += 1
            continue
          }
          return false
        }
        if bytes[index + 1] == UInt8(ascii: "]"), bytes[index + 2] == UInt8(ascii: ">") {
          throw XMLError("']]>' in text", at: index)
        }
        index += 1
      case UInt8(ascii: "&"):
        if search == nil, let reference = XMLReference.simple(bytes, at: index) {
          index = reference.end
          continue
        }
        offset = index
        guard let end = try reference(bytes, isLast) else { return false }
        index = end
        offset = end
      default:
        if encoding == .utf8 {
          let end = XMLCharacters.wideEnd(bytes, index)
          if end > index {
            index = end
            continue
          }
        }
        switch XMLCharacters.at(bytes, index, encoding) {
        case .character(_, let count): index += count
        case .illegal: throw illegal(bytes, index)
        case .cut:
          if isLast { throw illegal(bytes, index) }
          return false
        }
      }
    }
  }

  private func illegal(_ bytes: borrowing Span<UInt8>, _ index: Int) -> XMLError {
    XMLText.illegal(bytes, index, encoding)
  }

  /// Judges the reference at `offset`.
  /// - Returns: the offset behind it; nil when more is needed.
  private mutating func reference(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Int? {
    guard let end = try tokenEnd(bytes, .reference, isLast) else { return nil }
    switch try XMLReference(bytes, offset..<end, encoding) {
    case .character: break
    case .entity(let name):
      let name = SingleByte.utf8(name, encoding)
      if isFragment { references.inContent.append(name) } else { try entities.check(name, in: .content, at: offset) }
    }
    return end
  }

  /// Judges the references in the attributes of the tag.
  mutating func judgeReferences(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
    for attribute in tag.attributes where attribute.hasReferences {
      for (name, offset) in try XMLReference.entities(in: bytes, attribute.value, encoding) {
        let name = SingleByte.utf8(name, encoding)
        if isFragment {
          references.inAttributes.append(name)
        } else {
          try entities.check(name, in: .attribute, at: offset)
        }
      }
    }
  }

  // MARK: What is not markup

  /// Judges what stands in the markup that is open, up to its end.
  /// - Returns: false when more is needed.
  mutating func pass(
    _ markup: Open, _ bytes: borrowing Span<UInt8>, _ isLast: Bool
  ) throws(XMLError) -> Bool {
    let end = markup.end
    search: while try skip(to: end.first, bytes, isLast) {
      switch startsWith(bytes, end.text, at: offset) {
      case .yes:
        offset += end.text.utf8CodeUnitCount
        open = .nothing
        return true
      case .cut: break search
      case .no: break
      }
      if markup == .comment, startsWith(bytes, "--", at: offset) == .yes {
        throw XMLError("'--' in a comment", at: offset)
      }
      offset += 1
    }
    if isLast { throw XMLError("the input ends inside \(markup.shown)", at: bytes.count) }
    return false
  }

  mutating func instructionStart(_ bytes: borrowing Span<UInt8>, _ isLast: Bool) throws(XMLError) -> Step {
    guard let end = try tokenEnd(bytes, .target, isLast) else { return .more }
    try XMLText.checkTarget(bytes, (offset + 2)..<end, encoding)
    if !bytes[end].isWhiteSpace {
      let isMark = bytes[end] == UInt8(ascii: "?")
      if isMark, end + 1 == bytes.count {
        if isLast { throw XMLError("the input ends inside a processing instruction", at: bytes.count) }
        return .more
      }
      guard isMark, bytes[end + 1] == UInt8(ascii: ">") else {
        throw XMLError("expected white space or '?>' after the target of a processing instruction", at: end)
      }
    }
    open = .instruction
    offset = end
    return .again
  }

  /// Judges characters up to the next `stop`.
  /// - Returns: false when that has not come.
  private mutating func skip(
    to stop: UInt8, _ bytes: borrowing Span<UInt8>, _ isLast: Bool
  ) throws(XMLError) -> Bool {
    while offset < bytes.count {
      offset = XMLText.plainEnd(bytes, offset, stop: stop)
      guard offset < bytes.count else { return false }
      if bytes[offset] == stop { return true }
      switch XMLCharacters.at(bytes, offset, encoding) {
      case .character(_, let count): offset += count
      case .illegal: throw illegal(bytes, offset)
      case .cut:
        if isLast { throw illegal(bytes, offset) }
        return false
      }
    }
    return false
  }
}
