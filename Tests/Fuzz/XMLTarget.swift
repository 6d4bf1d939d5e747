// The XML tokenizer: cuts change no token, record or error. Every element of an accepted input is itself accepted. Its
// ordered JSON form describes it exactly. Where a form feed ends a document, it is found at once.

func fuzzXML(_ bytes: [UInt8]) {
  let single = XMLReading(bytes, endingPiecesAt: [bytes.count], isSingle: true)
  for isSingle in [true, false] {
    let whole = isSingle ? single : XMLReading(bytes, endingPiecesAt: [bytes.count], isSingle: false)
    for ends in Cuts.ways(bytes) {
      let pieces = XMLReading(bytes, endingPiecesAt: ends, isSingle: isSingle)
      promise(pieces.isAsGood(as: whole), "cut at \(ends): \(pieces), whole: \(whole)")
    }
    // In a stream, the same document is also accepted, but white space before it does not belong to it.
    if single.error == nil {
      let isSame = whole.elements.map(\.bytes) == single.elements.map(\.bytes)
      promise(isSame && whole.error == nil, "\(single), not \(whole)")
    }
    if whole.error == nil { for element in whole.elements.prefix(20) { check(element) } }
  }
  for depth in [0, 1, 3] { checkBlindness(bytes, deepest: depth) }
  let whole = survivors(of: bytes, endingPiecesAt: [bytes.count])
  for ends in Cuts.ways(bytes) {
    let pieces = survivors(of: bytes, endingPiecesAt: ends)
    promise(pieces == whole, "cut at \(ends), behind errors: \(pieces), whole: \(whole)")
  }
  for ends in Cuts.ways(bytes) { checkFormFeed(bytes, endingPiecesAt: ends) }
  let path = Array(bytes.prefix(100))
  if let path = try? XMLPath(path) { promise(!path.steps.isEmpty, "a path of no steps") }
  if let field = try? Field(path) {
    let text = Array("<a b='1' xmlns:p='u'>1<p:b c=''>2</p:b><a><b/>3<b/></a><a p:b='2'/></a>".utf8)
    if let tree = try? XMLTokenizer.tree(of: text, in: Namespaces()) {
      field.forEachMatch(in: tree) { _ in true }
      promise(field.hasMatch(in: tree) == (field.value(in: tree) != nil), "a match without a value")
    }
  }
}

/// The result for a text.
private struct XMLReading {
  struct Element {
    let bytes: [UInt8]
    /// Whether it may refer to declarations before it.
    let mayReferBack: Bool
  }

  /// Each token with its bytes and its start.
  private(set) var tokens: [String] = []
  private(set) var elements: [Element] = []
  private(set) var error: XMLError?
  /// Whether some of it was not in UTF-8.
  private var isConverted = false

  init(_ bytes: [UInt8], endingPiecesAt ends: [Int], isSingle: Bool) {
    var decoder = InputDecoder()
    var tokenizer = XMLTokenizer(isSingle: isSingle)
    var buffer: [UInt8] = []
    // The text that the tokenizer still needs, and the starts of the open elements.
    var text: [UInt8] = []
    var starts: [Int] = []
    var start = 0
    do throws(XMLError) {
      repeat {
        let end = min(ends.first { $0 > start } ?? bytes.count, bytes.count)
        var chunk = bytes[start..<end]
        var isAgain = false
        start = end
        repeat {
          try decoder.decode(chunk, isLast: end == bytes.count, into: &buffer)
          chunk = []
          isAgain = false
          if decoder.isUTF16 { isConverted = true }
          tokenizer.encoding.isUTF16 = decoder.isUTF16
          while let token = try tokenizer.next(buffer.span, isLast: end == bytes.count && !isAgain) {
            let place = text.count + token.range.lowerBound
            tokens.append("\(token.kind) \(place) \(shown(Array(buffer[token.range])))")
            switch token.kind {
            case .startTag, .emptyTag: starts.append(place)
            default: break
            }
            switch token.kind {
            case .endTag, .emptyTag:
              let first = starts.removeLast()
              let element = Array((text + buffer[..<tokenizer.offset])[first...])
              elements.append(Element(bytes: element, mayReferBack: tokenizer.document.hasDocumentType))
            case .documentStart:
              guard tokenizer.encoding.isToConvert, !decoder.isConverting else { break }
              let isKnown = decoder.begin(tokenizer.encoding.charset, at: token.range.upperBound, &buffer)
              promise(isKnown, "an encoding that is not here")
              isConverted = true
              isAgain = true
            default: break
            }
            if isAgain, token.kind == .documentStart { break }
          }
        } while isAgain
        promise(tokenizer.offset <= buffer.count, "past the end of what has come")
        text += buffer[..<tokenizer.offset]
        let passed = tokenizer.offset
        tokenizer.drop(passed, of: buffer.span)
        buffer.removeFirst(passed)
      } while start < bytes.count
      promise(buffer.isEmpty && starts.isEmpty, "accepted without its end")
    } catch {
      promise((0...buffer.count).contains(error.offset), "an error outside the input: \(error)")
      self.error = XMLError(error.message, at: text.count + error.offset)
    }
  }

  /// Whether reading in pieces gives the same result as reading as a whole.
  func isAsGood(as whole: XMLReading) -> Bool {
    // Half a character at the end is found before earlier parts of the same piece are read.
    if isConverted, error != nil { return whole.error != nil && tokens.starts(with: whole.tokens) }
    // The message about a wrong tag may differ if the tag came in pieces.
    return tokens == whole.tokens && (error == nil) == (whole.error == nil)
      && elements.map(\.bytes) == whole.elements.map(\.bytes)
  }
}

/// Tags that nobody wants change neither the other tags nor the result.
private func checkBlindness(_ bytes: [UInt8], deepest: Int) {
  func read(deepest limit: Int) -> (tokens: [String], isAccepted: Bool) {
    var tokenizer = XMLTokenizer()
    var tokens: [String] = []
    while true {
      do {
        guard let token = try tokenizer.next(bytes.span, isLast: true, deepest: limit) else { return (tokens, true) }
        if token.depth <= deepest { tokens.append("\(token.kind) \(token.range)") }
      } catch { return (tokens, false) }
    }
  }
  promise(read(deepest: deepest) == read(deepest: .max), "not the same without what is deeper than \(deepest)")
}

/// A form feed is an error as soon as it comes, in any context, and no token extends beyond it.
private func checkFormFeed(_ bytes: [UInt8], endingPiecesAt ends: [Int]) {
  var tokenizer = XMLTokenizer(endsAtFormFeed: true)
  let formFeed = bytes.firstIndex(of: XMLCharacters.formFeed) ?? bytes.count
  for end in ends {
    let text = Array(bytes[..<min(end, bytes.count)])
    while true {
      do {
        guard try tokenizer.next(text.span, isLast: false) != nil else { break }
      } catch {
        if formFeed < text.count { return promise(tokenizer.offset <= formFeed, "beyond a form feed: \(error)") }
        _ = tokenizer.recover(text.span)
      }
    }
    promise(formFeed >= text.count, "nobody saw the form feed at \(formFeed) of \(shown(text))")
  }
}

/// The tags that are returned if errors are skipped, with small limits.
private func survivors(of bytes: [UInt8], endingPiecesAt ends: [Int]) -> [String] {
  var tokenizer = XMLTokenizer(limits: XMLTokenizer.Limits(maxDepth: 5, maxAttributes: 2))
  var tokens: [String] = []
  var steps = 0
  for end in ends {
    let isLast = end >= bytes.count
    let text = Array(bytes[..<min(end, bytes.count)])
    while true {
      steps += 1
      promise(steps <= 3 * bytes.count + 3 * ends.count + 10, "it does not come to an end")
      do {
        guard let token = try tokenizer.next(text.span, isLast: isLast) else { break }
        tokens.append("\(token.kind) \(tokenizer.depth) \(tokenizer.offset)")
      } catch {
        if isLast, error.offset >= text.count { break }
        let recovery = tokenizer.recover(text.span)
        promise(tokenizer.offset <= text.count, "past the end of what has come")
        if recovery != .inside { tokens.append("\(recovery) \(tokenizer.depth)") }
      }
    }
  }
  // It does not matter whether a tag cut by the end has begun an element.
  while tokens.last?.hasPrefix("\(Recovery.inBrokenElement)") == true { tokens.removeLast() }
  return tokens
}

private func check(_ element: XMLReading.Element) {
  let alone = XMLReading(element.bytes, endingPiecesAt: [element.bytes.count], isSingle: true)
  if let error = alone.error {
    let isReference = element.mayReferBack && error.message.hasPrefix("entity '")
    return promise(isReference, "an element that is not accepted: \(error): \(shown(element.bytes))")
  }
  let ordered = json(element.bytes, isOrdered: true)
  let document = parsed(ordered)
  let again = xml(document.root)
  promise(json(again, isOrdered: true) == ordered, "not the same in XML again: \(shown(ordered)): \(shown(again))")
  _ = parsed(json(element.bytes, isOrdered: false))
}

private func json(_ bytes: [UInt8], isOrdered: Bool) -> [UInt8] {
  do {
    let tree = try XMLTokenizer.tree(of: bytes, in: Namespaces())
    var writer = ElementJSON(isOrdered: isOrdered)
    return text { writer.write(tree, to: &$0) }
  } catch { fatalError("an element that was accepted is not read: \(error): \(shown(bytes))") }
}

/// The element written as `["name",{attributes},children…]`.
private func xml(_ value: JSONValue) -> [UInt8] {
  var result: [UInt8] = []
  // The parts still to be written: a value, or its end tag.
  var rest: [(value: JSONValue, isEnd: Bool)] = [(value, false)]
  while let (value, isEnd) = rest.popLast() {
    if let text = value.string {
      result += escaped(text)
      continue
    }
    let children = value.children.map(\.value)
    let name = children[0].string ?? []
    if isEnd {
      result += Array("</".utf8) + name + Array(">".utf8)
      continue
    }
    result += Array("<".utf8) + name
    for attribute in children[1].children {
      result += Array(" ".utf8) + (attribute.key?.string ?? []) + Array("=\"".utf8)
      result += escaped(attribute.value.string ?? []) + Array("\"".utf8)
    }
    result += Array(">".utf8)
    rest.append((value, true))
    for child in children.dropFirst(2).reversed() { rest.append((child, false)) }
  }
  return result
}

private func escaped(_ text: [UInt8]) -> [UInt8] {
  text.flatMap { byte in
    byte < 0x20 || Array("<>&\"'".utf8).contains(byte) ? Array("&#\(byte);".utf8) : [byte]
  }
}
