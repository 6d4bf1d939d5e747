// Signature Version 4 of AWS. libcurl computes it, but libcurl 7.88 signs only requests that are in canonical form already.

import CCurl
import FeedCore

extension CurlTransfer {
  /// Makes libcurl sign the request.
  /// - Parameters:
  ///   - lines: the headers. A header that is not sent would be signed, so it is removed.
  ///   - provider: the value of CURLOPT_AWS_SIGV4.
  func sign(_ lines: inout [[UInt8]], of url: HTTPURL, _ provider: [UInt8]) throws(HTTPError) {
    let code = unsafe (provider + [0]).withUnsafeBytes { raw in
      unsafe feed_sign_aws(easy, raw.bindMemory(to: CChar.self).baseAddress)
    }
    try check(code)
    try set(CURLOPT_URL, Array(url.textInOrder.utf8))
    lines.removeAll { $0.last == UInt8(ascii: ":") }
    // Then libcurl sends `Expect` with a large body. It must not wait for a response to it.
    try set(CURLOPT_EXPECT_100_TIMEOUT_MS, 0)
  }
}

extension HTTPURL {
  /// The URL with its parameters in the order of their bytes, each with `=`.
  var textInOrder: String {
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text }
    let query = text.utf8[text.utf8.index(after: mark)...].split(separator: UInt8(ascii: "&"))
    let parameters = query.map { $0.contains(UInt8(ascii: "=")) ? Array($0) : Array($0) + [UInt8(ascii: "=")] }
    let parts = parameters.map {
      $0.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    }
    let ordered = parts.sorted { a, b in
      a[0] == b[0] ? a[1].lexicographicallyPrecedes(b[1]) : a[0].lexicographicallyPrecedes(b[0])
    }
    let text = ordered.map { $0.joined(separator: "=".utf8) }.joined(separator: "&".utf8)
    return String(self.text[...mark]) + String(decoding: Array(text), as: UTF8.self)
  }
}
