// The HTTP options of a command line.

import FeedCore

/// The values of the `HTTPOption` rows.
package struct HTTPOptions: Sendable {
  static let fileLimit = 64 << 20

  /// The headers of each `-H`: one header, or those of a file.
  private var headers: [[HTTPRequest.Header]] = []
  /// The files of `-H @FILE` and `--bearer-file` that can be read again.
  private var files: [(use: FileUse, path: [UInt8])] = []
  /// The error in one of them when they were last read.
  private var problem: String?
  private var method: String?
  /// The joined data of all data options.
  private var data: [UInt8]?
  /// Whether the data is added to the query of the URL.
  private var queriesData = false
  /// Whether the data is JSON, by `--json`.
  private var isJSON = false
  /// Where the head of each answer is written.
  private var headerDump: HeaderDump?
  private var userAgent = Array("feedutils/\(ToolSpec.version)".utf8)
  private var credentials = HTTPRequest.Credentials()
  private var route = HTTPRequest.Route()
  /// Whether a redirect to another origin gets everything that the first one gets.
  package private(set) var trustsRedirects = false
  /// Whether to report only errors that end the tool.
  package private(set) var isSilent = false

  /// The use of a file's contents.
  private enum FileUse {
    /// The headers at this index.
    case headers(Int)
    case bearer
  }

  package init() {}

  /// Reads the files of the options, and standard input for `-d @-` and the like.
  package init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    for (option, value) in try invocation.options(HTTPOption.self) { try take(option, value, streams) }
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

  /// Whether requests are plain GETs, which are safe to repeat.
  package var isPlainGet: Bool { body == nil && (method ?? "GET") == "GET" }

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
    request.method = method ?? (body == nil ? "GET" : "POST")
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
    if isJSON {
      request.setDefault("Content-Type", Array("application/json".utf8))
      request.setDefault("Accept", Array(jsonAccept.utf8))
    } else if body != nil {
      request.setDefault("Content-Type", Array((contentType ?? "application/x-www-form-urlencoded").utf8))
    }
    return request
  }

  private mutating func take(
    _ option: HTTPOption, _ value: OptionValue, _ streams: StandardStreams
  ) throws(ToolFailure) {
    switch option {
    case .header:
      switch try value.get() as HeaderSource {
      case .header(let header): headers.append([header])
      case .file(let file):
        headers.append(try Self.headers(in: read(file, streams), of: file))
        keep(file, as: .headers(headers.count - 1))
      }
    case .request: method = String(decoding: value.bytes, as: UTF8.self)
    case .data, .dataRaw, .dataBinary, .dataURLEncode:
      let more = try dataBytes(option, value.bytes, streams)
      data = data.map { $0 + [UInt8(ascii: "&")] + more } ?? more
    case .json:
      data = try (data ?? []) + dataBytes(option, value.bytes, streams)
      isJSON = true
    case .get: queriesData = true
    case .user:
      let parts: [[UInt8]] = try value.get()
      (credentials.user, credentials.password) = (parts[0], parts[1])
    case .digest: credentials.scheme = .digest
    case .awsSigV4: credentials.scheme = .awsSigV4(provider: value.bytes)
    case .netrc: route.usesNetrc = true
    case .oauth2Bearer: credentials.bearer = value.bytes
    case .bearerFile:
      credentials.bearer = try InputFile(value.bytes).token(in: read(value.bytes, streams))
      keep(value.bytes, as: .bearer)
    case .userAgent: userAgent = value.bytes
    case .cookie: credentials.cookies.append(value.bytes)
    case .proxy: route.proxy = value.bytes
    case .insecure: route.isInsecure = true
    case .cacert: route.authorities = try readable(value.bytes)
    case .cert: credentials.certificate = try readable(value.bytes)
    case .key: credentials.key = try readable(value.bytes)
    case .resolve: route.resolve.append(value.bytes)
    case .ipv4: route.addresses = .ipv4
    case .ipv6: route.addresses = .ipv6
    case .unixSocket: route.unixSocket = value.bytes
    case .connectTimeout: route.connectTimeout = try value.get()
    case .http1: route.version = .http1
    case .http2: route.version = .http2
    case .dumpHeader: headerDump = try HeaderDump(value.bytes, streams)
    case .silent: isSilent = true
    case .locationTrusted: trustsRedirects = true
    case .config: break  // The rows in the file are handled one by one.
    case .location, .fail, .showError, .noBuffer, .compressed: break
    }
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
          .trouble, "expected 'NAME: VALUE'", source: quoted(file), place: .init(line: index + 1, column: 1))
      }
      headers.append(header)
    }
    return headers
  }

  /// A pipe, such as the shell makes of `<(…)`, can be read only once.
  private mutating func keep(_ file: [UInt8], as use: FileUse) {
    if file != [UInt8(ascii: "-")], !Descriptor.isSpecialFile(file) { files.append((use, file)) }
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
      for (use, path) in files where !Descriptor.isSpecialFile(path) {
        let text = try Self.read(path)
        switch use {
        case .headers(let place): next.headers[place] = try Self.headers(in: text, of: path)
        case .bearer: next.credentials.bearer = try InputFile(path).token(in: text)
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
  private func readable(_ path: [UInt8]) throws(ToolFailure) -> [UInt8] {
    try naming(quoted(path), Descriptor.open(reading: path)).closeQuietly()
    return path
  }
}
