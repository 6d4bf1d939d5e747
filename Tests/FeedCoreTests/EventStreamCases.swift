import Foundation
import TestSupport
import Testing

@testable import FeedCore

/// The result of a stream, as text that is easy to compare.
struct StreamOutcome: Equatable {
  var items: [String] = []
  var lastEventID: [UInt8] = []

  init() {}

  init(parsing chunks: [[UInt8]], maxEventSize: Int = .max) throws {
    var parser = EventStreamParser(maxEventSize: maxEventSize, keepsComments: true)
    for chunk in chunks {
      var index = 0
      while let item = try parser.next(chunk.span, from: &index) {
        switch item {
        case .event: items.append(">\(parser.type)|\(parser.lastEventID)|\(parser.data(in: chunk.span))")
        case .comment: items.append(";\(parser.comment)")
        case .retry(let time): items.append("@\(time)")
        }
      }
      #expect(index == chunk.count)
    }
    lastEventID = parser.lastEventID
  }
}

/// A case of Tests/Fixtures/sse/cases.txt.
struct StreamCase: CustomTestStringConvertible, Sendable {
  var why = ""
  var chunks: [[UInt8]] = []
  var items: [String] = []
  var lastEventID: [UInt8] = []

  var testDescription: String { why }

  static let all: [StreamCase] = {
    let text = (try? Repository.contents("Tests/Fixtures/sse/cases.txt")) ?? ""
    return text.components(separatedBy: "\n\n").compactMap { block in
      var result = StreamCase()
      for line in block.split(separator: "\n") {
        let rest = String(line.dropFirst(line.dropFirst().first == " " ? 2 : 1))
        switch line.first {
        case "#": result.why += rest
        case "<": result.chunks.append(Fixtures.bytes(rest))
        case ">":
          let parts = rest.split(separator: "|", omittingEmptySubsequences: false).map { Fixtures.bytes($0) }
          result.items.append(">\(parts[0])|\(parts[1])|\(parts[2])")
        case ";": result.items.append(";\(Fixtures.bytes(rest))")
        case "@": result.items.append("@\(rest)")
        case "=": result.lastEventID = Fixtures.bytes(rest)
        default: Issue.record("no such line: \(line)")
        }
      }
      return result.chunks.isEmpty ? nil : result
    }
  }()
}

/// The ways to divide a stream: as given, whole, byte by byte, two by two, cut at each position.
func chunkings(of chunks: [[UInt8]], cuttingUpTo limit: Int = 2000) -> [[[UInt8]]] {
  let whole = Array(chunks.joined())
  func pieces(_ size: Int) -> [[UInt8]] {
    stride(from: 0, to: whole.count, by: size).map { Array(whole[$0..<min($0 + size, whole.count)]) }
  }
  var ways = [chunks, [whole], pieces(1), pieces(2)]
  if whole.count <= limit {
    ways += (0...whole.count).map { [Array(whole[..<$0]), [], Array(whole[$0...])] }
  }
  return ways
}
