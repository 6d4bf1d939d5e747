// What the options of a command line come to.

import FeedCore
import FeedHTTP

struct Settings {
  enum Form { case items, records, pages, nextLink }

  /// What is done with a store.
  enum StoreAction { case walk, cached, status }

  /// What is said about a store.
  struct Store {
    let path: [UInt8]
    var action = StoreAction.walk
    var feedName: [UInt8]?
    var command = FeedOptions.Command.refresh
    var overlap: Int?
    var forgetsBelowGaps: Bool?
    var printsChanged = false
    var redelivers = false
    var isDurable = false
    var waits = false
    /// Whether to ask although the server wanted no request yet.
    var asksNow = false
    var secretParameters: [[UInt8]] = []
  }

  let source: FeedSource
  var walk = WalkOptions()
  var form = Form.items
  var store: Store?
  /// Where the first page of an input comes from.
  var base: HTTPURL?
  /// In seconds, as all times here.
  var delay = 0.0
  var retries = 5
  /// Nil: 900 seconds.
  private var givenMaxWait: Double?
  var maxWait: Double { givenMaxWait ?? 900 }
  var isMaxWaitGiven: Bool { givenMaxWait != nil }
  var idleTimeout = 60.0
  var requestTimeout = 300.0
  var maxSize = 64 << 20
  var maxDepth = 10_000
  var isVerbose = false
  var http = HTTPOptions()

  init(_ invocation: Invocation<Flag>, _ streams: StandardStreams) throws(ToolError) {
    source = try FeedSource(invocation.operands)
    let given = invocation.options.map(\.option)
    let isOffline = invocation.operands.isEmpty && given.contains { $0 == .cached || $0 == .status }
    if case .file = source, let flag = given.first(where: { $0.needsURL && !(isOffline && $0 == .store) }) {
      throw .usage("option '--\(flag.spec.name)' needs a URL to connect to")
    }
    for (flag, bytes) in invocation.options where flag == .store {
      store = Store(path: try OptionValue(bytes, of: flag.spec).file())
    }
    for (flag, bytes) in invocation.options { try take(flag, bytes, streams) }
    try refuseContradictions(given)
    walk.findsLink = form == .nextLink
  }

  private mutating func take(_ flag: Flag, _ bytes: [UInt8], _ streams: StandardStreams) throws(ToolError) {
    let value = OptionValue(bytes, of: flag.spec)
    switch flag {
    case .next:
      do { walk.next = try NextRule(bytes) } catch { throw value.refused(error.expected) }
    case .items: walk.items = try value.pointer(example: "/data/items")
    case .id: walk.id = try value.pointer(example: "/id")
    case .hasMore:
      do { walk.hasMore = try HasMore(bytes) } catch {
        let isOpposite = bytes.first == UInt8(ascii: "!")
        _ = try value.pointer(example: "/has_more", in: Array(bytes.dropFirst(isOpposite ? 1 : 0)))
      }
    case .total: walk.total = try value.pointer(example: "/total")
    case .emptyCursor: walk.followsEmptyCursor = value.text == "follow"
    case .maxItems: walk.maxItems = try value.integer(1...(.max))
    case .maxPages: walk.maxPages = try value.integer(1...(.max))
    case .untilID: walk.untilID = bytes
    case .noDedupe: walk.dedupes = false
    case .records: form = .records
    case .pages: form = .pages
    case .printNext: form = .nextLink
    case .baseURL: base = try HTTPURL(operand: bytes)
    case .store: break
    case .feed: store?.feedName = bytes
    case .more: store?.command = .more
    case .full: store?.command = .full
    case .cached: store?.action = .cached
    case .status: store?.action = .status
    case .changed: store?.printsChanged = true
    case .redeliver: store?.redelivers = true
    case .orderKey: walk.orderKey = try value.pointer(example: "/created_at")
    case .overlap: store?.overlap = try value.integer(1...1000)
    case .onGap: store?.forgetsBelowGaps = value.text == "drop"
    case .durable: store?.isDurable = true
    case .wait: store?.waits = true
    case .now: store?.asksNow = true
    case .secretParam:
      if bytes.isEmpty { throw value.refused("the name of a parameter") }
      store?.secretParameters.append(bytes)
    case .delay: delay = try value.seconds()
    case .retries: retries = try value.integer(0...(.max))
    case .maxWait: givenMaxWait = try value.seconds()
    case .idleTimeout:
      idleTimeout = try value.seconds()
      guard idleTimeout > 0 else { throw value.refused("more than 0 seconds") }
    case .requestTimeout:
      requestTimeout = try value.seconds()
      guard requestTimeout > 0 else { throw value.refused("more than 0 seconds") }
    case .maxSize: maxSize = try value.size()
    case .maxDepth: maxDepth = try value.integer(1...(.max))
    case .keepParam: walk.keptParameters.append(bytes)
    case .allowHost: walk.allowedHosts.append(try Self.host(value))
    case .sendAuthTo: walk.trustedHosts.append(try Self.host(value))
    case .verbose: isVerbose = true
    case .http(let option): try http.take(option, bytes, streams)
    }
  }

  private static func host(_ value: OptionValue) throws(ToolError) -> HostPattern {
    guard let pattern = HostPattern(value.bytes) else { throw value.refused(HostPattern.expected) }
    return pattern
  }

  private func refuseContradictions(_ given: [Flag]) throws(ToolError) {
    if isVerbose && http.isSilent { throw .usage("options '--silent' and '--verbose' exclude each other") }
    let forms = given.filter { [.records, .pages, .printNext].contains($0) }
    if let first = forms.first, let other = forms.first(where: { $0 != first }) {
      throw .usage("options '--\(first.spec.name)' and '--\(other.spec.name)' exclude each other")
    }
    if store == nil, let flag = given.first(where: { $0.needsStore }) {
      throw .usage("option '--\(flag.spec.name)' needs '--store'")
    }
    if store != nil, let flag = given.first(where: { [.pages, .printNext, .untilID, .noDedupe].contains($0) }) {
      throw .usage("options '--store' and '--\(flag.spec.name)' exclude each other")
    }
    let actions = given.filter { [.more, .full, .cached, .status].contains($0) }
    if let first = actions.first, let other = actions.first(where: { $0 != first }) {
      throw .usage("options '--\(first.spec.name)' and '--\(other.spec.name)' exclude each other")
    }
    if walk.untilID != nil, walk.id == nil { throw .usage("option '--until-id' needs '--id'") }
    if case .url = source, base != nil { throw .usage("option '--base-url' is for pages that are there") }
    if case .file = source {
      if form != .nextLink, let flag = given.first(where: { $0 == .baseURL || $0 == .keepParam }) {
        throw .usage("option '--\(flag.spec.name)' needs a URL to connect to, or '--print-next'")
      }
      if walk.next == .link { throw .usage("option '--next link' needs a URL to connect to") }
    }
  }
}
