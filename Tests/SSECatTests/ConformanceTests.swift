import Foundation
import TestSupport
import Testing

/// The public cases of event streams, through the built tool and a pipe: as given, whole, byte by byte, two by two.
@Suite(.enabled(if: Repository.conformance != nil, "FEEDUTILS_CONFORMANCE is unset"))
struct ConformanceTests {
  struct Case: Decodable {
    struct Event: Decodable, Equatable {
      let event: String
      let id: String
      let data: String

      var scalars: [[Unicode.Scalar]] { [event, id, data].map { Array($0.unicodeScalars) } }
    }
    let name: String
    let chunks: [Data]
    let events: [Event]
    let lastEventId: String
  }

  enum Chunking: CaseIterable, Sendable {
    case asGiven, whole, byteByByte, twoByTwo

    func chunks(_ given: [Data]) -> [Data] {
      let all = given.reduce(Data(), +)
      switch self {
      case .asGiven: return given
      case .whole: return [all]
      case .byteByByte, .twoByTwo:
        let size = self == .byteByByte ? 1 : 2
        return stride(from: 0, to: all.count, by: size).map { all[$0..<min($0 + size, all.count)] }
      }
    }
  }

  @Test(arguments: Chunking.allCases)
  func eventsAreTheSameHoweverTheyArrive(_ chunking: Chunking) throws {
    let cases = try JSONDecoder().decode([Case].self, from: Repository.conformanceFile("sse-cases.json"))
    #expect(cases.count >= 78)
    for item in cases {
      let (events, lastEventID) = try Self.run(chunking.chunks(item.chunks))
      // By code points: `==` on strings treats composed and decomposed forms as equal.
      #expect(events.map(\.scalars) == item.events.map(\.scalars), "\(item.name), \(chunking)")
      #expect(lastEventID == item.lastEventId, "\(item.name), \(chunking)")
    }
  }

  /// The tool's output for chunks that are written one by one, and the last event ID at the end.
  private static func run(_ chunks: [Data]) throws -> ([Case.Event], String) {
    let scratch = try ScratchFolder()
    let input = Child.pipe()
    try scratch.write("out", "")
    let output = open(scratch.file("out"), O_WRONLY | O_CLOEXEC)
    let child = try Child(
      "exec sse-cat --data-as text --checkpoint state", in: scratch.path, input: input.read, output: output, error: 2)
    close(input.read)
    close(output)
    let pipe = FileHandle(fileDescriptor: input.write)
    for chunk in chunks { try pipe.write(contentsOf: chunk) }
    close(input.write)
    // Some of these streams end inside an event, which is dropped and reported.
    let whole = String(decoding: chunks.joined(), as: UTF8.self).unicodeScalars.map(String.init).joined(separator: "|")
    let isWhole = ["\n|\n", "\r|\r", "\r|\n|\r|\n"].contains { whole.hasSuffix($0) }
    let status = child.wait()
    #expect(status == 0 || (status == 1 && !isWhole), "\(status)")

    // By JSONDecoder, because JSONSerialization drops a byte order mark at the start of a string.
    let lines = try scratch.read("out").split(separator: "\n")
    let records = try lines.map { try JSONDecoder().decode(Record.self, from: Data($0.utf8)) }
    let events = records.map { Case.Event(event: $0.event, id: $0.id ?? "", data: $0.data ?? "(none)") }
    // Without any ID no checkpoint is written.
    let state = try (try? scratch.read("state")).map { try JSONDecoder().decode(Record.self, from: Data($0.utf8)) }
    return (events, state?.id ?? "")
  }

  private struct Record: Decodable {
    let event: String
    let id: String?
    let data: String?
  }
}
