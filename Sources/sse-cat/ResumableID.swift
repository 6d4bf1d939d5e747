// Event IDs that a server can be asked with. Any text may be one; a header cannot carry all of them.

import FeedHTTP

enum ResumableID {
  /// In bytes. Servers take heads of 8 KiB and more; an ID that one of them refuses would be asked with for ever.
  static let longest = 4096

  /// Why an ID is not resumed by; nil when it is.
  static func problem(_ id: [UInt8]) -> String? {
    if id.count > longest { return "is longer than \(longest) bytes" }
    return isSendable(id) ? nil : "cannot be sent in a header"
  }
}
