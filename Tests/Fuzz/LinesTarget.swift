// Compares the line splitter with splitting the whole text: cuts change no line, and no byte is lost. A record separator
// at the start of a line belongs to no line.

func fuzzLines(_ bytes: [UInt8]) {
  let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  let expected = parts.dropLast().map { Array($0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0) }
    .map { $0.first?.isRecordSeparator == true ? Array($0.dropFirst()) : $0 }
    .filter { !$0.allSatisfy(\.isWhiteSpace) }
  let rest = parts.last.map { $0.allSatisfy { $0.isWhiteSpace || $0.isRecordSeparator } ? 0 : $0.count } ?? 0
  for ends in Cuts.ways(bytes) + [[bytes.count]] {
    var splitter = LineSplitter(maxSize: .max)
    var found: [[UInt8]] = []
    var start = 0
    for end in ends {
      let chunk = Array(bytes[start..<min(end, bytes.count)])
      start = min(end, bytes.count)
      var index = 0
      while let line = try? splitter.next(chunk.span, from: &index) {
        switch line {
        case .chunk(let range): found.append(Array(chunk[range]))
        case .held: found.append(splitter.held)
        }
      }
      promise(index == chunk.count, "stopped before the end of the chunk")
    }
    promise(found == expected, "cut at \(ends): \(found.map(shown))")
    promise(splitter.drop() == rest, "the rest")
  }
}
