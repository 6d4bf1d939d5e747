import Foundation
import TestSupport
import Testing

@testable import FeedCore
@testable import xml_split

/// --on-error repair: nothing that can be kept is lost, and what is kept is well-formed, however the input is cut.
@Suite struct RepairTests {
  /// One of each fault, in a record, in an attribute and outside.
  static let sample = """
    <!-- -- --><?xml version="1.0"?><?xml version="1.0"?>
    <l a=1>&nbsp;& <br>\u{1}<d>x<br></d></br><i>1&nbsp;&bad;&#0;&#x;AT&T & <3 <a@b> ]]> \u{FFFF}</i>
    <i id=1 id="2"x='3' y>a<b title="1 < 2 &eacute; & b" c="&d;">b</b><a title="x>c<img src=x?a&b/></a><p>d
    <p>e</i><!-- & -- <i>\u{2} ---><i><![CDATA[\u{3}]]&<]]><?p \u{4}?></b></b x="y"></></i><i><b>&</b<u>1</u></i>
    <i>1</k></i><i>]]</k>>]</k>]></i><i>&amp;&lt;&#10;</i><i>\u{7}]]]>&&&lt;&<<< <!x <?1 </x ><b b=></b></i><i/>&</l>&
    """

  static let bytes: [UInt8] = {
    let bad: [[UInt8]] = [
      [0x93, 0x41, 0x94], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF0, 0x9F], [0x81], [0xEF, 0xBF, 0xBF],
    ]
    let records = bad.map {
      Array("<i x='".utf8) + $0 + Array("'>".utf8) + $0 + Array("<!--".utf8) + $0 + Array("--></i>".utf8)
    }
    return Array(sample.utf8) + Array("<l>".utf8) + records.joined() + Array("</l>".utf8)
  }()

  private static func run(_ input: [UInt8], piece: Int = .max, until end: Int = .max) -> SplitRun {
    SplitRun(["-0", "--on-error", "repair", "//i"], input, piece: piece, until: end)
  }

  private static func check(_ run: SplitRun, as whole: SplitRun, _ comment: String) {
    #expect(run.output == whole.output, "\(comment)")
    #expect(run.error == whole.error, "\(comment)")
    #expect(run.status == whole.status, "\(comment)")
  }

  @Test func cutAnywhereItIsTheSame() {
    let whole = Self.run(Self.bytes)
    #expect(whole.output.count { $0 == 0 } > 12, "\(whole.error)")
    for cut in 0...Self.bytes.count {
      Self.check(Self.run(Self.bytes, piece: cut, until: cut), as: whole, "cut at \(cut)")
    }
    for piece in [1, 2, 3, 7] { Self.check(Self.run(Self.bytes, piece: piece), as: whole, "in pieces of \(piece)") }
  }

  /// What cannot be repaired.
  private static let tooDeep = "<b><b><b/></b></b>"

  /// The same for elements that take the place of others, which have no end, are too large or cannot be repaired.
  @Test(arguments: [
    "<l><i>1<i>2</i><p><i a='b'>3<i/>&nbsp;4</i></l><l><i>5</i></l>", "<l><i><i><i><i>1</i><q>2</i><i>&nbsp;3</i></l>",
    "<l><i>11111111111<i>2</i><i>3<b>x</b></i>4444444444<i>5</i></i><i>6</i></l>", "<i>1<i><b>2</b></i><i>3</i><i",
    "<l><i>1<i>2</i>\(tooDeep)<i>3</i><i>4<i>5\(tooDeep)<i>6</i></l><l><i>7</i></l>",
  ])
  func whatTakesThePlaceOfOthersDoesNotDependOnCuts(_ text: String) {
    let input = Array(text.utf8)
    for form in ["-0", "-j", "--one-line", "--nested"] {
      let arguments = [form, "--on-error", "repair", "--max-size", "40", "--max-depth", "4", "i"]
      let whole = SplitRun(arguments, input)
      #expect(whole.output.count > 10 || form == "--nested", "\(whole.error)")
      for cut in 0...input.count {
        Self.check(SplitRun(arguments, input, piece: cut, until: cut), as: whole, "\(form) cut at \(cut)")
      }
      Self.check(SplitRun(arguments, input, piece: 1), as: whole, "\(form) in bytes")
    }
  }

  /// However much of the input comes after it.
  @Test func anUnclosedElementCostsNothingElse() {
    let text = String(repeating: "x", count: 950)
    let items = (0..<30_000).map { "<i>\($0)\(text)</i>" }.joined()
    for (limit, count) in [("64M", 1), ("1M", 2)] {
      let run = SplitRun(
        ["--on-error", "repair", "--max-size", limit, "--count", "i"], Array("<l><i><i><i>\(items)</l>".utf8),
        piece: 1 << 16)
      #expect(run.output == Array("30000\n".utf8))
      #expect(run.error.split(separator: "\n").count == count, "\(run.error)")
    }
  }

  /// After a repair, the input comes in slices: tags, references and characters are cut there too.
  @Test func slicesAreNoDifferent() {
    for shift in 0..<12 {
      var input = Array("<l>".utf8) + [UInt8](repeating: 0x20, count: shift * 23)
      for _ in 0..<30 { input += Self.bytes }
      let whole = Self.run(input)
      #expect(whole.output.count { $0 == 0 } > 300, "\(whole.error)")
      Self.check(Self.run(input, piece: 1000), as: whole, "shifted by \(shift)")
    }
  }

  /// A form feed ends the document before it, repaired or not.
  @Test func aFormFeedKeepsDocumentsApart() {
    let second = Array("<l><i>&nbsp;</i></l>".utf8)
    let after = Self.run(second).output
    for cut in Dice.some(0...Self.bytes.count) {
      let first = Array(Self.bytes[..<cut])
      let expected = Self.run(first).output + after
      let piece = cut % 2 == 0 ? Int.max : 5
      let joined = Self.run(first + [0xC] + second, piece: piece)
      #expect(joined.output == expected, "cut at \(cut) in pieces of \(piece): \(joined.error)")
    }
  }

  /// Messages name places of the input, although the text before them has changed.
  @Test func placesAreThoseOfTheInput() throws {
    for repairs in [0, 1, 9, 2000] {
      let line = String(repeating: "&nbsp;<b>x</i><i a=b>\n", count: repairs) + String(repeating: "& ", count: repairs)
      let run = SplitRun(["--on-error", "repair", "i"], Array("<l><i>\(line)</l>".utf8), piece: 777)
      let place = "-:\(repairs + 1):\(2 * repairs + (repairs == 0 ? 7 : 1)): expected </i>, found </l>"
      #expect(run.error.contains(place), "\(repairs): \(run.error)")
    }
  }

  // MARK: Other programs

  /// What `stop` refuses, `skip` and `repair` report; what it accepts, they leave alone. But a reference below an external
  /// DTD is repaired wherever it is.
  @Test(arguments: 1...5)
  func everyRepairIsTold(_ seed: Int) {
    let feed = """
      <?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e "x">]><rss xmlns:n="u"><channel><title>T &amp; t</title><n:c a="N"/>
      <item id="1"><t>one &e;</t></item><!-- c --><item k='v'><![CDATA[a]]></item><?p x?><cat/>é</channel></rss>
      """
    let corpus = [Self.bytes, Array(feed.utf8), Array("<l><i>1</i><b>2<i a=\"b&lt;\">3</i></b></l>".utf8)]
    var damage = Damage(seed: seed, corpus.map { Oracle.Document(name: "", bytes: $0) })
    var refused = 0
    for number in 0..<Dice.rolls(1000) {
      let input = damage.next()
      let path = ["/rss/channel/item", "//i", "nothing", "channel"][number % 4]
      let runs = ["stop", "skip", "repair"].map { SplitRun(["-j", "--on-error", $0, path], input) }
      if runs[0].status == 2 { refused += 1 }
      for run in runs.dropFirst() {
        let isTold = runs[0].status == 2 && run.status != 0 && !run.error.isEmpty
        let isSame = run.status == runs[0].status && run.output == runs[0].output && run.error == runs[0].error
        #expect(isTold || isSame, "seed \(seed)/\(number), \(path): \(runs[0].error)\(run.error)")
      }
    }
    #expect(refused > Dice.rolls(300))
  }

  /// Random documents with random damage.
  @Test(.enabled(if: Oracle.expat != nil, "there is no python3"), arguments: 1...4)
  func whatIsKeptIsWellFormed(_ seed: Int) throws {
    var drafts = (0..<100).map { Oracle.Document(name: "draft \($0)", bytes: Array(XMLDraft(seed: $0).text.utf8)) }
    // Another encoding would be another test.
    drafts.removeAll { $0.bytes.count > 2000 || $0.bytes.starts(with: "<?xml ".utf8) }
    #expect(drafts.count > 30)
    var damage = Damage(seed: seed, drafts + [Oracle.Document(name: "sample", bytes: Self.bytes)])
    let arguments = ["-0", "--on-error", "repair", seed % 2 == 0 ? "/*" : "/*/*"]
    var items: [(Oracle.Document, Data)] = []
    for number in 0..<Dice.rolls(300) {
      let document = Oracle.Document(name: "damaged \(seed)/\(number)", bytes: damage.next())
      let run = SplitRun(arguments, document.bytes)
      Self.check(SplitRun(arguments, document.bytes, piece: 1), as: run, "\(document.name) in bytes")
      items.append((document, Data(run.output)))
    }
    #expect(try Oracle.compare(Oracle.expat, "elements", items) > Dice.rolls(60))
  }

  /// What is kept, repaired and dropped of feeds with each kind of fault.
  @Test(.enabled(if: Repository.has("python3")))
  func brokenFeeds() throws {
    let result = try Command.shell("python3 \(Self.feeds) table", environment: ["PYTHONUTF8": "1"])
    #expect(result.status == 0, "\(result.error)")
    let expected = try Repository.contents("Tests/Fixtures/xml/broken-feeds.txt").split(separator: "\n")
    #expect(expected.count > 60)
    let lines = result.text.split(separator: "\n")
    for (line, right) in zip(lines, expected) { #expect(line == right) }
    #expect(lines.count == expected.count)
  }

  /// feedparser, the reader of broken feeds, finds no item in them that is lost here.
  @Test(.enabled(if: Repository.has("python3")))
  func feedparserFindsNoMore() throws {
    guard let path = try PyPI.path(of: "feedparser") else { return }
    let result = try Command.shell(
      "python3 \(Self.feeds) feedparser", environment: ["PYTHONUTF8": "1", "PYTHONPATH": path])
    #expect(try Oracle.compared(result, "feedparser") > 300)
  }

  private static let feeds = Command.quote(Repository.path("Tests/Fixtures/xml/feeds.py"))
}
