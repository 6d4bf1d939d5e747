import FeedHTTP

/// Event IDs that can be sent to a server. An ID may be any text, but a header cannot contain all of them.
enum ResumableID {
  /// In bytes. Servers accept heads of 8 KiB and more; a refused ID would be refused again and again.
  static let longest = 4096

  /// Why an ID cannot be used to resume; nil if it can.
  static func problem(_ id: [UInt8]) -> String? {
    if id.count > longest { return "is longer than \(longest) bytes" }
    return isSendable(id) ? nil : "cannot be sent in a header"
  }
}
