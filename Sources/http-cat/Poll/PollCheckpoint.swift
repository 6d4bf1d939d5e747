// The checkpoint of a resource: what is known of its last body, when it was asked last, and when it may be asked again.
// Times are milliseconds since 1970. `data` is null: the body itself went to the output.
//
//     {"event":"data","id":"1795185000123 \"v7\"","asked":1795185060140,"digest":"9f86…","etag":"\"v7\"","type":
//     "application/json","url":"https://api.example.com/board","data":null}

import FeedCore
import FeedHTTP

struct PollCheckpoint {
  /// No server's wish is kept for longer, in milliseconds: a clock that was wrong must not stop a tool for ever.
  private static let longestWait = 86_400_000

  private let path: [UInt8]?
  private var keeper: CheckpointKeeper
  /// The digest of the resource's URL, whose query may be a secret.
  private var resource: [UInt8] = []
  /// When the resource was asked last; 0 for never.
  private(set) var asked = 0
  /// When the server may be asked again; 0 for at once.
  private(set) var next = 0

  /// Keeps none where there is no path.
  init(_ path: [UInt8]?) throws(ToolFailure) {
    self.path = path
    keeper = try CheckpointKeeper(path)
  }

  /// What was known when it was saved.
  /// - Parameter url: of the resource; a checkpoint of another one is an error.
  mutating func read(for url: HTTPURL, now: Int) throws(ToolFailure) -> KnownBody {
    resource = SHA256.digest(Array(url.text.utf8)).flatMap(\.hexDigits)
    guard let path, let saved = try keeper.saved() else { return KnownBody() }
    func text(_ name: String) -> [UInt8] {
      saved.extra[name].flatMap { try? JSONDocument(parsing: $0).root.string } ?? []
    }
    func time(_ name: String) -> Int { saved.extra[name].flatMap { Int(decimal: $0) } ?? 0 }
    let other = text("resource")
    if !other.isEmpty, other != resource {
      throw .failed(.trouble, "the checkpoint of another URL", source: quoted(path))
    }
    // A time from the future was written by a clock that was wrong.
    asked = time("asked") > now ? 0 : time("asked")
    next = time("next") > now + Self.longestWait ? 0 : time("next")
    var known = KnownBody()
    known.id = saved.id
    known.digest = text("digest")
    let type = text("type")
    if !type.isEmpty { known.type = BodyType(mediaType: String(decoding: type, as: UTF8.self)) }
    if let source = try? HTTPURL(text("url")) {
      known.validators = Validators(url: source, tag: text("etag"), date: text("modified"))
    }
    return known
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
    var extra: [String: [UInt8]] = [:]
    func put(_ name: String, _ text: [UInt8]) {
      guard !text.isEmpty else { return }
      var output = ByteWriter()
      JSONString.write(text.span, to: &output)
      extra[name] = output.take()
    }
    put("resource", resource)
    put("digest", known.digest)
    put("type", Array((known.type?.mediaType ?? "").utf8))
    // JSON holds no other tag than one of UTF-8; the digest is enough.
    if let validators = known.strongValidators, UTF8Check.firstInvalid((validators.tag + validators.date).span) == nil {
      put("url", Array(validators.url.text.utf8))
      put("etag", validators.tag)
      put("modified", validators.date)
    }
    if asked > 0 { extra["asked"] = Array("\(asked)".utf8) }
    if next > 0 { extra["next"] = Array("\(next)".utf8) }
    keeper.invalidate()
    try keeper.save(Checkpoint(id: known.id, extra: extra))
  }
}
