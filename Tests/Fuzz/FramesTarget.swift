// The frames of a WebSocket server, compressed or not, after the head of its response. Cuts change nothing; text is UTF-8; nothing exceeds
// its limit; an item can be written and read again. Whatever comes, our frames follow the rules, answer each ping with
// its payload, and end with one close frame.

private struct Found: Equatable {
  var items: [Item] = []
  var error: ProtocolError?

  struct Item: Equatable {
    let kind: FrameParser.ParsedItem
    let isText: Bool
    let payload: [UInt8]
  }
}

private let limit = 200

func fuzzFrames(_ bytes: [UInt8]) {
  for isCompressed in [false, true] { check(bytes, isCompressed: isCompressed) }
  speak(bytes)
  response(bytes)
}

private func check(_ bytes: [UInt8], isCompressed: Bool) {
  let whole = frames(bytes, endingPiecesAt: [bytes.count], isCompressed: isCompressed)
  for ends in Cuts.ways(bytes) {
    let pieces = frames(bytes, endingPiecesAt: ends, isCompressed: isCompressed)
    promise(pieces == whole, "cut at \(ends): \(pieces), whole: \(whole)")
  }
  for item in whole.items {
    let isMessage = item.kind == .message
    promise(item.payload.count <= (isMessage ? limit : FrameParser.longestControl), "too long: \(item)")
    promise(!isMessage || !item.isText || String(validating: item.payload, as: UTF8.self) != nil, "no UTF-8: \(item)")
  }
  let deflater = isCompressed ? try? MessageDeflater(keepsWindow: true, windowBits: 15) : nil
  let again = frames(whole.items.flatMap { written($0, deflater) }, endingPiecesAt: [.max], isCompressed: isCompressed)
  promise(again.error == nil && again.items == whole.items, "written again: \(again), not \(whole)")
}

private func frames(_ bytes: [UInt8], endingPiecesAt ends: [Int], isCompressed: Bool = false) -> Found {
  var parser = FrameParser(maxMessage: limit, inflater: isCompressed ? try? MessageInflater(keepsWindow: true) : nil)
  var found = Found()
  var start = 0
  do throws(ProtocolError) {
    for end in ends {
      let chunk = Array(bytes[start..<min(end, bytes.count)])
      start = min(end, bytes.count)
      var index = 0
      while let item = try parser.next(chunk.span, from: &index) {
        let isMessage = item == .message
        found.items.append(
          .init(kind: item, isText: isMessage && parser.isText, payload: isMessage ? parser.message : parser.control))
        promise(index <= chunk.count, "past the end of the chunk")
      }
      promise(index == chunk.count, "stopped before the end of the chunk")
    }
  } catch { found.error = error }
  return found
}

/// An item as a server sends it.
private func written(_ item: Found.Item, _ deflater: MessageDeflater?) -> [UInt8] {
  switch item.kind {
  case .message:
    let opcode = item.isText ? Opcode.text : .binary
    guard let deflater, !item.payload.isEmpty else { return bare(opcode, item.payload) }
    return bare(opcode, deflater.packed(item.payload.span), isCompressed: true)
  case .ping: return bare(.ping, item.payload)
  case .pong: return bare(.pong, item.payload)
  case .close(let code): return bare(.close, (code.map(FrameWriter.closePayload) ?? []) + item.payload)
  }
}

/// A frame without a mask: ours, without the mask bit and the four mask bytes.
private func bare(_ opcode: Opcode, _ payload: [UInt8], isCompressed: Bool = false) -> [UInt8] {
  var frame: [UInt8] = []
  FrameWriter.append(opcode, payload.span, isCompressed: isCompressed, mask: 0, to: &frame)
  return unmasked(frame[...]).frame
}

/// The first of our frames in a server's form, and the bytes after it.
private func unmasked(_ bytes: ArraySlice<UInt8>) -> (frame: [UInt8], rest: ArraySlice<UInt8>) {
  let bytes = Array(bytes)
  promise(bytes.count >= 6 && bytes[0] & 0xB0 == 0x80 && bytes[1] & 0x80 != 0, "no frame of a client: \(bytes)")
  let short = Int(bytes[1] & 0x7F)
  let head = short < 126 ? 2 : short == 126 ? 4 : 10
  let length = short < 126 ? short : bytes[2..<head].reduce(0) { $0 << 8 | Int($1) }
  let mask = Array(bytes[head..<(head + 4)])
  let payload = bytes[(head + 4)..<(head + 4 + length)].enumerated().map { $1 ^ mask[$0 & 3] }
  var frame = Array(bytes[..<head]) + payload
  frame[1] &= 0x7F
  return (frame, bytes[(head + 4 + length)...])
}

// MARK: Our frames

private func speak(_ bytes: [UInt8]) {
  guard var session = try? Session(maxMessage: limit) else { return promise(false, "no session") }
  var index = 0
  var isOver = false
  do throws(ProtocolError) {
    while try session.next(bytes.span, from: &index) { promise(!session.hasReceivedClose, "a message behind the end") }
    isOver = session.hasReceivedClose
  } catch { isOver = true }
  promise(session.hasSentClose == isOver, "the close frame")
  // After that nothing is sent, whatever is asked for.
  session.close(1000)
  session.ping()
  session.send(OutgoingMessage(bytes: [1]), isKept: true)
  var rest = session.outbox.bytes[...]
  var ours = Found()
  while !rest.isEmpty {
    let (frame, behind) = unmasked(rest)
    rest = behind
    let one = frames(frame, endingPiecesAt: [.max])
    promise(one.error == nil && one.items.count == 1, "ours: \(one)")
    ours.items += one.items
  }
  let theirs = frames(bytes, endingPiecesAt: [bytes.count]).items
  let closing = theirs.firstIndex { if case .close = $0.kind { true } else { false } } ?? theirs.count
  let pings = theirs[..<closing].filter { $0.kind == .ping }.map(\.payload)
  promise(ours.items.dropLast().map(\.payload) == pings, "pings \(pings), responses \(ours)")
  promise(ours.items.dropLast().allSatisfy { $0.kind == .pong }, "no pongs: \(ours)")
  if case .close = ours.items.last?.kind {} else { promise(false, "no close frame: \(ours)") }
}

// MARK: The response to the handshake

private let opening: OpeningRequest = {
  guard let url = try? HTTPURL(Array("http://server.example.com/chat".utf8)) else { fatalError("no URL") }
  return OpeningRequest(
    HTTPOptions().request(url), subprotocols: [Array("chat".utf8)],
    compression: PerMessageDeflate(), nonce: Array("the sample nonce".utf8))
}()

private func response(_ bytes: [UInt8]) {
  let whole = verdict(bytes, endingPiecesAt: [bytes.count])
  for ends in Cuts.ways(bytes) {
    promise(verdict(bytes, endingPiecesAt: ends) == whole, "cut at \(ends): not \(whole)")
  }
}

private func verdict(_ bytes: [UInt8], endingPiecesAt ends: [Int]) -> String {
  var response = OpeningResponse()
  var start = 0
  do throws(HTTPError) {
    for end in ends {
      let chunk = Array(bytes[start..<min(end, bytes.count)])
      var index = 0
      let isComplete = try response.take(chunk.span, from: &index)
      promise(index <= chunk.count && (isComplete || index == chunk.count), "past the end of the chunk")
      if isComplete { return "\(String(describing: try response.choice(opening))) at \(start + index)" }
      start = min(end, bytes.count)
    }
    return "incomplete"
  } catch { return error.message }
}
