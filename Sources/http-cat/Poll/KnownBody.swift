// What is known of the last body of a resource: its validators and its digest. It decides whether the next response is
// new and makes the next request conditional. A checkpoint stores it.

import FeedCore
import FeedHTTP

/// What identifies a body for the server (RFC 9110 §8.8). The values are sent back exactly as received.
struct Validators: Equatable, Sendable {
  /// The URL that gave them, after redirects: they are sent to no other URL.
  let url: HTTPURL
  /// Empty for none. At least one of tag and date is set.
  let tag: [UInt8]
  let date: [UInt8]

  /// Longer values would make a head that servers refuse: many accept 8 KiB in total.
  private static let longest = 4000

  /// From values of a server or a file; values that could not be sent back are left out.
  init?(url: HTTPURL, tag: [UInt8], date: [UInt8]) {
    func isUsable(_ value: [UInt8]) -> Bool { value.count <= Self.longest && isSendable(value) }
    // A star would ask whether there is any body at all (RFC 9110 §13.1.2).
    let hasTag = isUsable(tag) && !tag.elementsEqual("*".utf8)
    let hasDate = isUsable(date)
    self.url = url
    self.tag = hasTag ? tag : []
    self.date = hasDate ? date : []
    if self.tag.isEmpty, self.date.isEmpty { return nil }
  }

  /// The validators of a response with a body. They replace all earlier ones (RFC 9111 §3.2).
  ///
  /// Dates have whole seconds, and the body may change again in the second in which it was sent. Then the date cannot
  /// distinguish the two (RFC 9110 §8.8.2.2), and neither can a tag that is made from the date, as in nginx.
  /// - Parameter now: the time of the response, in seconds since 1970, for a server that does not send it.
  init?(_ head: HTTPHead, of url: HTTPURL, now: Int) {
    let tag = head.value(of: "etag") ?? []
    let date = head.value(of: "last-modified") ?? []
    let sent = head.value(of: "date").flatMap { HTTPDate.seconds($0) } ?? now
    guard let modified = HTTPDate.seconds(date), modified >= sent else {
      self.init(url: url, tag: tag, date: date)
      return
    }
    self.init(url: url, tag: Self.isMade(tag, of: modified) ? [] : tag, date: [])
  }

  /// Whether nginx made the tag from a file: the seconds and the length, both in hexadecimal digits.
  private static func isMade(_ tag: [UInt8], of seconds: Int) -> Bool {
    let digits = seconds.hexDigits.drop { $0 == UInt8(ascii: "0") }
    return bare(tag).drop { $0 == UInt8(ascii: "\"") }.starts(with: digits + Array("-".utf8))
  }

  /// The validators after a 304, which may bring another date for the same tag. Another tag is ignored: it may belong
  /// to a body that we have not seen (RFC 9111 §4.3.4).
  func confirmed(by head: HTTPHead) -> Validators {
    let other = head.value(of: "etag") ?? []
    let newer = head.value(of: "last-modified") ?? []
    guard !tag.isEmpty, Self.bare(other) == Self.bare(tag), !newer.isEmpty else { return self }
    return Validators(url: url, tag: tag, date: newer) ?? self
  }

  /// The condition of the next request.
  var condition: (url: HTTPURL, headers: [HTTPRequest.Header]) {
    let fields = [("If-None-Match", tags), ("If-Modified-Since", date)].filter { !$0.1.isEmpty }
    return (url, fields.map { HTTPRequest.Header($0.0, $0.1) })
  }

  /// The value of `If-None-Match`; empty for none.
  var tags: [UInt8] {
    // Apache adds the ending to the tag of a compressed body, but answers 304 only to the tag without it.
    let ending = Array("-gzip\"".utf8)
    let isCompressed = tag.count > ending.count && tag.suffix(ending.count).elementsEqual(ending)
    return isCompressed ? tag + Array(", ".utf8) + tag.dropLast(ending.count) + Array("\"".utf8) : tag
  }

  /// A tag without the parts that may differ for one body: the mark of a weak tag, and Apache's ending.
  private static func bare(_ tag: [UInt8]) -> ArraySlice<UInt8> {
    var bare = tag[...]
    if bare.starts(with: "W/".utf8) { bare = bare.dropFirst(2) }
    if bare.last == UInt8(ascii: "\"") { bare = bare.dropLast() }
    let ending = Array("-gzip".utf8)
    return bare.suffix(ending.count).elementsEqual(ending) ? bare.dropLast(ending.count) : bare
  }
}

/// The last body of a resource, as far as it is known.
struct KnownBody: Equatable, Sendable {
  /// The id of its record: a number of `EventIDs`, a blank, and the tag, date or digest.
  var id: [UInt8] = []
  /// The validators for a conditional request.
  var validators: Validators?
  /// In hexadecimal digits; empty if unknown.
  var digest: [UInt8] = []
  /// Nil until a body has come.
  var type: BodyType?

  init() {}

  /// What the id of a record says about the body.
  /// - Parameter url: the resource.
  init(id: [UInt8], of url: HTTPURL) {
    self.id = id
    guard let cut = id.firstIndex(of: UInt8(ascii: " ")), Int(decimal: id[..<cut]) != nil else { return }
    let validator = Array(id[(cut + 1)...])
    if validator.starts(with: Self.dateMark) {
      validators = Validators(url: url, tag: [], date: Array(validator.dropFirst(Self.dateMark.count)))
    } else if validator.starts(with: Self.digestMark) {
      digest = Array(validator.dropFirst(Self.digestMark.count))
    } else {
      validators = Validators(url: url, tag: validator, date: [])
    }
  }

  /// For a longer tag, the id has the digest.
  private static let longestTag = 1000
  private static let dateMark = Array("lm:".utf8)
  private static let digestMark = Array("sha256:".utf8)

  /// The id of a body: its tag as received, or the date, or the digest.
  static func id(number: [UInt8], _ validators: Validators?, digest: [UInt8]) -> [UInt8] {
    func isFit(_ value: [UInt8]) -> Bool {
      !value.isEmpty && value.count <= longestTag && UTF8Check.firstInvalid(value.span) == nil
    }
    let tag = validators?.tag ?? []
    let date = validators?.date ?? []
    let isMistakable = tag.starts(with: dateMark) || tag.starts(with: digestMark)
    let validator = isFit(tag) && !isMistakable ? tag : isFit(date) ? dateMark + date : digestMark + digest
    return number + [UInt8(ascii: " ")] + validator
  }
}

// MARK: - In a checkpoint

/// The parts of a body that a checkpoint keeps. All members are strings; a member of another type counts as absent.
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
