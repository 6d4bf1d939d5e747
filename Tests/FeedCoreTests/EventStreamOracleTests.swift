import TestSupport
import Testing

@testable import FeedCore

/// Compares the parser with a second implementation, which follows the text of the standard literally: decode
/// everything, split everything, then process line after line.
struct EventStreamOracleTests {
  static func outcome(ofStandardOn bytes: [UInt8]) -> StreamOutcome {
    var text = Array(String(decoding: bytes, as: UTF8.self).utf8)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    var lines: [[UInt8]] = [[]]
    var index = 0
    while index < text.count {
      let byte = text[index]
      index += 1
      if byte == 0x0D, index < text.count, text[index] == 0x0A { index += 1 }
      if byte == 0x0D || byte == 0x0A { lines.append([]) } else { lines[lines.count - 1].append(byte) }
    }
    lines.removeLast()  // the line without a line end

    var result = StreamOutcome()
    var (data, type, id): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
    for line in lines {
      if line.isEmpty {
        result.lastEventID = id
        if !data.isEmpty {
          result.items.append(">\(type.isEmpty ? Array("message".utf8) : type)|\(id)|\(Array(data.dropLast()))")
        }
        (data, type) = ([], [])
        continue
      }
      let colon = line.firstIndex(of: 0x3A) ?? line.count
      var value = line.dropFirst(colon + 1)
      if value.first == 0x20 { value.removeFirst() }
      switch String(decoding: line[..<colon], as: UTF8.self) {
      case "": result.items.append(";\(Array(value))")
      case "data": data += value + [0x0A]
      case "event": type = Array(value)
      case "id": if !value.contains(0) { id = Array(value) }
      case "retry":
        let isNumber = !value.isEmpty && value.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber { result.items.append("@\(Int(String(decoding: value, as: UTF8.self)) ?? .max)") }
      default: break
      }
    }
    return result
  }

  @Test(arguments: [1, 2, 3, 4])
  func streamsThatLookRandom(_ seed: UInt64) throws {
    let words: [[UInt8]] =
      [
        "data", "data:", "data: ", "event:", "event", "id: ", "id", "retry: ", ":", " ", "\t", "x", "7", "\n", "\n",
        "\r",
        "\r\n", "\n\n", "\u{FEFF}", "é", "€", "😀", "\0", "\u{2028}", "0123456789abcdefghijklmnopqrstuvwxyz",
      ].map { Array($0.utf8) } + [
        [0xFF], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xED, 0xA0, 0x80], [0xC3], [0xEF, 0xBB], [0x80],
      ]
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      let count = Int.random(in: 0...30, using: &random)
      let stream = (0..<count).flatMap { _ in words[Int.random(in: 0..<words.count, using: &random)] }
      var chunks: [[UInt8]] = []
      var rest = stream[...]
      while !rest.isEmpty {
        let size = Int.random(in: 0...12, using: &random)
        chunks.append(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      let expected = Self.outcome(ofStandardOn: stream)
      #expect(try StreamOutcome(parsing: chunks) == expected, "\(chunks)")
      #expect(try StreamOutcome(parsing: [stream]) == expected, "\(stream)")
    }
  }
}
