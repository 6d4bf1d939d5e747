import Foundation
import TestSupport
import Testing

/// `examples/questions/browse`: a stored feed page by page, with a gap that is shown, and filled when asked.
@Suite(.enabled(if: Repository.has("python3") && Repository.has("jq")))
struct BrowseTests {
  let folder = Command.quote(Repository.path("examples/questions"))
  let scratch: ScratchFolder

  /// The lines that show what is above the gap, and what is below it.
  let upper: String
  let lower: String
  /// What the seventh poll prints: a question above all others, and those that are missing.
  let newest: String
  let missing: String

  init() throws {
    scratch = try ScratchFolder()
    let polls = QuestionsTests.shown.components(separatedBy: "-- poll ").map(QuestionsTests.titles)
    func lines(_ titles: some Collection<Substring>) -> String { titles.map { $0 + "\n" }.joined() }
    upper = lines(polls[6])
    let deleted = "+ Can't keep large numbers of JSON exact in Rust\n"
    lower = [5, 4, 2, 1].map { lines(polls[$0]) }.joined().replacingOccurrences(of: deleted, with: "")
    newest = lines(polls[7].prefix(1))
    missing = lines(polls[7].dropFirst())
  }

  /// Runs commands with a store that six polls have filled, and their server.
  /// - Parameter expected: the output.
  private func run(_ commands: String, _ expected: String...) throws {
    let result = try Command.shell(
      """
      mkfifo port
      \(folder)/server >port & server=$!
      read -r port <port
      export STORE=s.db INTERVAL=0 PAGE=60 no_proxy=127.0.0.1
      url="http://127.0.0.1:$port/2.3/questions?site=stackoverflow&pagesize=5"
      \(folder)/questions -n 6 "$url" >polls
      browse() { \(folder)/browse "$@"; }
      \(commands)
      echo "status $?"
      kill $server
      """, in: scratch.path)
    #expect(result.text == expected.joined() + "status 0\n")
    #expect(result.error.isEmpty)
  }

  private static let gap = "-- a gap: questions are missing here (m)\n"
  private static let above = "-- a gap: questions are missing above\n"
  private static let older = "-- the server has older questions (m)\n"

  /// Neither the first page nor the last leads further.
  @Test func toAndFroWithoutNetwork() throws {
    let (first, last) = (upper + Self.gap, Self.above + lower + Self.older)
    try run(
      #"printf 'n\nn\np\np\n\nt\nx\nq\nn\n' | browse s.db"#,
      first, last, last, first, first, last, first, "-- n, p, t, m or q\n", first)
  }

  /// The next poll prints what was read for the page.
  @Test func theGapIsFilledWhenAsked() throws {
    try run(
      #"printf 'm\nq\n' | browse s.db "$url"; paginate --store s.db "$url" | jq -s length"#,
      upper, Self.gap, newest, upper, missing, lower, Self.older, "6\n")
  }

  /// More of the feed than was read before, down to its end.
  @Test func olderQuestions() throws {
    let oldest = """
      + Awk: adding a month to the 31st of January
      + Sorting version numbers such as 1.9 and 1.10 in Swift
      + What does "broken pipe" mean, and why only in Python?
      + How do I read a file line by line in Bash?
      -- the end

      """
    try run(#"printf 'm\nm\nm\n' | browse s.db "$url" | tail -n 5"#, oldest)
  }

  @Test func withoutAURL() throws {
    let first = String(upper.prefix { $0 != "\n" }) + "\n"
    try run("echo m | PAGE=1 browse s.db", first, "-- m needs a URL\n", first)
  }

  @Test func wrongUsage() throws {
    for arguments in ["", "a b c"] {
      let result = try Command.shell("\(folder)/browse \(arguments)")
      #expect(result.status == 2 && result.text.isEmpty && result.error == "usage: browse STORE [URL]\n")
    }
    let result = try Command.shell("\(folder)/browse none.db", in: scratch.path)
    #expect(result.status == 2 && result.error == "paginate: none.db: no such file or directory\n")
  }
}
