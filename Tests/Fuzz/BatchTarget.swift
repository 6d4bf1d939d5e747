// The input of deliver: cuts change no line; whether a line is a record does not depend on how it is asked; and a
// checkpoint never names an id that a later record has.

func fuzzBatch(_ bytes: [UInt8]) {
  let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
  for ends in Cuts.ways(bytes) + [[bytes.count]] {
    promise(lines(bytes, ends) == parts, "cut at \(ends)")
  }
  for isRaw in [false, true] {
    var batch = Batch()
    for (number, line) in parts.enumerated() {
      let record = try? Record(parsing: line, number: number + 1, isRaw: isRaw)
      for text in [line, line + Array("\n{\"a\":1}\n".utf8)] {
        guard let parts = RecordGlance.record(in: text.span, 0..<line.count, isRaw: isRaw) else { continue }
        promise(record.map { $0.id } == Array(text[parts.id]), "another id at a glance")
        promise(record?.data == parts.data.map { Array(text[$0]) }, "other data at a glance")
      }
      guard let record else { continue }
      promise(record.line == line && (isRaw || record.text == line), "a line is given as it came")
      promise(isRaw || (try? JSONDocument(parsing: line, maxDepth: .max)) != nil, "no JSON")
      batch.append(record)
    }
    check(batch)
  }
}

private func lines(_ bytes: [UInt8], _ ends: [Int]) -> [[UInt8]] {
  let starts = [0] + ends.dropLast()
  // The end of the input is an empty piece.
  let pieces = zip(starts, ends).map { Array(bytes[$0..<max($0, min($1, bytes.count))]) }.filter { !$0.isEmpty }
  let input = FuzzedInput(pieces)
  var reader = LineReader()
  var found: [[UInt8]] = []
  while (try? reader.read(from: input.descriptor)) ?? false {
    while let line = reader.next() { found.append(Array(reader.buffer[line])) }
    promise(reader.number == found.count + 1, "the number of the line")
  }
  let count = reader.pendingCount
  let rest = reader.rest()
  promise(rest.count == count, "the rest")
  return found + [rest]
}

private func check(_ batch: Batch) {
  let records = (0..<batch.count).map { batch[$0] }
  for count in 0...batch.count {
    promise(batch.bytes(of: 0..<count).count == records[..<count].reduce(0) { $0 + $1.text.count + 1 }, "bytes")
    guard let id = batch.lastSafe(after: count)?.id else { continue }
    let last = records[..<count].lastIndex { $0.id == id }
    promise(last != nil, "an id of no record")
    let next = records[count...].first { !$0.id.isEmpty }?.id
    promise(!id.isEmpty && id != next, "the next record has the id of the checkpoint")
  }
}

/// An input that comes in pieces.
private final class FuzzedInput: @unchecked Sendable {
  private var left: [[UInt8]]

  init(_ pieces: [[UInt8]]) { left = pieces.reversed() }

  var descriptor: Descriptor {
    Descriptor(
      -1,
      calls: SystemCalls(
        read: { [self] _, free in
          let piece = left.popLast() ?? []
          // At most as much as there is room for; the rest is the next piece.
          let part = piece.prefix(free.freeCapacity)
          if part.count < piece.count { left.append(Array(piece[part.count...])) }
          for byte in part { free.append(byte) }
          return .init(count: part.count)
        }))
  }
}
