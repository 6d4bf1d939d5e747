import FeedCore

/// Excerpts of a server's response, for messages. Where JSON was expected, login pages, proxy errors and XML feeds are
/// all common.
package enum HTTPExcerpt {
  private static let longest = 200
  /// How many bytes of a line, and of a page, to look at.
  private static let (lineReach, pageReach) = (8 * 1024, 4096)
  /// Shorter secrets could be ordinary words, and are not hidden.
  package static let shortestSecret = 4

  /// The title of an HTML page, as `HTML ('502 Bad Gateway')`, or else the first line that is not blank, shortened, and
  /// safe to print. The first line of a page is seldom more than `<html>`.
  /// - Parameters:
  ///   - request: the request. A server that refuses a key may quote it: `***` replaces each secret.
  ///   - secrets: more secrets.
  package static func words(of body: [UInt8], for request: HTTPRequest, hiding secrets: [[UInt8]]) -> String {
    words(of: body, hiding: request.unquoted + secrets)
  }

  /// The same for a body from anywhere.
  package static func words(of body: [UInt8], hiding secrets: [[UInt8]]) -> String {
    let name = name(of: hiding(secrets, in: Array(body.prefix(lineReach))))
    if let name, name.hasPrefix("HTML (") { return name }
    let line = Array(body.drop(while: \.isSpaceOrControl).prefix { !$0.isLineEnd }.prefix(lineReach))
    return beginning(of: hiding(secrets, in: line), upTo: longest)
  }

  /// A text from the server with `***` for each secret of the request.
  package static func hidden(_ text: [UInt8], for request: HTTPRequest) -> [UInt8] {
    hiding(request.unquoted, in: text)
  }

  /// A text with `***` for each secret.
  static func hiding(_ secrets: [[UInt8]], in text: [UInt8]) -> [UInt8] {
    var text = text
    // A secret may be part of another one, so the longest come first.
    for secret in secrets.sorted(by: { $0.count > $1.count }) where secret.count >= shortestSecret {
      var start = 0
      while start + secret.count <= text.count {
        if text[start...].starts(with: secret) {
          text.replaceSubrange(start..<(start + secret.count), with: Array("***".utf8))
          start += 3
        } else {
          start += 1
        }
      }
    }
    return text
  }

  // MARK: Pages

  /// `HTML` or `XML`, with the page's title if there is one; nil for anything else. A title may quote the request with
  /// its secrets: `***` replaces them.
  package static func name(of response: HTTPResponse) -> String? {
    let beginning = response.body.drop(while: \.isWhiteSpace).prefix(2 * pageReach)
    return name(of: HTTPExcerpt.hidden(Array(beginning), for: response.request))
  }

  /// The failure of a tool that expected JSON in a response.
  package static func failure(_ error: JSONError, in response: HTTPResponse) -> ToolFailure {
    let source = response.url.display
    guard let name = name(of: response) else {
      let hint = InputGuess.hint(for: error, in: response.body)
      return .malformed(error, in: response.body, of: source, status: .remote, hint: hint)
    }
    let reader = name == "XML" ? MediaKind.xml.reader : ""
    return .failed(.remote, "expected JSON, found \(name)\(reader)", source: source)
  }

  private static func name(of body: [UInt8]) -> String? {
    let text = body.drop { $0.isWhiteSpace || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }.prefix(pageReach)
    guard text.first == UInt8(ascii: "<") else { return nil }
    let lowered = text.lowercased
    guard index(of: "<html", in: lowered) != nil || lowered.starts(with: "<!doctype html".utf8) else { return "XML" }
    guard let title = title(of: Array(text), lowered), !title.isEmpty else { return "HTML" }
    return "HTML ('\(shortened(title))')"
  }

  /// Whether a body is a page whose title may still come.
  static func isBeginningOfPage(_ body: [UInt8]) -> Bool { name(of: body) == "HTML" }

  private static func index(of word: String, in text: [UInt8]) -> Int? {
    text.indices.first { text[$0...].starts(with: word.utf8) }
  }

  /// The text between `<title>` and the next tag, with its white space squeezed.
  private static func title(of text: [UInt8], _ lowered: [UInt8]) -> [UInt8]? {
    guard let tag = index(of: "<title", in: lowered),
      let start = lowered[tag...].firstIndex(of: UInt8(ascii: ">")),
      let end = lowered[start...].firstIndex(of: UInt8(ascii: "<"))
    else { return nil }
    return Array(text[(start + 1)..<end].split(whereSeparator: \.isWhiteSpace).joined(separator: " ".utf8))
  }
}

extension Diagnostic {
  /// The message about a response, with `***` for secrets of the request.
  /// - Parameter secrets: more secrets.
  package func hidingSecrets(of request: HTTPRequest, and secrets: [[UInt8]]) -> Diagnostic {
    // The rest of the query is not hidden: its words may also occur in our own message.
    let secrets = request.secrets + secrets
    var safe = self
    safe.text = String(decoding: HTTPExcerpt.hiding(secrets, in: Array(text.utf8)), as: UTF8.self)
    // If the line contains a secret, the caret would be at the wrong place.
    if let place, HTTPExcerpt.hiding(secrets, in: place.excerpt) != place.excerpt {
      safe.place = TextPlace(line: place.line, column: place.column)
    }
    return safe
  }
}
