// Changes of the input that make it well-formed again, so that no element is lost (--on-error repair). Every form of the
// output gets the changed text. Each kind of error that can be repaired has one function here, or is a tag (TagRepair).

import FeedCore

/// What to do about an error.
enum RepairStep {
  /// It cannot be repaired.
  case none
  /// More bytes are needed to decide.
  case more
  case edit(Repair)
  /// Another document begins here.
  case nextDocument
  /// It cannot be repaired: the element that must not be lost has no end.
  case unclosed
}

extension RepairStep {
  static func edit(_ range: Range<Int>, _ replacement: StaticString) -> RepairStep {
    .edit(Repair(range, replacement))
  }

  /// Repairs an error in the text of an element, at its first byte.
  static func text(_ bytes: borrowing Span<UInt8>, at start: Int, isLast: Bool) -> RepairStep {
    switch bytes[start] {
    case UInt8(ascii: "&"): .edit(reference(bytes, at: start))
    case UInt8(ascii: "]"): .edit((start + 2)..<(start + 3), "&gt;")
    default: character(bytes, at: start, isLast: isLast)
    }
  }

  /// Repairs an error in a comment, a CDATA section or a processing instruction.
  static func markup(_ bytes: borrowing Span<UInt8>, at start: Int, isLast: Bool) -> RepairStep {
    // `--` in a comment.
    if bytes[start] == UInt8(ascii: "-") { return .edit(start..<(start + 1), "- ") }
    return character(bytes, at: start, isLast: isLast)
  }

  /// Repairs an end tag that is wrong, or not that of the innermost element. The elements inside the one that it names
  /// end before it. If it names none, it goes.
  /// - Parameter outermost: the depth of the outermost element that must not be lost; nil if there is none.
  static func endTag(
    _ bytes: borrowing Span<UInt8>, at start: Int, isLast: Bool, _ elements: inout OpenElements, outermost: Int?
  ) -> RepairStep {
    guard elements.beyondLimit == 0, let tag = EndTag(bytes, at: start) else { return .none }
    if tag.end == nil, tag.name.isEmpty { return .edit(start..<(start + 1), "&lt;") }
    let name = array(bytes, tag.name)
    // If another tag begins before its end, it ends with its name.
    let end = tag.end ?? tag.name.upperBound
    guard let depth = elements.depth(of: name, in: bytes) else {
      return outermost == nil ? .none : removal(bytes, start..<end, isLast: isLast)
    }
    if let outermost, depth < outermost { return .unclosed }
    let missing = elements.endTags(below: depth, in: bytes)
    if tag.end != nil, array(bytes, tag.name.upperBound..<(end - 1)).allSatisfy(\.isWhiteSpace) {
      return .edit(Repair(start..<start, missing))
    }
    return .edit(Repair(start..<end, missing + Array("</".utf8) + name + [UInt8(ascii: ">")]))
  }

  /// Takes a tag out of a text, which must not become `]]>`.
  private static func removal(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, isLast: Bool) -> RepairStep {
    let (start, end) = (range.lowerBound, range.upperBound)
    guard start > 1, bytes[start - 1] == UInt8(ascii: "]") else { return .edit(range, "") }
    guard isLast || end + 1 < bytes.count else { return .more }
    if startsWith(bytes, "]>", at: end) == .yes { return .edit(start..<(end + 2), "]&gt;") }
    if bytes[start - 2] == UInt8(ascii: "]"), startsWith(bytes, ">", at: end) == .yes {
      return .edit(start..<(end + 1), "&gt;")
    }
    return .edit(range, "")
  }

  /// Repairs the `&` of a wrong reference, or of none. An entity of HTML becomes its character, any other is text. A
  /// number that is not a character of XML becomes U+FFFD.
  static func reference(_ bytes: borrowing Span<UInt8>, at start: Int) -> Repair {
    if let end = (try? XMLReference.end(bytes, from: start + 1)) ?? nil {
      let inside = array(bytes, (start + 1)..<(end - 1))
      if let code = HTMLEntities.character(inside) { return Repair(start..<end, text(code)) }
      if inside.first == UInt8(ascii: "#"), XMLReference.code(inside.dropFirst()) != nil {
        return Repair(start..<end, text(replacementCharacter))
      }
    }
    return Repair(start..<(start + 1), "&amp;")
  }

  /// Repairs a byte that begins no character of XML. If the text should be UTF-8, it was probably meant as windows-1252.
  static func character(_ bytes: borrowing Span<UInt8>, at start: Int, isLast: Bool) -> RepairStep {
    var count = 1
    var code = replacementCharacter
    let byte = bytes[start]
    // At the end of the input it is not wrong, but cut off with its element.
    if case .cut = XMLCharacters.at(bytes, start) { return isLast ? .none : .more }
    if byte >= 0x80 {
      code = windows1252(byte)
      // U+FFFE, U+FFFF and halves of surrogate pairs are three bytes, which are no text of windows-1252.
      if byte == 0xED || byte == 0xEF {
        guard isLast || start + 2 < bytes.count else { return .more }
        if isWrongCharacter(bytes, at: start) { (code, count) = (replacementCharacter, 3) }
      }
    }
    return .edit(Repair(start..<(start + count), text(code)))
  }

  /// Whether three bytes have the form of a character of UTF-8. The caller knows that it is none.
  private static func isWrongCharacter(_ bytes: borrowing Span<UInt8>, at start: Int) -> Bool {
    guard start + 2 < bytes.count, UTF8.isContinuation(bytes[start + 2]) else { return false }
    return UTF8.isContinuation(bytes[start + 1])
  }

  private static let replacementCharacter: UInt32 = 0xFFFD

  /// The character that a byte of windows-1252 stands for; U+FFFD if it stands for none, or for a byte that was no
  /// character of another encoding.
  private static func windows1252(_ byte: UInt8) -> UInt32 {
    if byte == TextConverter.illegal { return replacementCharacter }
    let code = SingleByteTable.windows1252.code(byte)
    return (0x80..<0xA0).contains(code) ? replacementCharacter : UInt32(code)
  }

  private static func text(_ code: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    UTF8Sequence.append(code, to: &bytes)
    return bytes
  }
}

// Which repair fits an error, from where the tokenizer is.

extension XMLTokenizer {
  /// How to repair the error that `next` has thrown. Then it goes on from the same offset.
  /// - Parameter outermost: the depth of the outermost element that must not be lost; nil if there is none.
  mutating func repair(
    _ error: XMLError, _ bytes: borrowing Span<UInt8>, isLast: Bool, outermost: Int?
  ) -> RepairStep {
    if isLast, error.offset >= bytes.count { return .unclosed }
    if offset >= bytes.count { return .none }
    if scanner.isInside { return .markup(bytes, at: offset, isLast: isLast) }
    let isContent = phase == .content
    guard bytes[offset] == UInt8(ascii: "<"), offset + 1 < bytes.count else {
      return isContent ? .text(bytes, at: offset, isLast: isLast) : .none
    }
    switch bytes[offset + 1] {
    case UInt8(ascii: "/"):
      return isContent ? .endTag(bytes, at: offset, isLast: isLast, &elements, outermost: outermost) : .none
    case UInt8(ascii: "!"), UInt8(ascii: "?"):
      let step = RecoveryStep.after(bytes, at: offset, phase, document, isSingle: isSingle)
      if case .nextDocument = step { return isContent ? .none : .nextDocument }
      return isContent ? .edit(offset..<(offset + 1), "&lt;") : .none
    default:
      // At the `<` itself, it is a limit. Elements without an end are nested deeper and deeper.
      if error.offset == offset, isAtDepthLimit { return .unclosed }
      return phase == .epilog || error.offset == offset ? .none : repairStartTag(bytes, isLast: isLast)
    }
  }

  private mutating func repairStartTag(_ bytes: borrowing Span<UInt8>, isLast: Bool) -> RepairStep {
    var limit = min(bytes.count, offset + TagRepair.maxSuspect)
    // Where nothing looks like markup inside the tag, its end is certain, and may come late.
    do {
      guard let end = try scanner.tokenEnd(bytes, .tag, isLast) else { return .more }
      limit = max(limit, end)
    } catch {
      if isLast, error.offset >= bytes.count { return .none }
    }
    let ifNoTag = phase == .content ? RepairStep.edit(offset..<(offset + 1), "&lt;") : .none
    let mayGoOn = limit < offset + TagRepair.maxSuspect && !isLast
    return TagRepair.run(
      bytes, at: offset, limit: limit, ifNoTag: ifNoTag, ifCut: mayGoOn ? .more : ifNoTag, &document)
  }
}
