import Foundation
import TestSupport
import Testing

@testable import xml_split

/// The W3C suite. Its files are not part of the project: FEEDUTILS_CONFORMANCE names the folder.
@Suite(.enabled(if: Repository.conformance != nil && Repository.has("python3"), "FEEDUTILS_CONFORMANCE is unset"))
struct ConformanceTests {
  struct Case {
    let path: String
    let isAccepted: Bool
    let bytes: [UInt8]
  }

  static let cases: [Case] = (try? load()) ?? []

  private static func load() throws -> [Case] {
    let folder = try #require(Repository.conformance) + "/xmlts"
    let scratch = try ScratchFolder()
    let unzip = "cd \(scratch.path) && python3 -m zipfile -e \(Command.quote(folder + "/xmlts20130923.zip")) ."
    #expect(try Command.shell(unzip).status == 0)
    let table = try String(contentsOfFile: folder + "/cases.tsv", encoding: .utf8)
    return try table.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields[6] == "accept" || fields[6] == "reject" else { return nil }
      let bytes = try #require(FileManager.default.contents(atPath: scratch.file(fields[1])))
      return Case(path: fields[1], isAccepted: fields[6] == "accept", bytes: Array(bytes))
    }
  }

  @Test func theVerdicts() {
    for item in Self.cases {
      let (_, error) = Tokens.of(item.bytes, isSingle: true)
      #expect((error == nil) == item.isAccepted, "\(item.path): \(error?.message ?? "accepted")")
    }
    #expect(Self.cases.count { $0.isAccepted } == 957 && Self.cases.count { !$0.isAccepted } == 927)
  }

  /// Cuts change neither the tokens of a text nor its error.
  @Test(arguments: [1, 2, 7, -9])
  func inPieces(_ size: Int) {
    for item in Self.cases where item.bytes.count < 20_000 {
      let (tokens, error) = Tokens.of(item.bytes, isSingle: true)
      let (others, other) = Tokens.of(item.bytes, pieces: size, isSingle: true)
      // A refused text that comes whole may be refused before its first token.
      let isSame = (error == nil) == (other == nil) && (error != nil || tokens == others)
      #expect(isSame, "\(item.path), \(size) at a time: \(tokens) \(others)")
    }
  }

  /// Unwanted tags are checked too, but faster where possible.
  @Test(arguments: [(0, 0), (1, 0), (1, 3), (2, 16)])
  func notAskedFor(_ deepest: Int, _ pieces: Int) {
    for item in Self.cases where item.bytes.count < 20_000 {
      let all = Tokens.of(item.bytes, pieces: pieces, isSingle: true, shown: deepest)
      let some = Tokens.of(item.bytes, pieces: pieces, isSingle: true, deepest: deepest, shown: deepest)
      #expect(all.tokens == some.tokens && all.error == some.error, "\(item.path): \(some)")
    }
  }

  /// A stream of all documents in UTF-8 is accepted, and its tags are those of each document.
  @Test func oneAfterAnother() {
    var stream: [UInt8] = []
    var tokens: [String] = []
    for item in Self.cases where item.isAccepted {
      var decoder = InputDecoder()
      var text: [UInt8] = []
      guard (try? decoder.decode(item.bytes[...], isLast: true, into: &text)) != nil, !decoder.isUTF16 else { continue }
      stream += text + Array("\r\n".utf8)
      tokens += Tokens.of(item.bytes, isSingle: true).tokens
    }
    let (found, error) = Tokens.of(stream, pieces: 4096, isSingle: false)
    #expect(error == nil, "\(error?.message ?? "") at \(error?.offset ?? 0)")
    let mismatch = zip(found, tokens).enumerated().first { $0.element.0 != $0.element.1 }
    #expect(found == tokens && tokens.count > 2000, "\(found.count) \(tokens.count) \(String(describing: mismatch))")
  }
}

/// The tokens of a text, each as its kind and name.
enum Tokens {
  /// - Parameters:
  ///   - pieces: how many bytes come at a time; 0 for all at once; a negative number for random sizes up to it.
  ///   - deepest: the depth limit for the tokenizer.
  ///   - shown: the depth limit for the tokens returned here.
  static func of(
    _ bytes: [UInt8], pieces: Int = 0, isSingle: Bool, deepest: Int = .max, shown: Int = .max
  ) -> (tokens: [String], error: XMLError?) {
    var decoder = InputDecoder()
    var tokenizer = XMLTokenizer(isSingle: isSingle)
    var buffer: [UInt8] = []
    var tokens: [String] = []
    var start = 0
    var chance = UInt64(bytes.count) | 1
    do throws(XMLError) {
      repeat {
        chance = chance &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let size = pieces < 0 ? 1 + Int(chance >> 33) % -pieces : pieces
        let end = size == 0 ? bytes.count : min(bytes.count, start + size)
        let isLast = end == bytes.count
        var chunk = bytes[start..<end]
        start = end
        var isAgain = false
        repeat {
          try decoder.decode(chunk, isLast: isLast, into: &buffer)
          chunk = []
          isAgain = false
          tokenizer.encoding.isUTF16 = decoder.isUTF16
          while let token = try tokenizer.next(buffer.span, isLast: isLast && !isAgain, deepest: deepest) {
            if token.depth > shown { continue }
            tokens.append("\(token.kind) " + String(decoding: buffer[token.name], as: UTF8.self))
            guard token.kind == .documentStart, tokenizer.encoding.isToConvert, !decoder.isConverting else { continue }
            #expect(decoder.begin(tokenizer.encoding.charset, at: token.range.upperBound, &buffer))
            isAgain = true
            break
          }
        } while isAgain
        let judged = tokenizer.offset
        tokenizer.drop(judged, of: buffer.span)
        buffer.removeFirst(judged)
      } while start < bytes.count
    } catch {
      return (tokens, error)
    }
    return (tokens, nil)
  }
}
