// The parts of a body that a checkpoint keeps. All members are strings; a member of another type counts as absent.

import FeedCore
import FeedHTTP

extension KnownBody {
  /// - Parameter url: the resource of the checkpoint.
  init(_ saved: Checkpoint, of url: HTTPURL) {
    id = saved.id
    digest = saved.text("digest")
    let mediaType = saved.text("type")
    if !mediaType.isEmpty { type = BodyType(mediaType: String(decoding: mediaType, as: UTF8.self)) }
    let source = saved.text("url")
    if let source = source.isEmpty ? url : try? HTTPURL(source) {
      validators = Validators(url: source, tag: saved.text("etag"), date: saved.text("modified"))
    }
  }

  /// - Parameter url: the resource.
  func checkpoint(of url: HTTPURL) -> Checkpoint {
    var saved = Checkpoint(id: id)
    saved.set("digest", digest)
    saved.set("type", Array((type?.mediaType ?? "").utf8))
    // JSON cannot hold a tag that is not UTF-8. If a redirect led to a query, that may be a secret. In both cases the
    // digest is enough.
    guard let validators = validators, (validators.tag + validators.date).isUTF8 else { return saved }
    if validators.url.text != url.text {
      if validators.url.text.utf8.contains(UInt8(ascii: "?")) { return saved }
      saved.set("url", Array(validators.url.text.utf8))
    }
    saved.set("etag", validators.tag)
    saved.set("modified", validators.date)
    return saved
  }
}

extension Checkpoint {
  /// The value of a string member; empty for none.
  func text(_ name: String) -> [UInt8] {
    extra[name].flatMap { try? JSONDocument(parsing: $0).root.string } ?? []
  }

  /// Sets a member, unless it is empty.
  mutating func set(_ name: String, _ text: [UInt8]) {
    guard !text.isEmpty else { return }
    var output = ByteWriter()
    JSONString.write(text.span, to: &output)
    extra[name] = output.take()
  }
}
