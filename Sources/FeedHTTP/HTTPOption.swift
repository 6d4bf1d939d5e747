import FeedCore

/// The rows that every network tool has; long names and letters are curl's. The last ones ask for what is done anyway, so
/// that a line written for curl works here.
public enum HTTPOption: ToolOption {
  case header, request, data, user, netrc, bearerFile, userAgent, cookie
  case proxy, insecure, cacert, cert, key, resolve, unixSocket, connectTimeout, http1, http2
  case silent, location, showError, noBuffer, compressed

  public var spec: OptionSpec {
    switch self {
    case .header: row("header", "H", .text("HEADER"), "send a header, or those of a file").repeating
    case .request: row("request", "X", .text("METHOD"), "use another method than GET, or POST with --data")
    case .data: row("data", "d", .text("DATA"), "send a body, by POST; several are joined by &").repeating
    case .user: row("user", "u", .text("NAME:PASSWORD"), "log in by Basic authentication")
    case .netrc: row("netrc", nil, nil, "take name and password for the host from ~/.netrc")
    case .bearerFile: row("bearer-file", nil, .file(), "send the token in a file as Authorization: Bearer")
    case .userAgent: row("user-agent", "A", .text("TEXT"), "say to be this client")
    case .cookie: row("cookie", "b", .text("NAME=VALUE"), "send a cookie").repeating
    case .proxy: row("proxy", "x", .text("URL"), "connect through a proxy")
    case .insecure: row("insecure", "k", nil, "accept any certificate")
    case .cacert: row("cacert", nil, .file(), "trust the certificates in a file only")
    case .cert: row("cert", nil, .file(), "show the client certificate in a file")
    case .key: row("key", nil, .file(), "the private key of --cert")
    case .resolve: row("resolve", nil, .text("HOST:PORT:ADDRESS"), "use this address for a host").repeating
    case .unixSocket: row("unix-socket", nil, .file("PATH"), "connect to a socket in the file system")
    case .connectTimeout: row("connect-timeout", nil, .text("SECONDS"), "give up connecting after this time (30)")
    case .http1: row("http1.1", nil, nil, "speak HTTP/1.1")
    case .http2: row("http2", nil, nil, "speak HTTP/2")
    case .silent: row("silent", "s", nil, "tell only what ends the program")
    case .location: row("location", "L", nil, "follow redirects, as is done anyway")
    case .showError: row("show-error", "S", nil, "tell what ends the program, as is done anyway")
    case .noBuffer: row("no-buffer", "N", nil, "write out at once, as is done anyway")
    case .compressed: row("compressed", nil, nil, "accept compressed answers, as is done anyway")
    }
  }

  private func row(_ name: String, _ letter: Character?, _ value: OptionSpec.Value?, _ help: String) -> OptionSpec {
    OptionSpec(name, letter, value, folded: true, help)
  }
}
