// The checkpoint of a resource: what is known of its last body, when it was asked last, and when it may be asked again.
// Times are milliseconds since 1970. `data` is null: the body itself went to the output.
//
//     {"event":"data","id":"1795185000123 \"v7\"","asked":1795185060140,"digest":"9f86…","etag":"\"v7\"","type":
//     "application/json","resource":"03ac…","data":null}
//
// `resource` is the digest of the URL. `url` is where a redirect has led to, whose validators these are.

import FeedCore
import FeedHTTP

struct PollCheckpoint {
  /// No server's wish is kept for longer, in milliseconds: a clock that was wrong must not stop a tool for ever.
  private static let longestWait = 86_400_000

  private let path: [UInt8]?
  private var keeper: CheckpointKeeper
  private let url: HTTPURL
  /// When the resource was asked last; 0 for never.
  private(set) var asked = 0
  /// When the server may be asked again; 0 for at once.
  private(set) var next = 0

  /// The digest of the URL, whose query may be a secret.
  private var resource: [UInt8] { SHA256.digest(Array(url.text.utf8)).flatMap(\.hexDigits) }

  /// - Parameters:
  ///   - path: nil to keep none.
  ///   - url: of the resource.
  init(_ path: [UInt8]?, of url: HTTPURL) throws(ToolFailure) {
    self.path = path
    self.url = url
    keeper = try CheckpointKeeper(path, hint: " (--\(Flag.resumeFrom.spec.name) only reads it)")
  }

  /// What was known when it was saved.
  /// - Parameter now: in milliseconds since 1970.
  /// - Throws: where it is the checkpoint of another resource.
  mutating func read(now: Int) throws(ToolFailure) -> KnownBody {
    guard let path, let saved = try keeper.saved() else { return KnownBody() }
    // Ours would take its place.
    if saved.document != nil {
      throw .failed(
        .trouble, "this checkpoint holds a document, so it belongs to another program", source: quoted(path))
    }
    let other = saved.text("resource")
    if !other.isEmpty, other != resource {
      throw .failed(.trouble, "this checkpoint belongs to another URL", source: quoted(path))
    }
    func time(_ name: String) -> Int { saved.extra[name].flatMap { Int(decimal: $0) } ?? 0 }
    // A time from the future was written by a clock that was wrong.
    asked = time("asked") > now ? 0 : time("asked")
    next = time("next") > now + Self.longestWait ? 0 : time("next")
    return KnownBody(saved, of: url)
  }

  /// A request is about to be made: a tool that dies of the answer and is started again must not ask more often.
  mutating func begin(_ known: KnownBody, now: Int) throws(ToolFailure) {
    asked = now
    next = 0
    try save(known)
  }

  /// What was printed goes on from here.
  mutating func finish(_ known: KnownBody, next: Int) throws(ToolFailure) {
    self.next = next
    try save(known)
  }

  private mutating func save(_ known: KnownBody) throws(ToolFailure) {
    guard path != nil else { return }
    var checkpoint = known.checkpoint(of: url)
    checkpoint.set("resource", resource)
    if asked > 0 { checkpoint.extra["asked"] = Array("\(asked)".utf8) }
    if next > 0 { checkpoint.extra["next"] = Array("\(next)".utf8) }
    keeper.invalidate()
    try keeper.save(checkpoint)
  }
}
