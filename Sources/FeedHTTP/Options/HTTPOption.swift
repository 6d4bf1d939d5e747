import FeedCore

/// The rows that every network tool has; long names and letters are curl's. The last ones ask for what is done anyway, so
/// that a line written for curl works here.
package enum HTTPOption: ToolOption {
  case header, request, data, user, netrc, bearerFile, userAgent, cookie
  case proxy, insecure, cacert, cert, key, resolve, unixSocket, connectTimeout, http1, http2
  case silent, location, showError, noBuffer, compressed

  package var group: OptionGroup {
    OptionGroup("Options for the request, as curl has them", isFolded: true).needs(.url)
  }

  package var spec: OptionSpec {
    switch self {
    case .header: OptionSpec("header", "H", .header, "send a header, or those of a file").repeating
    case .request: OptionSpec("request", "X", .method, "use another method than GET, or POST with --data")
    case .data: OptionSpec("data", "d", .text("DATA"), "send a body, by POST; several are joined by &").repeating
    case .user: OptionSpec("user", "u", .login, "log in by Basic authentication")
    case .netrc: OptionSpec("netrc", "take name and password for the host from ~/.netrc")
    case .bearerFile: OptionSpec("bearer-file", .file, "send the token in a file as Authorization: Bearer")
    case .userAgent:
      OptionSpec(
        "user-agent", "A", .userAgent, "send TEXT as the User-Agent")
    case .cookie: OptionSpec("cookie", "b", .cookie, "send a cookie").repeating
    case .proxy: OptionSpec("proxy", "x", .proxy, "connect through a proxy")
    case .insecure: OptionSpec("insecure", "k", "accept any certificate")
    case .cacert: OptionSpec("cacert", .file, "trust the certificates in a file only")
    case .cert: OptionSpec("cert", .file, "send the client certificate in a file")
    case .key: OptionSpec("key", .file, "the private key of --cert")
    case .resolve: OptionSpec("resolve", .resolve, "use this address for a host").repeating
    case .unixSocket: OptionSpec("unix-socket", .path, "connect to a Unix domain socket")
    case .connectTimeout:
      OptionSpec("connect-timeout", .connectTimeout, "give up connecting after this time").default("30")
    case .http1: OptionSpec("http1.1", "speak HTTP/1.1")
    case .http2: OptionSpec("http2", "speak HTTP/2")
    case .silent: OptionSpec("silent", "s", "tell only what ends the program").excludes("verbose")
    case .location: OptionSpec("location", "L", "follow redirects, as is done anyway")
    case .showError: OptionSpec("show-error", "S", "tell what ends the program, as is done anyway")
    case .noBuffer: OptionSpec("no-buffer", "N", "write out at once, as is done anyway")
    case .compressed: OptionSpec("compressed", "accept compressed answers, as is done anyway")
    }
  }
}
