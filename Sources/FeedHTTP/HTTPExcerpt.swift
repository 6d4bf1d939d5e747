// What of a server's answer goes into a message.

import FeedCore

public enum HTTPExcerpt {
  private static let longest = 200
  /// So much of a line is looked at.
  private static let reach = 8 * 1024
  /// Shorter ones may be words.
  private static let shortestSecret = 4

  /// The first line of a body that is not blank, shortened, and safe to print.
  /// - Parameters:
  ///   - request: what was asked. A server that refuses a key may well quote it: `***` stands for each secret.
  ///   - secrets: further ones.
  public static func firstLine(of body: [UInt8], for request: HTTPRequest, hiding secrets: [[UInt8]] = []) -> String {
    var line = Array(body.drop { $0 <= 0x20 }.prefix { $0 != 0x0A && $0 != 0x0D }.prefix(reach))
    for secret in request.secrets + secrets where secret.count >= shortestSecret { hide(secret, in: &line) }
    let isCut = line.count > longest
    var end = min(line.count, longest)
    // Not in the middle of a character.
    while isCut, end > 0, line[end] & 0xC0 == 0x80 { end -= 1 }
    return quoted(Array(line[..<end])) + (isCut ? "…" : "")
  }

  private static func hide(_ secret: [UInt8], in line: inout [UInt8]) {
    var start = 0
    while start + secret.count <= line.count {
      if line[start...].starts(with: secret) {
        line.replaceSubrange(start..<(start + secret.count), with: Array("***".utf8))
        start += 3
      } else {
        start += 1
      }
    }
  }
}

/// Seconds for a message: one decimal at the most.
public func secondsText(_ seconds: Double) -> String {
  let tenths = Int((min(seconds, 1e12) * 10).rounded())
  return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
}
