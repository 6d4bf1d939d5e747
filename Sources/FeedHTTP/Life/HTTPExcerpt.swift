// What of a server's answer goes into a message.

import FeedCore

package enum HTTPExcerpt {
  private static let longest = 200
  /// So much of a line is looked at.
  private static let reach = 8 * 1024
  /// Shorter ones may be words.
  package static let shortestSecret = 4

  /// The first line of a body that is not blank, shortened, and safe to print.
  /// - Parameters:
  ///   - request: what was asked. A server that refuses a key may well quote it: `***` stands for each secret.
  ///   - secrets: further ones.
  package static func firstLine(of body: [UInt8], for request: HTTPRequest, hiding secrets: [[UInt8]] = []) -> String {
    let line = Array(body.drop(while: \.isSpaceOrControl).prefix { !$0.isLineEnd }.prefix(reach))
    return beginning(of: hiding(request.unquoted + secrets, in: line), upTo: longest)
  }

  /// What a page of HTML says of itself: `HTML ('502 Bad Gateway')`. Its first line is seldom more than `<html>`.
  /// - Returns: nil for what is no page, or has no title.
  static func page(_ body: [UInt8], for request: HTTPRequest, hiding secrets: [[UInt8]] = []) -> String? {
    AnswerForm.page(hiding(request.unquoted + secrets, in: Array(body.prefix(reach))))
  }

  /// A text of the server's with `***` for each secret of the request in it.
  package static func hidden(_ text: [UInt8], for request: HTTPRequest) -> [UInt8] {
    hiding(request.unquoted, in: text)
  }

  /// A text with `***` for each secret in it.
  static func hiding(_ secrets: [[UInt8]], in text: [UInt8]) -> [UInt8] {
    var text = text
    // A secret may be a part of another one.
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
  /// What is said about an answer, with `***` for what the answer quotes of the request's secrets.
  /// - Parameter secrets: further ones.
  package func hidingSecrets(of request: HTTPRequest, and secrets: [[UInt8]]) -> Diagnostic {
    // Not the rest of the query too: its words may be those of our own message.
    let secrets = request.secrets + secrets
    var safe = self
    safe.text = String(decoding: HTTPExcerpt.hiding(secrets, in: Array(text.utf8)), as: UTF8.self)
    // Where the line holds a secret, no caret would be at the right place.
    if let place, HTTPExcerpt.hiding(secrets, in: place.excerpt) != place.excerpt {
      safe.place = TextPlace(line: place.line, column: place.column)
    }
    return safe
  }
}
