import FeedCore
import TestSupport
import Testing

@testable import FeedHTTP
@testable import paginate

/// The samples of Tests/Fixtures/paginate/apis. Each is played by a server for the real tool (`play-api`).
struct APITests {
  static let folder = "Tests/Fixtures/paginate/apis"
  static let files = (try? Repository.files(folder).filter { $0.hasSuffix(".api") }) ?? []

  @Test func thereAreSamples() { #expect(Self.files.count >= 50) }

  @Test(.enabled(if: Repository.has("python3")), arguments: files)
  func everyAPI(_ file: String) throws {
    let result = try Command.shell("play-api \(Command.quote(Repository.path(file)))")
    #expect(result.status == 0 && result.text.isEmpty && result.error.isEmpty, "\(result.text)\(result.error)")
  }

  /// No page fits the rows of two APIs, so a new row cannot change what is found for another API.
  @Test(arguments: files)
  func aPageFitsOneRow(_ file: String) throws {
    for page in try Self.firstPages(of: file) {
      let document = try? JSONDocument(parsing: page.body.bytes)
      guard let document else { continue }
      let rows = (Convention.cursors + Convention.withoutLink)
        .filter { $0.applies(to: document.root, page.head, isInBody: page.isInBody) }
      #expect(Set(rows.map(\.api)).count <= 1, "\(file): \(page.title): \(rows.map(\.reason))")
      #expect(Set(rows.map(\.next)).count <= 1, "\(file): \(page.title): \(rows.map(\.reason))")
    }
  }

  /// A row without a sample may be a guess.
  @Test func everyRowHasASample() throws {
    let seen = try Self.files.map { try Repository.contents($0) }.joined()
    for row in Convention.cursors + Convention.withoutLink {
      let places = row.next.hasPrefix("{body}") ? ["body:/", ""] : [""]
      for next in places.map({ row.next.replacing("{body}", with: $0) }) {
        let isSeen = seen.contains("\n* looks like \(row.reason): --next \(next.prefix { !" *{".contains($0) })")
        #expect(isSeen, "\(row.reason) \(next)")
      }
    }
  }

  /// With a rule that names a place which no page has, a part of a feed does not pass for the whole: the rule is
  /// refused, or the status is 1. The pages of some say nothing of the kind, as bare arrays do.
  @Test func mistypedRulesAreRefused() throws {
    var (refused, all) = (0, 0)
    for file in Self.files {
      for page in try Self.firstPages(of: file) where page.isFollowed && (try? json(page.body)) != nil {
        for rule in ["/nxt", "link", "c=/nxt", "c=header:x-nxt"] {
          let links = LinkHeader.paging(in: page.head, page: nil)
          if rule == "link", links != nil { continue }
          let head = page.head.fields.map { "\($0.name): \(text($0.value))" }
          let walk = FakeServer.walk(
            try Options(typed: "--next \(rule)"), PageRequest(line: "GET https://a.example/feed"),
            [FakeServer.Response(head: head, body: page.body)])
          let isRefused = ["page:", "usage:", "incomplete:"].contains(where: walk.end.hasPrefix)
          let saysNothing = page.body.hasPrefix("[") || Self.silent.contains { file.hasSuffix("/\($0).api") }
          #expect(isRefused || saysNothing, "\(file): \(page.title): --next \(rule): \(walk.end)")
          all += 1
          if isRefused { refused += 1 }
        }
      }
    }
    #expect(all >= 500 && refused * 100 >= all * 90, "\(refused) of \(all)")
  }

  /// APIs of which a first page may say nothing of the pages after it.
  private static let silent = [
    "fhir", "gocardless", "matrix", "strapi", "telegram", "the-graph",
  ]

  // MARK: -

  struct FirstPage {
    var title = ""
    var head = makeHead([])
    var isInBody = false
    var body = ""
    /// Whether the walk has another page.
    var isFollowed = false
  }

  /// The first response of each walk with status 200.
  static func firstPages(of file: String) throws -> [FirstPage] {
    try Repository.contents(file).split(separator: "\n= ").dropFirst().compactMap { walk in
      var page = FirstPage()
      var head: [String] = []
      var isResponse = false
      for (number, line) in walk.split(separator: "\n").enumerated() {
        if number == 0 { page.title = String(line) }
        if line.hasPrefix("> "), isResponse {
          page.isFollowed = true
          break
        }
        if line.hasPrefix("< ") {
          if isResponse { head.append(String(line.dropFirst(2))) } else if !line.hasPrefix("< 2") { return nil }
          isResponse = true
        } else if line.hasPrefix("  ") {
          if isResponse { page.body += line.dropFirst(2) + "\n" } else { page.isInBody = true }
        }
      }
      page.head = makeHead(head)
      return isResponse ? page : nil
    }
  }
}
