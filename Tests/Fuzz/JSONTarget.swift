// The scanner: cuts change neither tape nor error; every writer preserves what it accepts.

func fuzzJSON(_ bytes: [UInt8]) {
  scanInPieces(bytes)
  streamInPieces(bytes)
  if let commented = try? JSONDocument(parsing: bytes, maxDepth: 500, hasComments: true), commented.commented != nil {
    roundTrip(commented)
  }
  let document = try? JSONDocument(parsing: bytes, maxDepth: 500)
  promise(JSONCheck.kind(of: bytes, maxDepth: 500) == document?.root.kind, "a check and a scan differ")
  guard let document else { return }
  roundTrip(document)
  strings(document)
  rescan(document)
}

/// A text scanned like another one has the same tape or error as from nothing.
private func rescan(_ old: JSONDocument) {
  let text = old.bytes
  for step in 1...8 {
    let start = text.count * step / 9
    let end = min(start + step, text.count)
    for new in [
      Array(text[..<start] + text[end...]), Array(text[..<end] + text[start...]),
      Array(text[..<start] + text[end...] + text[start..<end]),
    ] {
      let (plain, like) = (parsing(new, like: nil), parsing(new, like: old))
      promise(plain == like, "like \(shown(text)): \(shown(new))")
    }
  }
}

private func parsing(_ bytes: [UInt8], like old: JSONDocument?) -> Outcome {
  do {
    let document = try JSONDocument(parsing: bytes, maxDepth: 500, like: old)
    // What is said of white space may differ.
    return .complete(tape: document.tape, isCompact: true, end: bytes.count)
  } catch { return .error(error) }
}

/// The result of a scan.
private enum Outcome: Equatable {
  case complete(tape: [UInt64], isCompact: Bool, end: Int)
  case incomplete
  case error(JSONError)
}

private func scan(_ bytes: [UInt8], endingPiecesAt ends: [Int]) -> Outcome {
  var scanner = JSONScanner(maxDepth: 500)
  do {
    for end in ends where try scanner.scan(bytes.span.extracting(0..<min(end, bytes.count)), isLast: false) {
      return .complete(tape: scanner.tape, isCompact: scanner.isCompact, end: scanner.offset)
    }
    guard try scanner.scan(bytes.span, isLast: true) else { return .incomplete }
    return .complete(tape: scanner.tape, isCompact: scanner.isCompact, end: scanner.offset)
  } catch { return .error(error) }
}

private func scanInPieces(_ bytes: [UInt8]) {
  let whole = scan(bytes, endingPiecesAt: [])
  if case .error(let error) = whole { promise((0...bytes.count).contains(error.offset), "an error outside the input") }
  for ends in Cuts.ways(bytes) {
    let pieces = scan(bytes, endingPiecesAt: ends)
    promise(pieces == whole, "cut at \(ends): \(pieces), whole: \(whole)")
  }
}

private func streamInPieces(_ bytes: [UInt8]) {
  let whole = documents(bytes, endingPiecesAt: [bytes.count])
  for ends in Cuts.ways(bytes) {
    let pieces = documents(bytes, endingPiecesAt: ends)
    promise(pieces == whole, "cut at \(ends): \(pieces), whole: \(whole)")
  }
}

/// The documents of a stream with their places, and how it ended.
private func documents(_ bytes: [UInt8], endingPiecesAt ends: [Int]) -> [String] {
  var stream = JSONStream(maxDepth: 500)
  var found: [String] = []
  var start = 0
  do throws(JSONStream.Failure) {
    for end in ends + [bytes.count] {
      stream.append(Array(bytes[start..<min(end, bytes.count)]))
      start = min(end, bytes.count)
      while let item = try stream.next(isLast: false) { found.append(described(item)) }
    }
    while let item = try stream.next(isLast: true) { found.append(described(item)) }
  } catch {
    // The excerpt is the part of the line that had arrived; everything else must be the same.
    found.append("\(error.message) in \(error.number) at \(error.place.line):\(error.place.column)")
  }
  return found
}

private func described(_ item: StreamedDocument) -> String {
  // A byte order mark may be in the first document's bytes or not; the document begins after it.
  let root = item.document.root
  let place = item.place(of: root.range.lowerBound)
  return "\(item.number) at \(place.line):\(place.column): \(root.kind) \(root.text) \(item.document.isCompact)"
}

private func roundTrip(_ document: JSONDocument) {
  let tree = JSONTree(document.root)
  let compact = text { JSONWriter.writeCompact(tree, to: &$0) }
  promise(!document.isCompact || compact == document.root.text, "a compact document is not its own compact form")
  let again = parsed(compact)
  promise(again.isCompact, "compact output is not compact: \(shown(compact))")
  promise(JSONTree.equal(tree, JSONTree(again.root)), "compact output is not equal: \(shown(compact))")
  promise(Model(tree) == Model(JSONTree(again.root)), "compact output says something else: \(shown(compact))")

  let indented = text { JSONWriter.write(tree, in: .indented(2), to: &$0) }
  let indentedTree = JSONTree(parsed(indented).root)
  promise(text { JSONWriter.writeCompact(indentedTree, to: &$0) } == compact, "indented and compact differ")
  promise(JSONTree.equal(indentedTree, tree), "indented output is not equal")

  let verbatim = text { JSONVerbatimWriter(of: document).write(tree, to: &$0) }
  promise(verbatim == document.text, "untouched, and not the same: \(shown(verbatim))")
  let opened = text { JSONVerbatimWriter(of: document).write(openedAll(tree), to: &$0) }
  promise(opened == document.text, "opened, and not the same: \(shown(opened))")
}

/// The tree with its containers opened two levels deep, which must change nothing.
private func openedAll(_ tree: JSONTree) -> JSONTree {
  var opened = tree
  guard let node = opened.own() else { return tree }
  for slot in 0..<node.slots.count { _ = node.ownChild(in: slot) }
  return opened
}

/// A string is the same after it is written again.
private func strings(_ document: JSONDocument) {
  var pending = [document.root]
  while let value = pending.popLast() {
    for child in value.children {
      pending.append(child.value)
      if let key = child.key { pending.append(key) }
    }
    guard let string = value.string else { continue }
    let written = text { JSONString.write(string.span, to: &$0) }
    promise(parsed(written).root.string == string, "a string is written otherwise: \(shown(written))")
    promise(JSONString.equals(value, string[...]), "a string does not equal its code points")
    let more = document.bytes[value.range.upperBound...].prefix { $0 != UInt8(ascii: "\"") }
    promise(!JSONString.equals(value, string + [UInt8(ascii: "\"")] + more), "a string equals a longer one")
  }
}

// MARK: Shared with other targets

/// The text that `write` writes.
func text(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
  var output = ByteWriter()
  write(&output)
  return output.take()
}

/// Our own output, which must be JSON.
func parsed(_ bytes: [UInt8], line: UInt = #line) -> JSONDocument {
  do { return try JSONDocument(parsing: bytes, maxDepth: .max) } catch {
    fatalError("line \(line): output is no JSON: \(error): \(shown(bytes))")
  }
}
