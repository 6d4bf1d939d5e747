import FeedCore

/// The texts of the entities that a document declares, for JSON and fields. Only plain text is put into the output: an
/// entity whose text has markup, even through other entities, is not.
///
/// Each text is made once, and there is a limit for what is made for a document and for what is put into a record. So a
/// billion laughs cost no more than that.
final class EntityTexts {
  /// What takes the place of an entity, once it is known.
  private enum Text {
    case plain([UInt8])
    case markup
    /// Unknown, or part of itself.
    case other
    case tooLong
  }

  private let kinds: [[UInt8]: XMLEntities.Kind]
  private let limit: Int
  private var texts: [[UInt8]: Text] = [:]
  /// How many more bytes of text may be made.
  private var left: Int
  /// How many more bytes may be put into this record.
  private var leftInRecord = 0

  /// How many times the limit of a record is made for a document.
  private static let documentFactor = 4

  /// Knows no entity.
  convenience init() { self.init([:], limit: 0) }

  /// - Parameters:
  ///   - limit: the most bytes that are put into a record.
  init(_ kinds: [[UInt8]: XMLEntities.Kind], limit: Int) {
    self.kinds = kinds
    self.limit = limit
    left = limit.multipliedReportingOverflow(by: Self.documentFactor).overflow ? .max : limit * Self.documentFactor
  }

  /// An element with texts in place of references.
  /// - Parameter element: in UTF-8.
  /// - Returns: nil if it has no references to entities that need a declaration.
  func expanded(_ element: [UInt8]) throws(XMLError) -> [UInt8]? {
    leftInRecord = limit
    let bytes = element.span
    var result: [UInt8] = []
    var copied = 0
    for (name, offset) in try ElementPiece.entities(in: bytes) {
      result.append(span: bytes.extracting(copied..<offset))
      Self.append(try text(of: name, at: offset), to: &result)
      // After the `&`, the name and the `;`.
      copied = offset + name.count + 2
    }
    if copied == 0 { return nil }
    result.append(span: bytes.extracting(copied..<bytes.count))
    return result
  }

  /// Appends a text so that it means itself, also in an attribute.
  private static func append(_ text: [UInt8], to result: inout [UInt8]) {
    for byte in text {
      if byte == 0xD || "<>&\"'".utf8.contains(byte) {
        result += Array("&#\(byte);".utf8)
      } else {
        result.append(byte)
      }
    }
  }

  /// The text that takes the place of a reference.
  /// - Parameter offset: that of the reference.
  private func text(of name: [UInt8], at offset: Int) throws(XMLError) -> [UInt8] {
    if texts[name] == nil { make(name) }
    let tooLong = XMLError("an element with more than \(limit) bytes of entity text", at: offset)
    switch texts[name] {
    case .plain(let text):
      leftInRecord -= text.count
      if leftInRecord < 0 { throw tooLong }
      return text
    case .tooLong: throw tooLong
    case .markup:
      let what = "entity '\(shortened(name))' has markup, so it is not expanded"
      throw XMLError(what + " (--entities literal)", at: offset)
    case .other, nil: throw .entity(name, at: offset)
    }
  }

  // MARK: Making texts

  /// An entity whose text is being made.
  private struct Draft {
    let name: [UInt8]
    /// As declared.
    let source: [UInt8]
    /// How much of that has been read.
    var index = 0
    var text: [UInt8] = []
  }

  /// Makes the text of an entity, and of those that it refers to.
  private func make(_ name: [UInt8]) {
    var way: [Draft] = []
    enter(name, &way)
    while var draft = way.popLast() {
      guard let reference = read(&draft) else {
        finish(draft)
        continue
      }
      switch texts[reference.name] {
      case nil:
        // Read again from the reference when its text is known.
        way.append(draft)
        enter(reference.name, &way)
      case .plain(let text):
        draft.text += text
        draft.index = reference.end
        left -= text.count
        if left < 0 { texts[draft.name] = .tooLong } else { way.append(draft) }
      case .markup: texts[draft.name] = .markup
      case .other: texts[draft.name] = .other
      case .tooLong: texts[draft.name] = .tooLong
      }
    }
  }

  private func enter(_ name: [UInt8], _ way: inout [Draft]) {
    // This remains if it refers to itself.
    texts[name] = .other
    if case .text(let source) = kinds[name] { way.append(Draft(name: name, source: source)) }
  }

  /// Reads on, up to a reference to an entity without a text of its own.
  /// - Returns: nil at the end, or at markup.
  private func read(_ draft: inout Draft) -> (name: [UInt8], end: Int)? {
    let source = draft.source
    let span = source.span
    while draft.index < span.count, span[draft.index] != UInt8(ascii: "<") {
      guard span[draft.index] == UInt8(ascii: "&") else {
        let stop = XMLText.firstOf(
          UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "&"), in: span, from: draft.index)
        draft.text.append(span: span.extracting(draft.index..<stop))
        draft.index = stop
        continue
      }
      guard let end = (try? XMLReference.end(span, from: draft.index + 1)) ?? nil else { return nil }
      switch try? XMLReference(span, draft.index..<end) {
      case nil: return nil
      case .character(let code): UTF8Sequence.append(code, to: &draft.text)
      case .entity(let name):
        guard let byte = XMLReference.predefined(name) else { return (name, end) }
        draft.text.append(byte)
      }
      draft.index = end
    }
    return nil
  }

  private func finish(_ draft: Draft) {
    left -= draft.source.count
    guard draft.index == draft.source.count else { return texts[draft.name] = .markup }
    texts[draft.name] = left < 0 || draft.text.count > limit ? .tooLong : .plain(draft.text)
  }
}
