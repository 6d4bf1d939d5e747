// The trees of wanted elements, made while these are read.

import FeedCore

extension XMLTokenizer {
  /// Records the element of the last start tag or empty tag, if it is not already recorded inside another one.
  /// - Returns: its place for `finish`.
  mutating func record(_ token: Token, _ bytes: borrowing Span<UInt8>) -> Int {
    if !tape.isRecording { tape.begin(token.name, attributes, token.range, isEmpty: token.kind == .emptyTag, bytes) }
    return tape.last
  }

  /// Stops recording, except for the element at `node` and those inside it.
  mutating func stopRecording(before node: Int?) {
    if let node { tape.forget(before: node) } else { tape.stop() }
  }

  /// Completes the tree of a recorded element: `tape.finished`.
  mutating func finish(
    _ node: Int, _ bytes: borrowing Span<UInt8>, _ range: Range<Int>, in namespaces: Namespaces
  ) {
    tape.finish(node, bytes, range, in: namespaces)
  }

  /// Forgets what is in scope in the finished tree.
  mutating func releaseNamespaces() { tape.releaseNamespaces() }

  /// The tree of a complete element.
  static func tree(of element: [UInt8], in namespaces: Namespaces) throws(XMLError) -> ElementTree {
    var tokenizer = ofEntity()
    var node: Int?
    while let token = try tokenizer.next(element.span, isLast: true, deepest: 1) {
      if node == nil { node = tokenizer.record(token, element.span) }
    }
    if let node { tokenizer.finish(node, element.span, 0..<element.count, in: namespaces) }
    return tokenizer.tape.finished
  }
}
