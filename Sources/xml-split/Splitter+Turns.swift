// Where the encoding of the input changes. What follows is in the window already, decoded as if it had not: it is taken
// back and decoded again. A document in an encoding that its XML declaration names is converted from there on; the next
// document is in UTF-8 again, unless it says otherwise.

import FeedCore

/// How the bytes from an offset on must be decoded.
enum Turn {
  /// As a document in any encoding: after a form feed.
  case document(at: Int)
  /// As a document in UTF-8, unless its XML declaration names another encoding.
  case plainDocument(at: Int)
  /// From the encoding that the document has named.
  case converted(at: Int)
}

extension Splitter {
  /// Checks whether the encoding changes where a document begins.
  mutating func turn(atDocument start: Range<Int>, _ source: InputSource) -> Turn? {
    if source.isConverting { return plainTurn(at: start.lowerBound) }
    table = nil
    return tokenizer.document.charset == .utf8 ? nil : .converted(at: start.upperBound)
  }

  /// Checks whether a tokenizer error is only there because a byte order mark was converted. It stands between two
  /// documents, whatever the first is in.
  mutating func turn(atMark offset: Int, _ source: InputSource) -> Turn? {
    guard source.isConverting, tokenizer.isBetweenDocuments, !options.isSingle, source.hasMark(at: offset, window)
    else { return nil }
    return plainTurn(at: offset)
  }

  /// The document begins again, with the same bytes.
  private mutating func plainTurn(at start: Int) -> Turn {
    tokenizer = Self.tokenizer(options, at: start)
    return .plainDocument(at: start)
  }

  /// Decodes what follows in another way.
  mutating func take(_ turn: Turn, of source: inout InputSource) throws(XMLError) {
    switch turn {
    case .document(let start): source.beginDocument(at: start, &window)
    case .plainDocument(let start): source.beginPlainDocument(at: start, &window)
    case .converted(let start):
      let document = tokenizer.document
      let charset = options.atError == .repair ? document.charset.assumed : document.charset
      try source.convert(charset, named: document.charsetName, from: start, &window)
      table = source.table
    }
    feedless = min(feedless, window.bytes.count)
  }
}
