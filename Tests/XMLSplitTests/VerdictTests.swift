import Foundation
import TestSupport
import Testing

@testable import xml_split

/// Compares with expat whether documents are well-formed: those of the W3C suite, the seeds of the fuzz target, and
/// thousands with small random damage. oracle.py says what may differ, and why.
@Suite(.enabled(if: Oracle.expat != nil, "there is no python3"))
struct VerdictTests {
  @Test(arguments: 1...4)
  func expatAgrees(_ seed: Int) throws {
    var items: [(Oracle.Document, Data)] = []
    func add(_ name: String, _ bytes: [UInt8]) {
      let message = Tokens.of(bytes, isSingle: true).error.map(\.message)
      items.append((Oracle.Document(name: name, bytes: bytes), Data((message ?? "").utf8)))
    }
    var damage = Damage(seed: seed, try Self.corpus())
    if seed == 1 { for document in damage.corpus { add(document.name, document.bytes) } }
    for number in 0..<Self.count { add("damaged \(seed)/\(number)", damage.next()) }
    let compared = try Oracle.compare(Oracle.expat, "verdicts", items)
    #expect(compared > items.count * 9 / 10)
  }

  static let count = Dice.rolls(1500)

  /// Documents that are in UTF-8 and not large.
  private static func corpus() throws -> [Oracle.Document] {
    let scratch = try ScratchFolder()
    let seeds = try Command.shell("python3 \(Command.quote(Repository.path("Tests/Fuzz/seeds"))) .", in: scratch.path)
    #expect(seeds.status == 0, "\(seeds.error)")
    let names = try FileManager.default.contentsOfDirectory(atPath: scratch.file("xml")).sorted()
    var corpus = names.map { name in
      Oracle.Document(
        name: name, bytes: Array(FileManager.default.contents(atPath: scratch.file("xml/" + name)) ?? Data()))
    }
    corpus += (0..<50).map { Oracle.Document(name: "draft \($0)", bytes: Array(XMLDraft(seed: $0).text.utf8)) }
    if Repository.conformance != nil {
      corpus += ConformanceTests.cases.map { Oracle.Document(name: $0.path, bytes: $0.bytes) }
    }
    return corpus.filter { $0.bytes.count < 4096 && !$0.bytes.contains(0) }
  }
}

/// Documents with a little damage.
struct Damage {
  let corpus: [Oracle.Document]
  private var random: SeededGenerator

  init(seed: Int, _ corpus: [Oracle.Document]) {
    self.corpus = corpus
    random = SeededGenerator(seed: UInt64(seed))
  }

  private mutating func pick(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &random) }

  /// A document of the corpus after one to three changes.
  mutating func next() -> [UInt8] {
    var bytes = corpus[pick(corpus.count)].bytes
    for _ in 0...pick(3) { change(&bytes) }
    return bytes
  }

  private static let words = [
    "<", ">", "&", "'", "\"", "]]>", "<!--", "-->", "--", "<![CDATA[", "<?p ", "?>", "/>", "</", "=", " ", "\r", "&lt;",
    "&#0;", "&#x10FFFF;", "&e;", "%p;", "<!DOCTYPE a [", "]>", "<!ENTITY e \"x\">", "\u{E9}", "\u{FFFF}", "\u{1F600}",
    ":",
  ]

  private mutating func change(_ bytes: inout [UInt8]) {
    let place = pick(bytes.count)
    let end = min(bytes.count, place + 1 + pick(pick(2) == 0 ? 2 : 30))
    switch pick(6) {
    case 0 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8(pick(8))
    case 1: bytes.removeSubrange(min(place, end)..<end)
    case 2: bytes.insert(contentsOf: Array(Self.words[pick(Self.words.count)].utf8), at: place)
    case 3: bytes.insert(contentsOf: bytes[min(place, end)..<end], at: pick(bytes.count))
    case 4: bytes.insert(UInt8(pick(pick(2) == 0 ? 0x80 : 0x100)), at: place)
    default:
      let other = corpus[pick(corpus.count)].bytes
      let start = pick(other.count)
      bytes.insert(contentsOf: other[start..<min(other.count, start + 1 + pick(60))], at: place)
    }
  }
}
