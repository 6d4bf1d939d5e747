import FeedCore

/// The head of a response.
struct ResponseHead {
  let status: Int
  private(set) var text: [UInt8] = []

  private static let phrases = [
    200: "OK", 204: "No Content", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found",
    405: "Method Not Allowed", 408: "Request Timeout", 413: "Content Too Large", 414: "URI Too Long",
    421: "Misdirected Request", 431: "Request Header Fields Too Large", 503: "Service Unavailable",
    505: "HTTP Version Not Supported",
  ]

  init(_ status: Int, closes: Bool) {
    self.status = status
    text.append(contentsOf: "HTTP/1.1 \(status) \(Self.phrases[status] ?? "")\r\n".utf8)
    set("Date", Self.date(Clock.now()))
    if closes { set("Connection", "close") }
  }

  mutating func set(_ name: String, _ value: String) { set(name, Array(value.utf8)) }

  mutating func set(_ name: String, _ value: [UInt8]) {
    text.append(contentsOf: name.utf8)
    text.append(contentsOf: ": ".utf8)
    text.append(contentsOf: value)
    text.append(contentsOf: "\r\n".utf8)
  }

  /// The fields of cross-origin sharing (Fetch §3.3), for a page of `origin`.
  mutating func share(with origin: [UInt8]?, allowed: [[UInt8]]) {
    guard !allowed.isEmpty else { return }
    let any = Array("*".utf8)
    if allowed.contains(any) {
      set("Access-Control-Allow-Origin", any)
    } else {
      // A cache must not give one origin the response for another.
      set("Vary", "Origin")
      guard let origin, allowed.contains(origin) else { return }
      set("Access-Control-Allow-Origin", origin)
    }
    set("Access-Control-Expose-Headers", "ETag")
  }

  /// The head with the empty line at its end.
  var finished: [UInt8] { text + Array("\r\n".utf8) }

  /// In the form of RFC 9110 §5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
  /// - Parameter microseconds: since 1970.
  static func date(_ microseconds: Int64) -> String {
    let time = CivilTime(microseconds: microseconds)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    // The first day of 1970 was a Thursday.
    let day = days[(time.seconds / 86_400 + 4) % 7]
    func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(day), \(twoDigits(time.day)) \(months[time.month - 1]) \(time.year) "
      + "\(twoDigits(time.hour)):\(twoDigits(time.minute)):\(twoDigits(time.second)) GMT"
  }
}
