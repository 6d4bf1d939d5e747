// The event stream parser: cuts change no event; values are valid UTF-8 without line ends; an event that is written and
// read again is the same.

private struct Event: Equatable {
  var kind: String
  var type: [UInt8] = []
  var data: [UInt8] = []
  var id: [UInt8] = []
}

func fuzzEvents(_ bytes: [UInt8]) {
  for limit in [Int.max, 5] {
    let whole = events(bytes, endingPiecesAt: [bytes.count], limit)
    for ends in Cuts.ways(bytes) {
      let pieces = events(bytes, endingPiecesAt: ends, limit)
      // With a limit, the error may come before an item in the same chunk, but the items are the same.
      promise(pieces == whole, "cut at \(ends): \(pieces), whole: \(whole)")
    }
    if limit == .max { rewrite(whole) }
  }
}

private func events(_ bytes: [UInt8], endingPiecesAt ends: [Int], _ limit: Int) -> [Event] {
  var parser = EventStreamParser(maxEventSize: limit, keepsComments: true)
  var found: [Event] = []
  var start = 0
  do {
    for end in ends {
      let chunk = Array(bytes[start..<min(end, bytes.count)])
      start = min(end, bytes.count)
      var index = 0
      while let item = try parser.next(chunk.span, from: &index) {
        switch item {
        case .event:
          found.append(
            Event(kind: "event", type: parser.type, data: parser.data(in: chunk.span), id: parser.lastEventID))
        case .comment: found.append(Event(kind: "comment", data: parser.comment))
        case .retry(let time): found.append(Event(kind: "retry \(time)"))
        }
        promise(index <= chunk.count, "past the end of the chunk")
      }
      promise(index == chunk.count, "stopped before the end of the chunk")
    }
  } catch { found.append(Event(kind: "too large", id: parser.lastEventID)) }
  for event in found {
    for value in [event.type, event.data, event.id] {
      promise(String(validating: value, as: UTF8.self) != nil, "not UTF-8: \(value)")
      promise(!value.contains(UInt8(ascii: "\r")), "a line end in a value")
    }
    promise(!event.type.contains(UInt8(ascii: "\n")) && !event.id.contains(UInt8(ascii: "\n")), "a line end in a value")
    promise(!event.id.contains(0), "NUL in an id")
  }
  return found
}

private func rewrite(_ events: [Event]) {
  let real = events.filter { $0.kind == "event" }
  var writer = EventStreamWriter()
  let written = text { output in
    for event in real { writer.write(type: event.type, id: event.id, data: event.data, to: &output) }
  }
  let again = fuzzedEvents(written)
  promise(again == real, "written: \(shown(written)): \(again), not \(real)")
}

private func fuzzedEvents(_ bytes: [UInt8]) -> [Event] { events(bytes, endingPiecesAt: [bytes.count], .max) }
