import FeedCore

/// Excerpts of a server's response, for messages.
package enum HTTPExcerpt {
  private static let longest = 200
  /// How many bytes of a line to look at.
  private static let reach = 8 * 1024
  /// Shorter secrets could be ordinary words, and are not hidden.
  package static let shortestSecret = 4

  /// The first line of a body that is not blank, shortened, and safe to print.
  /// - Parameters:
  ///   - request: the request. A server that refuses a key may quote it: `***` replaces each secret.
  ///   - secrets: more secrets.
  package static func firstLine(of body: [UInt8], for request: HTTPRequest, hiding secrets: [[UInt8]] = []) -> String {
    let line = Array(body.drop(while: \.isSpaceOrControl).prefix { !$0.isLineEnd }.prefix(reach))
    return beginning(of: hiding(request.unquoted + secrets, in: line), upTo: longest)
  }

  /// The title of an HTML page, as `HTML ('502 Bad Gateway')`. The first line of a page is seldom more than `<html>`.
  /// - Returns: nil if it is not a page or has no title.
  static func page(_ body: [UInt8], for request: HTTPRequest, hiding secrets: [[UInt8]] = []) -> String? {
    ResponseForm.page(hiding(request.unquoted + secrets, in: Array(body.prefix(reach))))
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
