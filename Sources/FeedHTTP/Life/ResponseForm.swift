import FeedCore

/// The form of a response that is not JSON, for a message: login pages, proxy errors and XML feeds are all common.
package enum ResponseForm {
  /// How many bytes of a body to look at.
  private static let reach = 4096

  /// `HTML` or `XML`, with the page's title if there is one; nil for anything else. A title may quote the request with
  /// its secrets: `***` replaces them.
  package static func name(of response: HTTPResponse) -> String? {
    let beginning = response.body.drop(while: \.isWhiteSpace).prefix(2 * reach)
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
    let text = body.drop { $0.isWhiteSpace || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }.prefix(reach)
    guard text.first == UInt8(ascii: "<") else { return nil }
    let lowered = text.lowercased
    guard contains(lowered, "<html") || lowered.starts(with: "<!doctype html".utf8) else { return "XML" }
    guard let title = title(of: Array(text), lowered), !title.isEmpty else { return "HTML" }
    return "HTML ('\(shortened(title))')"
  }

  /// `HTML ('TITLE')`; nil if there is no page or no title.
  static func page(_ body: [UInt8]) -> String? {
    guard let name = name(of: body), name.hasPrefix("HTML (") else { return nil }
    return name
  }

  /// Whether a body is a page whose title may still come.
  static func isBeginningOfPage(_ body: [UInt8]) -> Bool { name(of: body) == "HTML" }

  private static func contains(_ text: [UInt8], _ word: String) -> Bool { index(of: word, in: text, from: 0) != nil }

  private static func index(of word: String, in text: [UInt8], from start: Int) -> Int? {
    let word = Array(word.utf8)
    var index = start
    while index + word.count <= text.count {
      if text[index] == word[0], text[index...].starts(with: word) { return index }
      index += 1
    }
    return nil
  }

  /// The text between `<title>` and the next tag, with its white space squeezed.
  private static func title(of text: [UInt8], _ lowered: [UInt8]) -> [UInt8]? {
    guard let tag = index(of: "<title", in: lowered, from: 0),
      let start = lowered[tag...].firstIndex(of: UInt8(ascii: ">")),
      let end = lowered[start...].firstIndex(of: UInt8(ascii: "<"))
    else { return nil }
    return Array(text[(start + 1)..<end].split(whereSeparator: \.isWhiteSpace).joined(separator: " ".utf8))
  }
}
