// Strong entity tags: 128 bits of a digest of the content, the same in every run, so that a client that asks again after
// the server was restarted is told that nothing has changed.

import FeedCore

enum EntityTag {
  /// With its quotes.
  static func of(_ bytes: [UInt8]) -> [UInt8] {
    // Two digests with seeds of their own, from the digits of pi.
    var tag = [UInt8(ascii: "\"")]
    for seed: UInt64 in [0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344] {
      tag += contentDigest(bytes.span, seed: seed).hexDigits
    }
    return tag + [UInt8(ascii: "\"")]
  }
}
