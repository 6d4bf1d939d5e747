// The extension permessage-deflate (RFC 7692): what we offer in the handshake, and what the server may choose of it.

import FeedCore
import FeedHTTP

/// What one side offers, or both agree on.
struct PerMessageDeflate: Equatable {
  /// What messages refer to. "Taking over the context" means that a message may refer to those before it.
  var serverKeepsWindow = true
  var clientKeepsWindow = true
  /// The binary logarithm of the window that our messages may use, 8 to 15.
  var clientWindowBits = 15

  static let name = "permessage-deflate"

  /// The value of `Sec-WebSocket-Extensions` for what we would like. The server says how large the windows are.
  var offer: [UInt8] { Array("\(Self.name); client_max_window_bits".utf8) }

  /// The choice of the server.
  /// - Parameters:
  ///   - values: of `Sec-WebSocket-Extensions` in its response, in order.
  ///   - offer: that of our request; nil for none.
  /// - Returns: nil if it chose no extension.
  /// - Throws: if it chose something that was not offered, or in a wrong way (§7.1): the connection must fail.
  static func choice(_ values: [[UInt8]], offer: PerMessageDeflate?) throws(HTTPError) -> PerMessageDeflate? {
    let extensions = Array(values.joined(separator: [UInt8(ascii: ",")])).split(separator: UInt8(ascii: ","))
      .map { $0.trimmed() }.filter { !$0.isEmpty }
    guard let chosen = extensions.first else { return nil }
    let parts = chosen.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map { $0.trimmed() }
    let isOurs = parts[0].lowercased.elementsEqual(name.utf8)
    guard offer != nil, isOurs, extensions.count == 1 else {
      throw .handshake(
        "the server chose an extension that was not offered" + (isOurs && offer == nil ? " (--compress)" : ""))
    }
    var agreed = PerMessageDeflate()
    var seen: Set<String> = []
    for part in parts.dropFirst() {
      let parameter = String(decoding: part, as: UTF8.self).lowercased()
      let words = parameter.split(separator: "=", maxSplits: 1).map {
        String(decoding: Array($0.utf8).trimmed(), as: UTF8.self)
      }
      guard let name = words.first, seen.insert(name).inserted, agreed.take(name, words.dropFirst().first) else {
        throw .handshake("invalid parameter '\(quoted(part))' of \(Self.name)")
      }
    }
    return agreed
  }

  /// - Returns: false if the parameter or its value is invalid.
  private mutating func take(_ name: String, _ value: String?) -> Bool {
    switch (name, value) {
    case ("server_no_context_takeover", nil): serverKeepsWindow = false
    case ("client_no_context_takeover", nil): clientKeepsWindow = false
    // A smaller window of the server's needs nothing from us.
    case ("server_max_window_bits", let text?): return Self.windowBits(text) != nil
    case ("client_max_window_bits", let text?):
      guard let bits = Self.windowBits(text) else { return false }
      clientWindowBits = bits
    default: return false
    }
    return true
  }

  /// 8 to 15, without leading zeros; the value may be in double quotes (RFC 6455 §9.1).
  private static func windowBits(_ text: String) -> Int? {
    let isQuoted = text.count > 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
    let digits = isQuoted ? text.dropFirst().dropLast() : text[...]
    return (8...15).first { String($0) == digits }
  }
}
