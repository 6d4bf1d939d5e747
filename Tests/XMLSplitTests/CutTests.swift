import TestSupport
import Testing

/// A connection breaks anywhere, and the next one is appended. All complete records are printed, each once; none that
/// was cut, and none made of two halves. A loss is reported once.
@Suite struct CutTests {
  typealias Sample = CutSample

  /// Documents one after another; the wanted ones are /status.
  static func documents(_ encoding: Sample.Encoding) -> Sample {
    let mark = encoding.isUTF16 ? "\u{FEFF}" : ""
    let declaration = Sample.Part.other("<?xml version='1.0' encoding=\"\(encoding.name)\"?>")
    return Sample(
      [
        .other(mark), declaration, .other("\r\n"),
        .other("<!DOCTYPE status [<!ENTITY e \"<b>\u{E9}</b>\"><!-- ' --><?p '?><!ATTLIST status a CDATA '>'>]>"),
        .other("<!-- <status> -->"), .other("\n"), .other("<?p <status>?>"),
        .record(
          "<status a='1' b=\"/&lt;\u{E9}\"><t>x&e;\u{E9}]]<![CDATA[</status>]]]></t >\r\n<!-- - --><?p ?></status>"),
        .other("\r\n"), declaration, .startTag("<delete a=''>"), .inside("<status><id>\u{E9}</id></status>"),
        .inside("x"),
        .inside("</delete>"), .other(" "), declaration, .record("<status>&#233;\u{E9}<e/></status\n>"),
        declaration, .startTag("<x/>"),
        .other("\n"),
      ], encoding)
  }

  /// A root element that contains them: /statuses/status.
  static func list(_ encoding: Sample.Encoding) -> Sample {
    Sample(
      [
        .startTag("<statuses type='array'>"), .other("\n\u{1F600}"), .record("<status a='\u{E9}'><id>1</id></status>"),
        .other("text"), .other("<![CDATA[<status>]]>"), .startTag("<note>"), .inside("<status>0</status>"),
        .inside("</note>"),
        .record("<status>\u{1F600}\u{E9}</status>"), .other("</statuses>"),
      ], encoding)
  }

  private static func check(
    _ first: Sample, _ cut: Int, _ second: Sample, _ arguments: [String], between: [UInt8], piece: Int = .max,
    isAtOnce: Bool = true
  ) {
    let head = Array(first.bytes[..<cut]) + between
    // Enough of the next document, so that its first bytes are also cut at every place.
    let run = SplitRun(["-0"] + arguments, head + second.bytes, piece: piece, until: head.count + 16)
    let loss = first.loss(at: cut)
    let place = "cut at \(cut) of \(first.encoding.name), then \(second.encoding.name), in pieces of \(piece)"
    #expect(run.output == first.records(before: cut) + second.records, "\(place): \(run.error)")
    #expect(run.status == (loss == nil ? 0 : 2), "\(place): \(run.error)")
    guard let loss else {
      #expect(run.error.isEmpty, "\(place)")
      return
    }
    let lines = run.error.split(separator: "\n")
    #expect(
      lines.count == 1 && run.error.hasSuffix(": the document was cut off inside \(loss)\n"), "\(place): \(run.error)")
    // Four bytes are needed to recognise the encoding.
    if piece == 1, isAtOnce { #expect(run.readWhenTold == max(cut + between.count, 4), "\(place)") }
  }

  static let pairs: [(Sample.Encoding, Sample.Encoding)] = [
    (.utf8, .utf8), (.utf16LE, .utf16LE), (.utf16BE, .utf16BE), (.latin1, .utf8), (.gb18030, .utf16BE),
    (.utf8, .utf16LE), (.utf16LE, .latin1), (.utf16BE, .utf16LE), (.latin1, .gb18030), (.gb18030, .gb18030),
  ]

  @Test(arguments: pairs.indices.prefix(Dice.isWhole ? .max : 3))
  func aFormFeedEndsTheDocumentAnywhere(_ pair: Int) {
    let (first, second) = Self.pairs[pair]
    let (whole, next) = (Self.documents(first), Self.documents(second))
    #expect(whole.bytes.count > 300 && whole.records.count > 100)
    for cut in stride(from: 0, through: whole.bytes.count, by: first.unit) {
      // Each encoding comes first in an even and in an odd pair, so each of its cuts is read in both ways.
      let piece = (cut / first.unit + pair) % 2 == 0 ? Int.max : 1
      Self.check(whole, cut, next, ["/status"], between: first.formFeed, piece: piece)
    }
  }

  @Test(arguments: [false, true])
  func aFormFeedEndsTheRootElementAnywhere(isUTF16: Bool) {
    let encoding = isUTF16 ? Sample.Encoding.utf16BE : .utf8
    let sample = Self.list(encoding)
    #expect(sample.bytes.count > 100)
    for cut in stride(from: 0, through: sample.bytes.count, by: encoding.unit) {
      for piece in [Int.max, 1] {
        Self.check(sample, cut, sample, ["/statuses/status"], between: encoding.formFeed, piece: piece)
      }
    }
  }

  /// With --on-error skip nothing else is reported, and several errors in a row count as one.
  @Test func whereErrorsAreSkipped() {
    let sample = Self.documents(.utf8)
    for cut in 0...sample.bytes.count {
      Self.check(sample, cut, sample, ["--on-error", "skip", "/status"], between: [0xC, 0xD, 0xA, 0xC, 0xC])
    }
  }

  /// The text before a form feed and the text after it do not affect each other, however wrong they are and however
  /// they are cut.
  @Test(arguments: 1...4)
  func aFormFeedKeepsAnyTwoInputsApart(_ seed: Int) {
    let drafts = (0..<50).map { Oracle.Document(name: "draft \($0)", bytes: Array(XMLDraft(seed: $0).text.utf8)) }
    var damage = Damage(seed: seed, drafts.filter { $0.bytes.count < 1000 })
    #expect(damage.corpus.count > 40)
    let arguments = ["-0", "--on-error", "skip", "--max-depth", "4", "//a"]
    for number in 0..<Dice.rolls(60) {
      let (first, second) = (damage.next().filter { $0 != 0xC }, damage.next().filter { $0 != 0xC })
      let apart = SplitRun(arguments, first).output + SplitRun(arguments, second).output
      for piece in [Int.max, 3] {
        let joined = SplitRun(arguments, first + [0xC] + second, piece: piece)
        #expect(joined.output == apart, "\(seed)/\(number) in pieces of \(piece): \(joined.error)")
      }
    }
  }

  // MARK: Without form feeds

  /// The parts, and the place in each from which a start tag after a cut looks like text.
  static let restartable: [(text: String, hidesFrom: Int)] = [
    ("<status a='1' b=\"\u{E9}/&lt;\">", .max), ("<t>x&amp;\u{E9}]]</t >\r\n", .max), ("<![CDATA[<status>]]]>", 9),
    ("<!-- <status> -->", 4), ("<?p <status>?>", 4), ("<e/>", .max), ("</status >", .max),
  ]

  @Test func aStartTagEndsTheDocumentAnywhere() {
    let sample = Sample(
      [
        .record(Self.restartable.map(\.text).joined()), .other("\r\n"), .record("<status/>"),
        .record("<status>2</status>"),
      ], .utf8)
    var hidden: Set<Int> = []
    var start = 0
    for (text, hidesFrom) in Self.restartable {
      let count = text.utf8.count
      if hidesFrom < count { hidden.formUnion((start + hidesFrom)..<(start + count)) }
      start += count
    }
    #expect(sample.bytes.count > 100 && hidden.count > 20)
    for cut in 0...sample.bytes.count where !hidden.contains(cut) {
      for piece in [Int.max, 1] {
        Self.check(
          sample, cut, sample, ["--restart-at", "/status", "/status"], between: [], piece: piece, isAtOnce: false)
      }
    }
  }

  @Test func theStartTagOfTheRootEndsTheDocument() {
    let sample = Self.list(.utf8)
    let section = Array("<![CDATA[".utf8)
    let start = sample.bytes.indices.first { sample.bytes[$0...].starts(with: section) } ?? 0
    #expect(start > 50)
    // All of `<status>]]>` except its last byte is in the section.
    for cut in 0...sample.bytes.count where !(start + section.count..<start + section.count + 11).contains(cut) {
      for piece in [Int.max, 1] {
        Self.check(
          sample, cut, sample, ["--restart-at", "/statuses", "/statuses/status"], between: [], piece: piece,
          isAtOnce: false)
      }
    }
  }
}
