import TestSupport
import Testing

/// `sse-cat URL | jpatch --follow` against a bad server, with parts of it killed; `paginate --store`, killed; `http-cat
/// --every` against servers of all kinds, and killed.
@Suite struct PipelineTests {
  @Test(.enabled(if: Repository.has("python3")))
  func nothingIsLostOrAppliedTwice() throws {
    // `make soak` runs it for longer.
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/soak"))) 3 7")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.hasPrefix("3 rounds: "))
  }

  @Test(.enabled(if: Repository.has("python3")))
  func nothingIsLostOrPrintedTwice() throws {
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/soak-store"))) 60 7")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.hasPrefix("60 rounds, "))
  }

  @Test(.enabled(if: Repository.has("python3")))
  func eachReaderOfOneStoreHasEverything() throws {
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/soak-readers"))) 20 7")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.hasPrefix("20 kills "))
  }

  @Test(.enabled(if: Repository.has("python3")))
  func whatIsDamagedIsSaid() throws {
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/damage"))) 60 7")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.hasPrefix("60 rounds: "))
  }

  @Test(.enabled(if: ["nginx", "apache2", "openssl", "python3"].allSatisfy(Repository.has)))
  func serversThatEverybodyHasArePolled() throws {
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/polled"))) 2")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.split(separator: "\n").count == 7)
  }

  @Test(.enabled(if: ["python3", "sqlite3"].allSatisfy(Repository.has)))
  func liveSourcesLoseNothing() throws {
    let driver = Command.quote(Repository.path("Tests/Pipeline/lossless"))
    let result = try Command.shell("\(driver) --kills 3 --seed 7 couchdb kubernetes telegram pages")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.split(separator: "\n").count == 4)
  }

  @Test(.enabled(if: Repository.has("python3")))
  func aServerThatLiesIsNotBelieved() throws {
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/liar"))) 250 7")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.contains(" requests, "))
  }

  @Test(.enabled(if: Repository.has("python3")))
  func aPageThatLiesIsNotBelieved() throws {
    let size = Dice.isWhole ? "--walks 300" : "--walks 100 --share 8"
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/lying-pages"))) \(size)")
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.hasSuffix(" 0 wrong\n"))
  }

  @Test(.enabled(if: Repository.has("python3")))
  func pagesThatShiftAreReadAgain() throws {
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/shifting"))) --count 200")
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.hasPrefix("200 histories, "))
  }

  @Test(.enabled(if: Repository.has("python3")))
  func severalPagesAtOnceArePolite() throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/at-once")))
    #expect(result.status == 0, "\(result.text)\(result.error)")
    #expect(result.text.split(separator: "\n").count >= 23)
  }

  @Test(.enabled(if: Repository.has("python3")))
  func aPollerThatIsKilledLosesNothing() throws {
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/soak-poll"))) 15 7")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.hasPrefix("--checkpoint: 15 rounds") && result.text.contains("\n--resume-from: 15 rounds"))
  }

  @Test(.enabled(if: Repository.has("python3")))
  func eachFeedOfManyHasItsDocument() throws {
    let result = try Command.shell("\(Command.quote(Repository.path("Tests/Pipeline/soak-by"))) 4 7")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.hasPrefix("http-cat: 4 rounds, 6 feeds") && result.text.contains("\nmade: 4 rounds, 40 feeds"))
  }

  @Test(.enabled(if: Repository.has("python3")))
  func aHundredURLsArePolledByOneProcess() throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/many")))
    #expect(result.status == 0, "\(result.error)")
    #expect(result.text.hasPrefix("100 URLs, "))
  }

  @Test(.enabled(if: Repository.has("nginx") && Repository.has("python3") && Repository.has("curl")))
  func throughNginx() throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/behind-nginx")))
    #expect(result.status == 0 && result.text == "same\n", "\(result.error)")
  }

  /// The demo, as `make demo` runs it, without pauses.
  @Test func theNewswireExample() throws {
    let newswire = Command.quote(Repository.path("examples/newswire/newswire"))
    let result = try Command.shell(newswire, environment: ["PAUSE": "0"])
    #expect(result.status == 0 && result.error.isEmpty)
    let lines = result.text.split(separator: "\n")
    let views = lines.filter { $0.hasPrefix("-- newswire, update ") }
    // Of 16 events, two are not shown: one that turns the feed back to older results, and one that brings it forward
    // again.
    #expect(views.count == 14 && lines.count == 14 * 13)
    #expect(lines.last == "  09:52  Business     Strike at Three Ports Ends After Dawn Vote")
    #expect(lines[lines.count - 12] == "* 10:25  Climate      Storm Names Run Out, and the List Starts Again")
  }
}

/// The five systems that the tools are made for, each with its line of the README.
@Suite struct SystemsTests {
  @Test(
    .enabled(if: Repository.has("python3") && Repository.has("jq")),
    arguments: [
      "newswire", "events", "ticker", "statuses", "questions",
    ])
  func runsByItsLine(_ system: String) throws {
    let result = try Command.shell(Command.quote(Repository.path("Tests/Pipeline/systems")) + " " + system)
    #expect(result.status == 0 && result.text.hasPrefix(system + ": "), "\(result.text)\(result.error)")
  }
}
