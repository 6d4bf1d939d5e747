// Pages for a feed in a store: requests are kept there as JSON without secrets, and become requests again here.

import FeedCore
import FeedHTTP

struct StoredFetcher: PageFetcher {
  private var source: PageSource
  private var walker: Walker
  private let secrets: SecretParameters
  /// What the first request asks by: no store makes it anything else.
  private let method: String
  private let store: Options.Store
  /// What went wrong, in full.
  private(set) var failure: ToolFailure?
  /// What a page complains about although it has items.
  private(set) var complaint: ToolFailure?

  init(_ source: PageSource, _ walker: Walker, _ secrets: SecretParameters, method: String, store: Options.Store) {
    self.source = source
    self.method = method
    self.store = store
    self.walker = walker
    self.secrets = secrets
  }

  /// What was found out about the pages; nil before the first.
  var shape: Shape? { walker.shape }
  /// Seconds for which the server wants no request, when that is why it ended.
  var retryWait: Int? { source.retryWait }

  mutating func rest(until deadline: Double) throws(ToolFailure) { try source.rest(until: deadline) }

  mutating func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?) -> FeedAnswer {
    do throws(ToolFailure) {
      guard var stored = PageRequest(json: request) else {
        throw store.failure(StoreError.damaged("a request in it cannot be read").message)
      }
      stored.method = method
      let asked = secrets.putBack(stored)
      try checkOrigin(of: asked)
      let knowsID = walker.options.id != nil || walker.shape?.id != nil
      guard let (answer, document) = try source.page(asked, ifNoneMatch: ifNoneMatch) else { return .notModified }
      defer { if walker.pages == 1 { source.tell(walker.shape, beyond: walker.options, answer.url) } }
      let page = try page(asked, request, answer, document)
      if !knowsID, let id = walker.shape?.id {
        source.note("takes what is at \(id.shown) for the id of an item (--id)", answer.url)
      }
      return .page(page)
    } catch {
      failure = error
      return .failed(FeedFailure(status: error.status, message: error.message))
    }
  }

  /// A store may have been made with another URL.
  private func checkOrigin(of request: PageRequest) throws(ToolFailure) {
    guard let origin = walker.origin else { return }
    do { _ = try origin.target(of: request.url, from: origin.home) } catch {
      throw error.failure(in: origin.home.display, page: walker.pages + 1, isLocal: false)
    }
  }

  private mutating func page(
    _ asked: PageRequest, _ request: [UInt8], _ answer: Answer, _ document: JSONDocument
  ) throws(ToolFailure) -> FeedPage {
    let step = try source.judged(
      answer, page: walker.pages + 1, walker.take(asked, answer.head, document, from: answer.url))
    if let text = step.complaint {
      complaint = source.safe(
        .failed(.otherEnd, text, source: answer.url.display, record: "page \(walker.pages)"), about: answer)
    }
    source.progress.items += step.page.items.count
    var page = FeedPage(items: step.page.items.map(Self.item))
    page.total = step.page.total.flatMap { Int(String(decoding: $0.text, as: UTF8.self)) }
    page.etag = answer.head.value(of: "etag")
    if step.outcome == .end(.onlyPage) {
      complaint = .failed(.no, Walker.onlyPage(document.root), source: answer.url.display)
    }
    switch step.outcome {
    case .next(let next): page.next = secrets.cut(next).json
    case .link, .end: page.next = nil
    case .failure(let error):
      // The items are good. That the page leads to itself ends the walk, and this is why.
      failure = source.failure(error, answer, page: walker.pages)
      page.next = request
    }
    return page
  }

  private static func item(_ item: PageItem) -> FeedItem {
    var data = ByteWriter()
    item.write(to: &data)
    let text = data.take()
    return FeedItem(id: item.id ?? [], orderKey: item.orderKey, version: ItemVersion.of(text.span), data: text)
  }
}
