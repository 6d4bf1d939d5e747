// The HTTP options of a command line, checked when they are read: what cannot be sent is refused before anything is.
// No message quotes a value, for most of them can be a secret.

import FeedCore

/// What `HTTPOption` rows have asked for.
public struct HTTPOptions: Sendable {
  static let fileLimit = 64 << 20

  private var headers: [HTTPRequest.Header] = []
  private var method: String?
  private var body: [UInt8]?
  private var userAgent = Array("feedutils/\(ToolSpec.version)".utf8)
  private var credentials = HTTPRequest.Credentials()
  private var route = HTTPRequest.Route()

  public init() {}

  /// Whether requests are plain GETs, which may be repeated without harm.
  public var isPlainGet: Bool { body == nil && (method ?? "GET") == "GET" }

  /// The request for `url`. Credentials in the URL are taken unless `-u` gave some.
  /// - Parameter contentType: of the body, unless a header says it; that of a form if nil.
  public func request(_ url: HTTPURL, contentType: String? = nil) -> HTTPRequest {
    var request = HTTPRequest(url: url, userAgent: userAgent)
    request.method = method ?? (body == nil ? "GET" : "POST")
    request.body = body
    request.headers = headers
    request.credentials = credentials
    request.route = route
    if credentials.user == nil {
      request.credentials.user = url.user
      request.credentials.password = url.password
    }
    if body != nil {
      request.setDefault("Content-Type", Array((contentType ?? "application/x-www-form-urlencoded").utf8))
    }
    return request
  }

  public mutating func take(
    _ option: HTTPOption, _ value: [UInt8], _ streams: StandardStreams
  ) throws(ToolError) {
    let typed = OptionValue(value, of: option.spec)
    switch option {
    case .header: try takeHeader(value, streams)
    case .request:
      guard !value.isEmpty, value.allSatisfy(isTokenByte) else { throw typed.refused("a method such as GET") }
      method = typed.text
    case .data:
      let more = try dataBytes(value, streams)
      body = body.map { $0 + [UInt8(ascii: "&")] + more } ?? more
    case .user:
      guard let colon = value.firstIndex(of: UInt8(ascii: ":")), isSendable(value) else {
        throw .usage("option '--user': expected NAME:PASSWORD")
      }
      credentials.user = Array(value[..<colon])
      credentials.password = Array(value[(colon + 1)...])
    case .netrc: route.usesNetrc = true
    case .bearerFile:
      let token = try read(value, streams)
      let bare = Array(trimmed(token[...]))
      guard !bare.isEmpty, bare.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw ToolError(.trouble, "expected a token, in visible ASCII characters", source: quoted(value))
      }
      credentials.bearer = bare
    case .userAgent:
      guard isSendable(value) else { throw typed.refused("a text without control characters") }
      userAgent = value
    case .cookie:
      guard value.contains(UInt8(ascii: "=")), isSendable(value) else {
        throw .usage("option '--cookie': expected NAME=VALUE")
      }
      credentials.cookies.append(value)
    case .proxy:
      guard !value.isEmpty, isSendable(value) else { throw .usage("option '--proxy': expected a URL") }
      route.proxy = value
    case .insecure: route.isInsecure = true
    case .cacert: route.authorities = try readable(value)
    case .cert: credentials.certificate = try readable(value)
    case .key: credentials.key = try readable(value)
    case .resolve:
      guard value.split(separator: UInt8(ascii: ":"), maxSplits: 2).count == 3, isSendable(value) else {
        throw typed.refused("HOST:PORT:ADDRESS")
      }
      route.resolve.append(value)
    case .unixSocket: route.unixSocket = value
    case .connectTimeout:
      let seconds = try typed.seconds()
      guard seconds >= 0.001, seconds <= 1_000_000 else { throw typed.refused("from 0.001 to 1000000 seconds") }
      route.connectTimeout = seconds
    case .http1: route.version = .http1
    case .http2: route.version = .http2
    }
  }

  // MARK: Headers

  private mutating func takeHeader(_ value: [UInt8], _ streams: StandardStreams) throws(ToolError) {
    guard value.first == UInt8(ascii: "@") else {
      guard let header = Self.header(value) else { throw .usage("option '--header': expected 'NAME: VALUE'") }
      headers.append(header)
      return
    }
    let file = Array(value.dropFirst())
    let lines = try read(file, streams).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = Array(trimmed(line))
      if text.isEmpty { continue }
      guard let header = Self.header(text) else {
        throw ToolError(
          .trouble, "expected 'NAME: VALUE'", source: quoted(file), place: .init(line: index + 1, column: 1))
      }
      headers.append(header)
    }
  }

  /// `Name: value`, `Name;` (sent with an empty value) or `Name:` (not sent at all), as curl has them.
  static func header(_ line: [UInt8]) -> HTTPRequest.Header? {
    let name = line.prefix(while: isTokenByte)
    guard !name.isEmpty, name.endIndex < line.endIndex, isSendable(line) else { return nil }
    let mark = line[name.endIndex]
    let isEmptyForm = mark == UInt8(ascii: ";") && name.endIndex == line.endIndex - 1
    guard mark == UInt8(ascii: ":") || isEmptyForm else { return nil }
    return HTTPRequest.Header(name: String(decoding: name, as: UTF8.self), line: line)
  }

  // MARK: Files

  /// The body of `-d`: text as it is; of a file without its line ends, as curl has it.
  private func dataBytes(_ value: [UInt8], _ streams: StandardStreams) throws(ToolError) -> [UInt8] {
    let isInput = value == [UInt8(ascii: "-")]
    guard isInput || value.first == UInt8(ascii: "@") else { return value }
    return try read(isInput ? value : Array(value.dropFirst()), streams).filter { $0 != 0 && $0 != 0x0A && $0 != 0x0D }
  }

  private func read(_ path: [UInt8], _ streams: StandardStreams) throws(ToolError) -> [UInt8] {
    try InputFile(path).readAll(streams, limit: Self.fileLimit, option: "the most that is sent")
  }

  /// A file that libcurl will read; tried now, for its own complaint would come late and vague.
  private func readable(_ path: [UInt8]) throws(ToolError) -> [UInt8] {
    do { try Descriptor.open(reading: path).closeQuietly() } catch { throw .system(error, quoted(path)) }
    return path
  }
}

/// Whether a header can carry the bytes (RFC 9110 §5.5: no control characters but the tab).
public func isSendable(_ value: [UInt8]) -> Bool {
  value.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
}
