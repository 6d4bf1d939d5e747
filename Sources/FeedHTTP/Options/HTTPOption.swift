import FeedCore

/// The option rows of every network tool; long names and letters are curl's. The last rows ask for the default
/// behaviour, so that a command line written for curl works here.
package enum HTTPOption: ToolOption {
  case header, request, data, dataRaw, dataBinary, dataURLEncode, json, get
  case user, digest, awsSigV4, netrc, oauth2Bearer, bearerFile, userAgent, cookie
  case proxy, insecure, cacert, cert, key, resolve, ipv4, ipv6, unixSocket, connectTimeout, http1, http2
  case dumpHeader, config, silent, locationTrusted, location, fail, showError, noBuffer, compressed

  /// The rows that set the body.
  package static let bodies: [HTTPOption] = [.data, .dataRaw, .dataBinary, .dataURLEncode, .json, .get]

  package var group: OptionGroup {
    OptionGroup("Options for the request, as in curl", isFolded: true).needs(.url)
  }

  package var spec: OptionSpec {
    switch self {
    case .header: OptionSpec("header", "H", .header, "send a header, or the headers in a file").repeating
    case .request: OptionSpec("request", "X", .method, "use this method in place of GET or POST")
    case .data: OptionSpec("data", "d", .text("DATA"), "send this body with POST; values are joined with &").repeating
    case .dataRaw: OptionSpec("data-raw", .text("DATA"), "like --data, but @ has no special meaning").repeating
    case .dataBinary: OptionSpec("data-binary", .text("DATA"), "like --data, but send all bytes of a file").repeating
    case .dataURLEncode: OptionSpec("data-urlencode", .text("DATA"), "like --data, but percent-encoded").repeating
    case .json: OptionSpec("json", .text("DATA"), "send this JSON with POST; values are joined as they are").repeating
    case .get:
      OptionSpec("get", "G", "send the data in the query of the URL, with GET")
        .needs("data", "data-raw", "data-binary", "data-urlencode", "json")
    case .user: OptionSpec("user", "u", .login, "log in with Basic authentication")
    case .digest: OptionSpec("digest", "log in with Digest authentication")
    case .awsSigV4:
      OptionSpec("aws-sigv4", .provider, "sign requests with AWS Signature Version 4")
        .needs("user").excludes("digest", "oauth2-bearer", "bearer-file")
    case .netrc: OptionSpec("netrc", "read name and password for the host from ~/.netrc")
    case .oauth2Bearer:
      OptionSpec("oauth2-bearer", .token, "send the token as Authorization: Bearer").excludes("bearer-file")
    case .bearerFile: OptionSpec("bearer-file", .file, "send the token in a file as Authorization: Bearer")
    case .userAgent:
      OptionSpec(
        "user-agent", "A", .userAgent, "send TEXT as the User-Agent")
    case .cookie: OptionSpec("cookie", "b", .cookie, "send a cookie").repeating
    case .proxy: OptionSpec("proxy", "x", .proxy, "connect through this proxy")
    case .insecure: OptionSpec("insecure", "k", "accept any certificate")
    case .cacert: OptionSpec("cacert", .file, "trust only the certificates in a file")
    case .cert: OptionSpec("cert", .file, "send the client certificate in a file")
    case .key: OptionSpec("key", .file, "the file with the private key of --cert")
    case .resolve: OptionSpec("resolve", .resolve, "use this address for a host and port").repeating
    case .ipv4: OptionSpec("ipv4", "4", "use only IPv4 addresses").excludes("ipv6")
    case .ipv6: OptionSpec("ipv6", "6", "use only IPv6 addresses")
    case .unixSocket: OptionSpec("unix-socket", .path, "connect to this Unix domain socket")
    case .connectTimeout:
      OptionSpec("connect-timeout", .connectTimeout, "give up connecting after this time").default("30")
    case .http1: OptionSpec("http1.1", "use HTTP/1.1")
    case .http2: OptionSpec("http2", "use HTTP/2")
    case .dumpHeader: OptionSpec("dump-header", "D", .file, "write the head of the latest answer to a file")
    case .config: OptionSpec("config", "K", .file, "read options from a file").repeating.holdingOptions(operand: "url")
    case .silent: OptionSpec("silent", "s", "report only the error that ends the program").excludes("verbose")
    case .locationTrusted:
      OptionSpec("location-trusted", "send passwords and headers to other hosts after redirects")
    case .location: OptionSpec("location", "L", "follow redirects (always on)")
    case .fail: OptionSpec("fail", "f", "fail on an HTTP error (always on)")
    case .showError: OptionSpec("show-error", "S", "report the error that ends the program (always on)")
    case .noBuffer: OptionSpec("no-buffer", "N", "write output at once (always on)")
    case .compressed: OptionSpec("compressed", "accept compressed answers (always on)")
    }
  }
}
