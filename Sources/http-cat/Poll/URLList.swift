import FeedCore
import FeedHTTP

/// The file of `--urls`: a name, a tab and a URL on each line. It may change while the tool runs.
struct URLList {
  private static let maxSize = 64 << 20

  private let path: [UInt8]
  private let file: InputFile
  private let streams: StandardStreams
  /// The content of the file when it was last read.
  private var content: [UInt8]
  private(set) var entries: [(name: [UInt8], url: HTTPURL)]
  private var hasManyOrigins: Bool
  private var problem = ""

  /// - Parameter path: `-` for standard input, which is read once.
  init(_ path: [UInt8], _ http: HTTPOptions, _ streams: StandardStreams) throws(ToolFailure) {
    self.path = path
    self.streams = streams
    file = InputFile(path)
    content = try Self.read(file, streams)
    entries = try Self.parse(content, of: file.name, http)
    hasManyOrigins = Self.hasManyOrigins(entries)
    if let refusal = refusal(of: http) { throw .usage(refusal) }
  }

  /// Reads the file again.
  /// - Parameter http: the options for requests to the new entries.
  /// - Returns: whether the entries have changed. If they cannot be used, a message, once; the old entries stay.
  mutating func refresh(_ http: HTTPOptions) -> (isChanged: Bool, problem: Diagnostic?) {
    // Opening a FIFO would wait for its next writer.
    if file.isStandardInput || Descriptor.isSpecialFile(path) { return (false, nil) }
    do throws(ToolFailure) {
      let new = try Self.read(file, streams)
      if new == content, problem.isEmpty { return (false, nil) }
      var next = self
      next.entries = try Self.parse(new, of: file.name, http)
      next.hasManyOrigins = Self.hasManyOrigins(next.entries)
      if let refusal = next.refusal(of: http) { throw .failed(.error, refusal, source: file.name) }
      next.content = new
      next.problem = ""
      defer { self = next }
      return (!next.entries.elementsEqual(entries) { $0 == $1 }, nil)
    } catch {
      let isReported = error.message == problem
      problem = error.message
      return (false, isReported ? nil : error.diagnostic.adding("; keeping the old list"))
    }
  }

  private static func hasManyOrigins(_ entries: [(name: [UInt8], url: HTTPURL)]) -> Bool {
    entries.contains { $0.url.origin != entries[0].url.origin }
  }

  /// Why these URLs cannot be requested with these options; nil if they can. A secret belongs to one origin, and with
  /// several nobody can tell which.
  func refusal(of http: HTTPOptions) -> String? {
    guard hasManyOrigins, http.hasSecrets else { return nil }
    return "the URLs of '--urls' have more than one origin: put names and passwords in ~/.netrc (--netrc)"
  }

  private static func read(_ file: InputFile, _ streams: StandardStreams) throws(ToolFailure) -> [UInt8] {
    try file.readAll(streams, limit: maxSize, option: "the limit")
  }

  /// Blank lines and lines that begin with `#` are skipped.
  private static func parse(
    _ text: [UInt8], of source: String, _ http: HTTPOptions
  ) throws(ToolFailure) -> [(name: [UInt8], url: HTTPURL)] {
    var entries: [(name: [UInt8], url: HTTPURL)] = []
    var names: Set<[UInt8]> = []
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if line.allSatisfy(\.isWhiteSpace) || line.first == UInt8(ascii: "#") { continue }
      func problem(_ text: String) -> ToolFailure {
        // Without the line's text, which may contain a password.
        .failed(.error, text, source: source, place: TextPlace(line: index + 1, column: 1))
      }
      let name = Array(line.prefix { $0 != UInt8(ascii: "\t") })
      guard name.count < line.count, !name.isEmpty, UTF8Check.firstInvalid(name.span) == nil else {
        throw problem("expected a name, a tab and a URL")
      }
      guard names.insert(name).inserted else { throw problem("the name '\(quoted(name))' is used twice") }
      let url: HTTPURL
      do { url = try http.completed(HTTPURL(withScheme: Array(line.dropFirst(name.count + 1)))) } catch {
        throw problem(error.message)
      }
      entries.append((name, url))
    }
    if entries.isEmpty { throw .failed(.error, "no URLs in this file", source: source) }
    return entries
  }
}
