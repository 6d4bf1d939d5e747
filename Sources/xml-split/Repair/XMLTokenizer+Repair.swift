// Which repair fits an error, from where the tokenizer is.

import FeedCore

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
    switch TagRepair.run(bytes, at: offset, limit: limit, &document) {
    case .tag(let tag, let end): return .edit(Repair(offset..<end, tag))
    case .unchanged: return .none
    case .cut where limit < offset + TagRepair.maxSuspect && !isLast: return .more
    case .cut, .text: return phase == .content ? .edit(offset..<(offset + 1), "&lt;") : .none
    }
  }
}
