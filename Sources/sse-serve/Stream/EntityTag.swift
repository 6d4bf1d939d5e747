import FeedCore

/// Strong entity tags: a 128-bit digest of the content, the same in every run. So a client that asks again after a
/// restart of the server learns that nothing has changed.
enum EntityTag {
  /// The tag with its quotes.
  static func of(_ bytes: [UInt8]) -> [UInt8] {
    // Two digests with different seeds, from the digits of pi.
    var tag = [UInt8(ascii: "\"")]
    for seed: UInt64 in [0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344] {
      tag += contentDigest(bytes.span, seed: seed).hexDigits
    }
    return tag + [UInt8(ascii: "\"")]
  }
}
