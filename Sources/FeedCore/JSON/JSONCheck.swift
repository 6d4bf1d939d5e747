/// Checks a text for which nobody needs a tape. A tape can need as much memory as the text.
package enum JSONCheck {
  /// The kind of the document that is all of a text, with white space around it; nil if the text is not valid: then
  /// parsing it tells why.
  /// - Parameters:
  ///   - maxDepth: how many containers may be open at once.
  ///   - hasComments: whether the text may be JSONC.
  package static func kind(
    of text: [UInt8], maxDepth: Int = JSONScanner.defaultMaxDepth, hasComments: Bool = false
  ) -> JSONKind? {
    let bytes = hasComments ? JSONComments.blanked(text) : text
    let span = bytes.span
    var scanner = JSONScanner(maxDepth: maxDepth, keepsTape: false)
    do { guard try scanner.scan(span, isLast: true) else { return nil } } catch { return nil }
    for index in scanner.offset..<span.count where !span[index].isWhiteSpace { return nil }
    return TapeWord.kind(scanner.tape[0])
  }
}
