import FeedCore
import FeedHTTP

/// The checkpoint of a resource: what is known of its last body, the time of the last request, and the earliest time for
/// the next. Times are milliseconds since 1970. `data` is null: the body itself was printed.
///
///     {"event":"data","id":"1795185000123456 \"v7\"","asked":1795185060140,"digest":"9f86…","etag":"\"v7\"","type":
///     "application/json","resource":"03ac…","data":null}
///
/// `resource` is the digest of the URL. `url` is the target of a redirect, to which the validators belong.
struct PollCheckpoint {
  /// The longest wait that is kept, in milliseconds: a wrong clock must not stop a tool for ever.
  private static let longestWait = 86_400_000

  private let path: [UInt8]?
  private var keeper: CheckpointKeeper
  private let url: HTTPURL
  /// The time of the last request; 0 for never.
  private(set) var asked = 0
  /// The earliest time for the next request; 0 for at once.
  private(set) var next = 0

  /// The digest of the URL, because its query may be a secret.
  private var resource: [UInt8] { SHA256.digest(Array(url.text.utf8)).flatMap(\.hexDigits) }

  /// - Parameters:
  ///   - path: nil to keep no checkpoint.
  ///   - url: the resource.
  init(_ path: [UInt8]?, of url: HTTPURL) throws(ToolFailure) {
    self.path = path
    self.url = url
    keeper = try CheckpointKeeper(path, hint: " (--resume-from only reads it)")
  }

  /// What was known when it was saved.
  /// - Parameters:
  ///   - values: get those that were kept.
  ///   - now: in milliseconds since 1970.
  /// - Throws: if it is the checkpoint of another resource.
  mutating func read(_ values: inout KeptValues, now: Int) throws(ToolFailure) -> KnownBody {
    guard let path, let saved = try keeper.saved() else { return KnownBody() }
    values.resume(from: saved)
    // Our checkpoint would overwrite the document.
    if saved.document != nil {
      throw .failed(
        .error, "this checkpoint holds a document, so it belongs to another program", source: quoted(path))
    }
    let other = saved.text("resource")
    if !other.isEmpty, other != resource {
      throw .failed(.error, "this checkpoint belongs to another URL", source: quoted(path))
    }
    func time(_ name: String) -> Int { saved.extra[name].flatMap { Int(decimal: $0) } ?? 0 }
    // A time in the future was written by a wrong clock.
    asked = time("asked") > now ? 0 : time("asked")
    next = time("next") > now + Self.longestWait ? 0 : time("next")
    return KnownBody(saved, of: url)
  }

  /// Saved before a request: a tool that dies of the response and is restarted must not ask more often.
  mutating func begin(_ known: KnownBody, _ values: KeptValues, now: Int) throws(ToolFailure) {
    asked = now
    next = 0
    try save(known, values)
  }

  /// Saves what is known after printing, for the next start.
  mutating func finish(_ known: KnownBody, _ values: KeptValues, next: Int) throws(ToolFailure) {
    self.next = next
    try save(known, values)
  }

  private mutating func save(_ known: KnownBody, _ values: KeptValues) throws(ToolFailure) {
    guard path != nil else { return }
    var checkpoint = known.checkpoint(of: url)
    values.save(in: &checkpoint)
    checkpoint.set("resource", resource)
    if asked > 0 { checkpoint.extra["asked"] = Array("\(asked)".utf8) }
    if next > 0 { checkpoint.extra["next"] = Array("\(next)".utf8) }
    keeper.invalidate()
    try keeper.save(checkpoint)
  }
}
