import Foundation
import Testing

@testable import paginate

/// Answers requests from a list, and reports any other request. Waits are recorded, not made.
final class ScenarioFetcher: PageFetcher {
  private let feed: ScenarioFeed
  private let comment: String
  private var exchanges: ArraySlice<[String: Any]>
  private let retries: Int
  private(set) var waits: [Double] = []
  /// The wait that the last body asked for, before the next request.
  private var pause: Double?

  init(_ feed: ScenarioFeed, _ exchanges: [[String: Any]], retries: Int, _ comment: String) {
    self.feed = feed
    self.exchanges = exchanges.map(Self.spelledOut)[...]
    self.retries = retries
    self.comment = comment
  }

  /// An exchange in its short form, `{"get": URL, "items": […], "next": URL}`, expanded to the long form.
  private static func spelledOut(_ exchange: [String: Any]) -> [String: Any] {
    guard let url = exchange["get"] else { return exchange }
    var body = exchange
    for name in ["get", "if", "etag", "status", "retry_after", "garbage"] { body[name] = nil }
    var headers: [String: String] = [:]
    headers["ETag"] = exchange["etag"] as? String
    headers["Retry-After"] = exchange["retry_after"] as? String
    var condition: [String: String] = [:]
    condition["If-None-Match"] = exchange["if"] as? String
    var response: [String: Any] = ["status": exchange["status"] ?? 200, "headers": headers]
    if exchange["garbage"] == nil { response["body"] = body }
    return ["request": ["url": url, "headers": condition], "response": response]
  }

  var restCount: Int { exchanges.count }

  func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedResponse {
    let url = String(decoding: request, as: UTF8.self)
    for attempt in 0... {
      guard let exchange = exchanges.popFirst() else {
        Issue.record("\(comment): \(url) is asked for, which should not be")
        return .failed(FeedFailure(status: .remote, message: "no such exchange"))
      }
      if let pause { waits.append(pause) }
      pause = nil
      let expected = exchange["request"] as? [String: Any] ?? [:]
      #expect(expected["url"] as? String == url, "\(comment): the next request")
      let condition = (expected["headers"] as? [String: String])?["If-None-Match"]
      #expect(condition == ifNoneMatch.map { String(decoding: $0, as: UTF8.self) }, "\(comment): \(url)")

      let response = exchange["response"] as? [String: Any] ?? [:]
      let headers = response["headers"] as? [String: String] ?? [:]
      let status = response["status"] as? Int ?? 200
      if status == 304 { return .notModified }
      if status == 200, let body = response["body"] as? [String: Any] {
        pause = body["backoff"] as? Double
        return .page(feed.page(body, etag: headers["ETag"]))
      }
      if status == 200 { return .failed(FeedFailure(status: .remote, message: "bad-json")) }
      guard attempt < retries, status == 429 || status >= 500 else {
        return .failed(FeedFailure(status: status == 429 ? .tryAgain : .remote, message: "http:\(status)"))
      }
      waits.append(headers["Retry-After"].flatMap(Double.init) ?? 1)
    }
    return .notModified
  }
}
