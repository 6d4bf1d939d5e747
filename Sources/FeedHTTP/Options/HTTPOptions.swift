// The HTTP options of a command line.

import FeedCore

/// The options of every network tool, and their values; long names and letters are curl's. The last rows ask for the
/// default behaviour, so that a command line written for curl works here.
package struct HTTPOptions: Sendable {
  private typealias Option = OptionRow<HTTPOptions>

  static let fileLimit = 64 << 20

  // As typed.
  private var headerTexts: [[UInt8]] = []
  private var method: [UInt8]?
  private var bodyParts: [BodyPart] = []
  /// Whether the data is added to the query of the URL.
  private var queriesData = false
  /// `NAME:PASSWORD`
  private var login: [UInt8]?
  private var credentials = HTTPRequest.Credentials()
  private var bearerFile: [UInt8]?
  private var userAgent = Array("feedutils/\(ToolSpec.version)".utf8)
  private var route = HTTPRequest.ServerRoute()
  private var headFile: [UInt8]?
  /// Whether a redirect to another origin gets everything that the first one gets.
  package private(set) var trustsRedirects = false
  /// Whether to report only errors that end the tool.
  package private(set) var isSilent = false

  // From files.
  /// The headers of each `-H`: one header, or those of a file.
  private var headers: [[HTTPRequest.Header]] = []
  /// The files of `-H @FILE` and `--bearer-file` that can be read again, and which of `headers` is in one; nil for the
  /// token.
  private var files: [(headers: Int?, path: [UInt8])] = []
  /// The error in one of them when they were last read.
  private var problem: String?
  /// The joined data of all data options.
  private var data: [UInt8]?
  /// Where the head of each response is written.
  private var headerDump: HeaderDump?

  package init() {}

  /// The heading of these options in the help.
  package static let group = OptionGroup("Options for the request, as in curl", isFolded: true).needs(.url)

  /// The rows of a tool.
  /// - Parameters:
  ///   - isHandshake: whether the request is always a GET of HTTP/1.1 with no body, which libcurl does not make.
  ///   - silent: makes a row say which option of the tool it contradicts.
  ///   - dumpHeader: makes a row say which options of the tool make it meaningless.
  @OptionRows<Whole> package static func rows<Whole>(
    _ part: @autoclosure @escaping OptionRow<Whole>.Setting<HTTPOptions>, isHandshake: Bool = false,
    silent change: (OptionRow<Whole>) -> OptionRow<Whole>,
    dumpHeader changeHead: (OptionRow<Whole>) -> OptionRow<Whole> = { $0 }
  ) -> OptionRows<Whole>.OptionPart {
    group
    requestRows(isHandshake: isHandshake).within(part())
    changeHead(
      Option("dump-header", letter: "D", .file, \.headFile, "write the head of the latest response to a file")
        .notInFiles.within(part()))
    Option(fileOfOptions: "config", letter: "K", operand: "url", "read options from a file").within(part())
    change(Option("silent", letter: "s", \.isSilent, "report only the error that ends the program").within(part()))
    lastRows(isHandshake: isHandshake).within(part())
  }

  @OptionRows<HTTPOptions> private static func requestRows(isHandshake: Bool) -> OptionRows<HTTPOptions>.OptionPart {
    Option("header", letter: "H", .header, \.headerTexts, "send a header, or the headers in a file")
    if !isHandshake {
      Option("request", letter: "X", .method, \.method, "use this method in place of GET or POST")
      Option("data", letter: "d", .body(.data), \.bodyParts, "send this body with POST; values are joined with &")
      Option("data-raw", .body(.raw), \.bodyParts, "like --data, but @ has no special meaning")
      Option("data-binary", .body(.binary), \.bodyParts, "like --data, but send all bytes of a file")
      Option("data-urlencode", .body(.encoded), \.bodyParts, "like --data, but percent-encoded")
      Option("json", .body(.json), \.bodyParts, "send this JSON with POST; values are joined as they are")
      Option("get", letter: "G", \.queriesData, "send the data in the query of the URL, with GET").needs(\.bodyParts)
    }
    Option("user", letter: "u", .login, \.login, "log in with Basic authentication")
    if !isHandshake {
      Option("digest", \.credentials.usesDigest, "log in with Digest authentication")
      Option("aws-sigv4", .provider, \.credentials.provider, "sign requests with AWS Signature Version 4")
        .needs(\.login).excludes([\.credentials.usesDigest, \.credentials.bearer, \.bearerFile])
    }
    Option("netrc", \.route.usesNetrc, "read name and password for the host from ~/.netrc")
    Option("oauth2-bearer", .token, \.credentials.bearer, "send the token as Authorization: Bearer")
      .excludes(\.bearerFile)
    Option("bearer-file", .file, \.bearerFile, "send the token in a file as Authorization: Bearer")
    Option("user-agent", letter: "A", .userAgent, \.userAgent, "send TEXT as the User-Agent")
    Option("cookie", letter: "b", .cookie, \.credentials.cookies, "send a cookie")
    Option("proxy", letter: "x", .proxy, \.route.proxy, "connect through this proxy")
    Option("insecure", letter: "k", \.route.isInsecure, "accept any certificate")
    Option("cacert", .file, \.route.authorities, "trust only the certificates in a file")
    Option("cert", .file, \.credentials.certificate, "send the client certificate in a file")
    Option("key", .file, \.credentials.key, "the file with the private key of --cert")
    Option("resolve", .resolve, \.route.resolve, "use this address for a host and port")
    Option("ipv4", letter: "4", \.route.usesIPv4, "use only IPv4 addresses").excludes(\.route.usesIPv6)
    Option("ipv6", letter: "6", \.route.usesIPv6, "use only IPv6 addresses")
    Option("unix-socket", .path, \.route.unixSocket, "connect to this Unix domain socket")
    Option("connect-timeout", .connectTimeout, "give up connecting after this time") { $0.route.connectTimeout = $1 }
      .default("30")
    if !isHandshake {
      Option("http1.1", \.route.version, to: .http1, "use HTTP/1.1")
      Option("http2", \.route.version, to: .http2, "use HTTP/2")
    }
  }

  @OptionRows<HTTPOptions> private static func lastRows(isHandshake: Bool) -> OptionRows<HTTPOptions>.OptionPart {
    Option("location-trusted", \.trustsRedirects, "send passwords and headers to other hosts after redirects")
    if !isHandshake {
      Option(alwaysOn: "location", letter: "L", "follow redirects (always on)")
      Option(alwaysOn: "fail", letter: "f", "fail on an HTTP error (always on)")
    }
    Option(alwaysOn: "show-error", letter: "S", "report the error that ends the program (always on)")
    Option(alwaysOn: "no-buffer", letter: "N", "write output at once (always on)")
    if !isHandshake { Option(alwaysOn: "compressed", "accept compressed responses (always on)") }
  }

  /// Reads the files of the options, and standard input for `-d @-` and the like.
  package mutating func load(_ streams: StandardStreams) throws(ToolFailure) {
    for text in headerTexts {
      if let header = HTTPRequest.Header(line: text) {
        headers.append([header])
        continue
      }
      let file = Array(text.dropFirst())
      headers.append(try Self.headers(in: read(file, streams), of: file))
      keep(file, headers: headers.count - 1)
    }
    if let login, let colon = login.firstIndex(of: UInt8(ascii: ":")) {
      credentials.user = Array(login[..<colon])
      credentials.password = Array(login[(colon + 1)...])
    }
    for part in bodyParts {
      let more = try dataBytes(part, streams)
      // Only JSON is joined as it is.
      data = data.map { $0 + (part.kind == .json ? [] : [UInt8(ascii: "&")]) + more } ?? more
    }
    if let file = bearerFile {
      credentials.bearer = try InputFile(file).token(in: read(file, streams))
      keep(file, headers: nil)
    }
    for file in [route.authorities, credentials.certificate, credentials.key] {
      if let file { try Self.checkReadable(file) }
    }
    headerDump = try headFile.map { (file) throws(ToolFailure) in try HeaderDump(file, streams) }
  }

  private var body: [UInt8]? { queriesData ? nil : data }

  /// The URL to request: `--get` adds the data to that of the command line.
  package func completed(_ url: HTTPURL) throws(ToolFailure) -> HTTPURL {
    guard queriesData, let data else { return url }
    do { return try url.adding(query: data) } catch {
      throw .usage("option '--get': the URL is malformed with this data")
    }
  }

  /// The same for a feed.
  package func completed(_ source: FeedSource) throws(ToolFailure) -> FeedSource {
    guard case .url(let url) = source else { return source }
    return .url(try completed(url))
  }

  /// Whether the method was typed.
  package var hasMethod: Bool { method != nil }

  /// Whether requests are plain GETs, which are safe to repeat.
  package var isPlainGet: Bool { body == nil && (method ?? Array("GET".utf8)).elementsEqual("GET".utf8) }

  /// Whether there are secrets for one origin only, besides those in ~/.netrc.
  package var hasSecrets: Bool {
    credentials != HTTPRequest.Credentials()
      || headers.contains { $0.contains { !HTTPRequest.isHarmless($0.name.lowercased()) } }
  }

  /// The request for `url`. Credentials in the URL are used unless `-u` gave some.
  /// - Parameters:
  ///   - contentType: the type of the body, unless a header or `--json` gives it; if nil, that of a form.
  ///   - jsonAccept: what `--json` accepts, unless a header says it.
  package func request(
    _ url: HTTPURL, contentType: String? = nil, jsonAccept: String = "application/json"
  ) -> HTTPRequest {
    var request = HTTPRequest(url: url, userAgent: userAgent)
    request.method = method.map { String(decoding: $0, as: UTF8.self) } ?? (body == nil ? "GET" : "POST")
    request.body = body
    request.headers = headers.flatMap(\.self)
    request.credentials = credentials
    request.route = route
    request.trustsRedirects = trustsRedirects
    request.headerDump = headerDump
    if credentials.user == nil {
      request.credentials.user = url.user
      request.credentials.password = url.password
    }
    if bodyParts.contains(where: { $0.kind == .json }) {
      request.setDefault("Content-Type", Array("application/json".utf8))
      request.setDefault("Accept", Array(jsonAccept.utf8))
    } else if body != nil {
      request.setDefault("Content-Type", Array((contentType ?? "application/x-www-form-urlencoded").utf8))
    }
    return request
  }

  // MARK: Files

  /// The headers in a file, one on each line.
  private static func headers(in text: [UInt8], of file: [UInt8]) throws(ToolFailure) -> [HTTPRequest.Header] {
    var headers: [HTTPRequest.Header] = []
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let text = Array(line.trimmed())
      if text.isEmpty { continue }
      guard let header = HTTPRequest.Header(line: text) else {
        throw .failed(
          .error, "expected 'NAME: VALUE'", source: quoted(file), place: .init(line: index + 1, column: 1))
      }
      headers.append(header)
    }
    return headers
  }

  /// A pipe, such as the shell makes of `<(…)`, can be read only once.
  private mutating func keep(_ file: [UInt8], headers place: Int?) {
    if file != [UInt8(ascii: "-")], !Descriptor.isSpecialFile(file) { files.append((place, file)) }
  }

  /// Reads the files of `-H @FILE` and `--bearer-file` again. Call this before each connection, because keys may change
  /// while a tool runs.
  /// - Parameter judge: refuses values that the tool cannot send.
  /// - Returns: the error in a file, once. The tool continues to send the last good values.
  package mutating func readAgain(
    refusing judge: (HTTPOptions) throws(ToolFailure) -> Void = { _ throws(ToolFailure) in }
  ) -> Diagnostic? {
    var next = self
    do throws(ToolFailure) {
      for (place, path) in files where !Descriptor.isSpecialFile(path) {
        let text = try Self.read(path)
        if let place {
          next.headers[place] = try Self.headers(in: text, of: path)
        } else {
          next.credentials.bearer = try InputFile(path).token(in: text)
        }
      }
      try judge(next)
    } catch {
      defer { problem = error.message }
      return error.message == problem ? nil : error.diagnostic.adding("; keeping the old value")
    }
    next.problem = nil
    self = next
    return nil
  }

  private static func read(_ path: [UInt8]) throws(ToolFailure) -> [UInt8] {
    let file = try naming(quoted(path), Descriptor.open(reading: path))
    defer { file.closeQuietly() }
    return try naming(quoted(path), ByteReader.readAll(file, limit: fileLimit))
  }

  func read(_ path: [UInt8], _ streams: StandardStreams) throws(ToolFailure) -> [UInt8] {
    try InputFile(path).readAll(streams, limit: Self.fileLimit, option: "the limit")
  }

  /// Tests a file that libcurl will read; libcurl's own error message would come late and be vague.
  private static func checkReadable(_ path: [UInt8]) throws(ToolFailure) {
    try naming(quoted(path), Descriptor.open(reading: path)).closeQuietly()
  }
}
