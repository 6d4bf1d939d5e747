// What of a server's answer goes into a message.

import FeedCore

public enum HTTPExcerpt {
  private static let longest = 200

  /// The first line of a body that is not blank, shortened, and safe to print.
  public static func firstLine(of body: [UInt8]) -> String {
    let line = body.drop { $0 <= 0x20 }.prefix { $0 != 0x0A && $0 != 0x0D }
    let isCut = line.count > longest
    var end = line.startIndex + min(line.count, longest)
    // Not in the middle of a character.
    while isCut, end > line.startIndex, body[end] & 0xC0 == 0x80 { end -= 1 }
    return quoted(Array(body[line.startIndex..<end])) + (isCut ? "…" : "")
  }
}

/// Seconds for a message: one decimal at the most.
public func secondsText(_ seconds: Double) -> String {
  let tenths = Int((min(seconds, 1e12) * 10).rounded())
  return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
}
