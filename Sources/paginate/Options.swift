// paginate's options: the table, and the settings that they make.

import FeedCore
import FeedHTTP

let paginate = ToolSpec(
  "paginate", "Print the items of a paged API, in order, once each, without gaps",
  synopsis: ["[options] URL", "[options] [FILE]"], readsURL: FeedSource.isURL, options: Flag.self,
  sharing: StampOption.rows { $0.needs("records") } + HTTPOption.rows())

enum Flag: ToolOption {
  case next, items, itemsObject, itemsLines, id, hasMore, total, emptyCursor, endStatus, noDedupe
  case limit, maxPages, stopBefore, records, pages, printNext, baseURL, keepParam
  case store, feed, more, full, cached, after, before, pageSize, status, changed, redeliver, resumeFrom, every, since,
    sinceOverlap, orderKey, order, overlap, onGap, durable, wait, now, secretParam
  case delay, parallel, retries, maxWait, idleTimeout, requestTimeout, allowHost, sendAuthTo, notes, verbose
  case maxSize, maxDepth

  var group: OptionGroup {
    switch self {
    case .next, .items, .itemsObject, .itemsLines, .id, .hasMore, .total, .emptyCursor, .endStatus, .noDedupe:
      OptionGroup("Options that describe a page")
    case .limit, .maxPages, .stopBefore, .records, .pages, .printNext, .baseURL, .keepParam: .output
    case .store, .feed, .more, .full, .cached, .after, .before, .pageSize, .status, .changed, .redeliver, .resumeFrom,
      .every, .since, .sinceOverlap, .orderKey, .order, .overlap, .onGap, .durable, .wait, .now, .secretParam:
      OptionGroup("Options for a store").needs("store")
    case .delay, .parallel, .retries, .maxWait, .idleTimeout, .requestTimeout, .allowHost, .sendAuthTo, .notes,
      .verbose:
      .connection
    case .maxSize, .maxDepth: .limits
    }
  }

  var spec: OptionSpec {
    switch self {
    case .next: OptionSpec("next", .rule, "how to request the next page, such as page:page")
    case .items: OptionSpec("items", .pointer("/data/items"), "where the items are in a page")
    case .itemsObject:
      OptionSpec("items-object", .pointer("/query/pages"), "where the object is whose members are the items")
        .excludes("items", "items-lines")
    case .itemsLines: OptionSpec("items-lines", "each line of a page is an item").needs(.url).excludes("items")
    case .id: OptionSpec("id", .pointer("/id"), "where the id is in an item")
    case .hasMore: OptionSpec("has-more", .hasMore, "where a page says whether there is more")
    case .total: OptionSpec("total", .pointer("/total"), "where a page says how many items there are")
    case .emptyCursor: OptionSpec("empty-cursor", .choice("end", "follow"), "what an empty cursor means").default("end")
    case .endStatus:
      OptionSpec("end-status", .statuses, "HTTP statuses of a page past the end, such as 404,400").needs(.url)
    case .noDedupe: OptionSpec("no-dedupe", "print an item again when it comes again").excludes("store")

    case .limit:
      OptionSpec("limit", "n", .integer(1...Int.max), "end after printing N items").synonym("max-items")
        .excludes("status")
    case .maxPages: OptionSpec("max-pages", .integer(1...Int.max), "end after N pages").excludes("status")
    case .stopBefore:
      OptionSpec("stop-before", .condition, "end before the first item with this value").excludes("cached", "status")
    case .records: OptionSpec("records", "print event records").excludes("pages", "print-next")
    case .pages: OptionSpec("pages", "print whole pages").excludes("print-next")
    case .printNext: OptionSpec("print-next", "print only the URL of the next page")
    case .baseURL:
      OptionSpec("base-url", .httpURL, "the URL that the first page of the input came from").needs("print-next")
        .meaningless(with: .url)
    case .keepParam:
      OptionSpec("keep-param", .text("NAME"), "copy a parameter of the first URL into next links").repeating
        .needs(.url, "print-next")

    case .store:
      OptionSpec("store", .wholeFile, "keep the feed in a SQLite file, print only new items")
        .needs(.url, "cached", "status").excludes("print-next")
    case .feed: OptionSpec("feed", .text("NAME"), "the name of the feed in the store, instead of its URL")
    case .more: OptionSpec("more", "read more pages: one, or --max-pages").excludes("full", "cached", "status")
    case .full: OptionSpec("full", "read the whole feed again").excludes("cached", "status")
    case .cached: OptionSpec("cached", "print the known items, offline").excludes("status")
    case .after:
      OptionSpec("after", .text("ID"), "print what is below this item").needs("cached").excludes("resume-from")
    case .before:
      OptionSpec("before", .text("ID"), "print what is above this item").needs("cached")
        .excludes("after", "max-pages", "resume-from")
    case .pageSize:
      OptionSpec("page-size", .integer(1...10_000), "items on a page from the store").default("30").needs("pages")
        .needs("cached")
    case .status: OptionSpec("status", "print what the store knows, and its gaps, offline")
    case .changed: OptionSpec("changed", "print edited items again")
    case .redeliver: OptionSpec("redeliver", "print items that may not have been printed").excludes("cached", "status")
    case .resumeFrom:
      OptionSpec("resume-from", .file, "resume from a checkpoint without changing it").needs("records")
        .excludes("status", "redeliver")
    case .every:
      OptionSpec("every", .interval, "stay, and look for new items this often").needs(.url)
        .excludes("cached", "status")
    case .since:
      OptionSpec("since", .since, "request only items with a greater value than the known ones")
        .excludes("cached", "status", "on-gap=drop")
    case .sinceOverlap: OptionSpec("since-overlap", .sinceOverlap, "subtract this from that value").default("0")
    case .orderKey: OptionSpec("order-key", .pointer("/created_at"), "what the feed is sorted by")
    case .order:
      OptionSpec("order", .choice("newest-first", "oldest-first"), "where new items appear").default("newest-first")
    case .overlap:
      OptionSpec("overlap", .integer(1...1000), "known items that a page must end with to join").default("1")
    case .onGap: OptionSpec("on-gap", .choice("keep", "drop"), "what to do with the pages below a gap").default("keep")
    case .durable: OptionSpec("durable", "lose nothing in a power cut")
    case .wait: OptionSpec("wait", "wait for another run that uses the feed")
    case .now: OptionSpec("now", "send a request even if the server said to wait").needs(.url)
    case .secretParam: OptionSpec("secret-param", .parameter, "never store this parameter").repeating

    case .delay: OptionSpec("delay", .seconds, "wait this long between requests").default("0")
    case .parallel:
      OptionSpec("parallel", .integer(2...8), "request up to N numbered pages at once").needs("id", "store")
        .excludes("no-dedupe", "pages", "print-next", "cached", "status")
    case .retries:
      OptionSpec("retries", .integer(0...Int.max), "give up after N failed retries in a row").default("5")
    case .maxWait: OptionSpec("max-wait", .seconds, "end if the server asks for a longer wait").default("900")
    case .idleTimeout: OptionSpec("idle-timeout", .duration, "try again after this long without data").default("60")
    case .requestTimeout: OptionSpec("request-timeout", .duration, "try again if a page takes longer").default("300")
    case .allowHost: OptionSpec("allow-host", .host, "follow next links to this host, without secrets").repeating
    case .sendAuthTo: OptionSpec("send-auth-to", .host, "follow next links to this host, with all headers").repeating
    case .notes: ConnectionOption.notes.spec.needs("records")
    case .verbose: OptionSpec("verbose", "v", "report each request on standard error")

    case .maxSize: OptionSpec("max-size", .size, "the most bytes of a page, decompressed").default("64M")
    case .maxDepth: OptionSpec("max-depth", .integer(1...Int.max), "the deepest nesting of a page").default("10000")
    }
  }
}

extension OptionType {
  fileprivate static let rule = OptionType("RULE", .beginnings(NextRule.beginnings)) { bytes throws(OptionRefusal) in
    do throws(NextRule.Problem) { return try NextRule(bytes) } catch {
      throw .expected(error.expected, found: bytes)
    }
  }

  fileprivate static let hasMore = OptionType("POINTER") { bytes throws(OptionRefusal) in try HasMore(bytes) }

  fileprivate static let parameter = text("NAME", "the name of a parameter") { !$0.isEmpty }

  fileprivate static let host = OptionType("HOST") { bytes throws(OptionRefusal) in
    guard let pattern = HostPattern(bytes) else { throw .expected(HostPattern.expected, found: bytes) }
    return pattern
  }
}

/// The settings of a command line. Times, in seconds, and limits that have a default get it from the table.
struct Options {
  enum Form: Equatable { case items(ItemForm), pages, nextLink }

  /// What to do with a store.
  enum StoreAction { case walk, cached, status }

  /// The options about a store.
  struct Store {
    /// Empty if there is no store.
    var path: [UInt8]
    var action = StoreAction.walk
    /// What `cached` shows.
    var place = FeedPlace<[UInt8]>.top
    var pageSize = 0
    var feedName: [UInt8]?
    var command = FeedOptions.Command.refresh
    var printsChanged = false
    var redelivers = false
    /// The file with a reader's own place.
    var checkpoint: [UInt8]?
    /// Nil for a single run.
    var interval: Interval?
    var isDurable = false
    var waits = false
    /// Whether to send a request even if the server asked to wait.
    var asksNow = false
    var secretParameters: [[UInt8]] = []
  }

  let source: FeedSource
  /// The options that were typed. They override what a store remembers.
  let given: Set<Flag>
  var walk = WalkOptions()
  var form = Form.items(.data)
  let stamp: RecordStamp
  /// The options about a store, if there is one.
  var store: Store? { storeOptions.path.isEmpty ? nil : storeOptions }
  private var storeOptions = Store(path: [])
  /// How the items of a store are printed.
  var itemForm: ItemForm { if case .items(let form) = form { form } else { .data } }
  /// The number of known items at which a page joins. If not given, the feed in a store may set it.
  var overlap = 0
  /// If not given, the feed in a store may set it.
  var forgetsBelowGaps = false
  /// Nil if neither given nor known of the feed in the store.
  var order: FeedOrder?
  /// The URL of the first page of an input.
  var base: HTTPURL?
  var delay = 0.0
  /// The most requests at once.
  var parallel = 1
  var retries = 0
  var maxWait = 0.0
  var isMaxWaitGiven = false
  var idleTimeout = 0.0
  var requestTimeout = 0.0
  var maxSize = 0
  var maxDepth = 0
  var printsNotes = false
  var isVerbose = false
  let http: HTTPOptions

  init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    let operand = try FeedSource(invocation.operands)
    http = try HTTPOptions(invocation, streams)
    source = try http.completed(operand)
    stamp = try RecordStamp(invocation)
    given = Set(Flag.allCases.filter { invocation.isGiven($0) })
    for (flag, value) in try invocation.options(Flag.self) { try set(flag, value) }
    if let store, form == .pages, store.action != .cached {
      throw .usage("option '--pages' with '--store' needs '--cached'")
    }
    if let store, store.action == .cached, form != .pages, given.contains(.maxPages) {
      throw .usage("option '--max-pages' with '--cached' needs '--pages'")
    }
    if parallel > 1, let rule = walk.next, NumberedPages(rule) == nil {
      throw .usage("option '--parallel' needs '--next page' or '--next offset'")
    }
    guard case .file = source else { return }
    if store != nil, !invocation.operands.isEmpty { throw .usage("option '--store' needs a URL to connect to") }
    if let rule = walk.next?.headNeeded { throw .usage("option '--next \(rule)' needs a URL to connect to") }
  }

  mutating func set(_ flag: Flag, _ value: OptionValue) throws(ToolFailure) {
    switch flag {
    case .next: walk.next = try value.get()
    case .items: walk.items = try value.get()
    case .itemsObject:
      walk.items = try value.get()
      walk.itemsAreMembers = true
    case .itemsLines: walk.itemsAreLines = true
    case .id: walk.id = try value.get()
    case .hasMore: walk.hasMore = try value.get()
    case .total: walk.total = try value.get()
    case .endStatus: walk.endStatuses = try value.get()
    case .emptyCursor: walk.followsEmptyCursor = try value.get() == "follow"
    case .noDedupe: walk.dedupes = false
    case .limit: walk.limit = try value.get()
    case .maxPages: walk.maxPages = try value.get()
    case .stopBefore: walk.stopBefore = try value.get()
    case .records: form = .items(.record(stamp))
    case .pages: form = .pages
    case .printNext:
      form = .nextLink
      walk.findsLink = true
    case .baseURL: base = try value.get()
    case .keepParam: walk.keptParameters.append(value.bytes)
    case .store: storeOptions.path = value.bytes
    case .feed: storeOptions.feedName = value.bytes
    case .more: storeOptions.command = .more
    case .full: storeOptions.command = .full
    case .cached: storeOptions.action = .cached
    case .after: storeOptions.place = .after(value.bytes)
    case .before: storeOptions.place = .before(value.bytes)
    case .pageSize: storeOptions.pageSize = try value.get()
    case .status: storeOptions.action = .status
    case .changed: storeOptions.printsChanged = true
    case .redeliver: storeOptions.redelivers = true
    case .resumeFrom: storeOptions.checkpoint = value.bytes
    case .every: storeOptions.interval = try value.get()
    case .since: walk.since = try value.get()
    case .sinceOverlap: walk.sinceOverlap = try value.get()
    case .orderKey: walk.orderKey = try value.get()
    case .order: order = value.isDefault ? nil : FeedOrder(rawValue: try value.get())
    case .overlap: overlap = try value.get()
    case .onGap: forgetsBelowGaps = try value.get() == "drop"
    case .durable: storeOptions.isDurable = true
    case .wait: storeOptions.waits = true
    case .now: storeOptions.asksNow = true
    case .secretParam: storeOptions.secretParameters.append(value.bytes)
    case .delay: delay = try value.get()
    case .parallel: parallel = try value.get()
    case .retries: retries = try value.get()
    case .maxWait:
      maxWait = try value.get()
      isMaxWaitGiven = !value.isDefault
    case .idleTimeout: idleTimeout = try value.get()
    case .requestTimeout: requestTimeout = try value.get()
    case .maxSize: maxSize = try value.get()
    case .maxDepth: maxDepth = try value.get()
    case .allowHost: walk.allowedHosts.append(try value.get())
    case .sendAuthTo: walk.trustedHosts.append(try value.get())
    case .notes: printsNotes = true
    case .verbose: isVerbose = true
    }
  }
}
