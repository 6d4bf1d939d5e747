// The network between tools that send requests and the servers of a history. libcurl asks it: Calls/Curl.swift.

/// A request, and the response to it as far as its server has sent it.
final class HTTPExchangeOfWorld {
  let url: String
  let method: String
  /// The lines of the head that the tool has set.
  let fields: [[UInt8]]
  let body: [UInt8]
  /// The lines of the head, and the part of the body, that the client has not taken.
  private(set) var head: [String] = []
  private(set) var sent: [UInt8] = []
  private(set) var end: End?
  /// Whether it has changed since the client last looked.
  var isNews = false
  /// Whether the client has gone.
  private(set) var isDropped = false
  private unowned let world: World

  /// How a response ends.
  enum End {
    case whole
    case refused
    case timedOut
    case reset
    /// Before as many bytes as the head has named.
    case cut
  }

  init(_ method: String, _ url: String, _ fields: [[UInt8]], _ body: [UInt8], _ world: World) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.world = world
  }

  /// The value of a header, as sent.
  func value(_ name: String) -> String? {
    for field in fields {
      guard let colon = field.firstIndex(of: UInt8(ascii: ":")) else { continue }
      guard text(field[..<colon]).lowercased() == name else { continue }
      return String(text(field[(colon + 1)...]).drop { $0 == " " })
    }
    return nil
  }

  /// Whether the client still waits for more.
  var isOpen: Bool { !isDropped && end == nil }

  func head(_ status: Int, _ fields: [String] = []) {
    guard isOpen else { return }
    world.note("HTTP \(status)")
    head = ["HTTP/1.1 \(status) X"] + fields + [""]
    isNews = true
  }

  func send(_ bytes: some Sequence<UInt8>) {
    guard isOpen else { return }
    sent += bytes
    isNews = true
  }

  func end(_ end: End = .whole) {
    guard isOpen else { return }
    if end != .whole { world.note("HTTP: \(end)") }
    self.end = end
    isNews = true
  }

  // MARK: The client

  func takeHead() -> [String] {
    defer { head = [] }
    return head
  }

  func takeBody() -> [UInt8] {
    defer { sent = [] }
    return sent
  }

  func giveBack(_ bytes: [UInt8]) { sent = bytes + sent }

  func drop() { isDropped = true }
}
