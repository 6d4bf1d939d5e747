// Compressed bodies: any pieces give the same text and the same end, never more than one piece at once.
//
// The first byte chooses the codings; the rest is the body.

func fuzzBody(_ bytes: [UInt8]) {
  guard let first = bytes.first, bytes.count > 1 else { return }
  let codings = ["gzip", "deflate", "gzip, gzip", "deflate, gzip", "gzip, deflate"][Int(first) % 5]
  let head = madeHead(200, [Array("Content-Encoding: \(codings)".utf8)])
  let body = Array(bytes.dropFirst())
  let whole = unpacked(body, [body.count], head)
  for ends in Cuts.ways(body) {
    let found = unpacked(body, ends, head)
    promise(found == whole, "\(whole.text.count) bytes \(whole.end), in pieces \(found.text.count) \(found.end)")
  }
  if codings == "gzip", whole.end == "end" {
    let longer = body + Array("x".utf8)
    let end = unpacked(longer, [longer.count], head).end
    promise(end == "the response goes on after the end of its compressed data", "with one byte more: \(end)")
  }
}

/// How much of a text is compared: two codings can make gigabytes of a few bytes.
private let most = 1 << 20

private func unpacked(_ body: [UInt8], _ ends: [Int], _ head: HTTPHead) -> (text: [UInt8], end: String) {
  var text: [UInt8] = []
  var chunk: [UInt8] = []
  var start = 0
  do throws(HTTPError) {
    guard let decoder = try BodyDecoder(head) else { return (body, "no coding") }
    for end in ends {
      var piece = Array(body[start..<end])
      while try decoder.unpack(into: &chunk, refill: { give(&piece, to: &$0) }) {
        promise(!chunk.isEmpty && chunk.count <= BodyDecoder.pieceSize, "a chunk of \(chunk.count) bytes")
        text += chunk
        if text.count >= most { return (Array(text.prefix(most)), "more") }
      }
      start = end
    }
    try decoder.finish()
    return (text, "end")
  } catch {
    return (text, error.message)
  }
}

private func give(_ piece: inout [UInt8], to input: inout [UInt8]) -> Bool {
  if piece.isEmpty { return false }
  (input, piece) = (piece, [])
  return true
}
