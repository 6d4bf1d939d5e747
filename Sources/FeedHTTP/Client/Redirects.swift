// Redirects: which responses are followed, to which URL, and how often. HTTPTransfer follows them, and so does a handshake
// over an HTTPConnection; both count and refuse in the same way.

import FeedCore

/// The redirects of one request.
package struct Redirects: Sendable {
  /// The most redirects in a row: browsers follow as many.
  package static let limit = 20

  private static let statuses = [301, 302, 303, 307, 308]

  private var count = 0

  package init() {}

  /// Whether the response can be followed: its status is one of RFC 9110 §15.4, and it has a target.
  package static func canFollow(_ head: HTTPHead) -> Bool {
    statuses.contains(head.status) && head.location != nil
  }

  /// The request for the target of a redirect.
  /// - Parameters:
  ///   - request: the answered request.
  ///   - resolve: makes a URL of the value of `Location`, relative to the URL of the request.
  /// - Returns: nil if the response is not a redirect.
  /// - Throws: if the target is not a URL that can be requested, and after more than `limit` redirects.
  package mutating func follow(
    _ head: HTTPHead, of request: HTTPRequest,
    resolve: ([UInt8], HTTPURL) throws(HTTPURL.Invalid) -> HTTPURL = { (reference, url) throws(HTTPURL.Invalid) in
      try url.resolving(reference)
    }
  ) throws(HTTPError) -> HTTPRequest? {
    guard Self.canFollow(head), let location = head.location else { return nil }
    let target: HTTPURL
    do throws(HTTPURL.Invalid) { target = try resolve(location, request.url) } catch {
      switch error {
      case .scheme(let name):
        let isSecret = request.unquoted.contains { $0.lowercased.elementsEqual(name.utf8) }
        throw HTTPError(.permanent, "redirected to a URL of scheme '\(isSecret ? "***" : quoted(name.utf8))'")
      case .malformed: throw HTTPError(.permanent, "redirected to a malformed URL")
      }
    }
    count += 1
    if count > Self.limit { throw HTTPError(.permanent, "more than \(Self.limit) redirects") }
    return request.redirected(to: target, status: head.status)
  }
}
