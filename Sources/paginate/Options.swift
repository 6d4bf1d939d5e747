// paginate's options: the table, and the settings that they make.

import FeedCore
import FeedHTTP

package let paginate = ToolSpec(
  "paginate", "Print the items of a paged API, in order, once each, without gaps",
  synopsis: ["[options] URL", "[options] [FILE]", "--print-next [options] URL FILE"], readsURL: FeedSource.isURL,
  options: Options.self)

/// The settings of a command line. Times are in seconds.
struct Options: OptionTable {
  enum OutputForm: Equatable { case items(ItemForm), pages, nextLink }

  var source = FeedSource.file(.standardInput)
  var walk = WalkOptions()
  /// The most items to print, and the most pages to read.
  var limit = Int.max
  var maxPages = Int.max
  /// Whether not to print an item whose id was seen before.
  var dedupes = true
  private var printsRecords = false
  private var printsPages = false
  /// The URL of the first page of an input.
  var base: HTTPURL?
  /// What makes a page of a body (`PageFilter`).
  private(set) var filterCommand: [UInt8]?
  private var storeOptions = Store()
  /// Nil if neither given nor known of the feed in the store.
  var order: FeedOrder?
  var delay = 0.0
  /// The most requests at once.
  var parallel = 1
  var retries = 0
  var maxWait = 0.0
  var idleTimeout = 0.0
  var requestTimeout = 0.0
  var printsNotes = false
  var isVerbose = false
  var maxSize = 0
  var maxDepth = 0
  var stamp = RecordStamp()
  var http = HTTPOptions()
  /// What was typed.
  private let invocation: Invocation

  static let rows = OptionRows<Self> {
    OptionGroup("Options that describe a page")
    Option("next", .rule, \.walk.rules, "how to request the next page, such as page=+1").inFiles
    Option("items", .items, \.walk.items, "where the items are in a page").inFiles
    Option("id-from", .pointer("/id"), \.walk.id, "where the id is in an item").inFiles
    Option("has-more", .hasMore, \.walk.hasMore, "where a page says whether there is more").inFiles
    Option("total", .total, \.walk.total, "where a page says how many items there are").inFiles
    Option("fail-match", .failMatch, \.walk.failMatches, "fail after a page with this value")
      .excludes([\.storeOptions.isCached, \.storeOptions.isStatus]).inFiles
    Option("end-status", .statuses, \.walk.endStatuses, "HTTP statuses of a page past the end, such as 404,400")
      .needs(.url).inFiles
    Option("no-dedupe", not: \.dedupes, "print an item again when it comes again").excludes(\.storeOptions.path)

    Option("filter", .shellCommand, \.filterCommand, "make a page of each body by a command of the shell")
      .excludes([\.storeOptions.isCached, \.storeOptions.isStatus]).notInFiles

    OptionGroup.output
    Option("limit", letter: "n", .integer(1...), \.limit, "end after printing N items")
      .excludes(\.storeOptions.isStatus)
    Option("max-pages", .integer(1...), \.maxPages, "end after N pages")
      .excludes([\.storeOptions.isCached, \.storeOptions.isStatus])
    Option("stop-before", .condition, \.walk.stopBefore, "end before the first item with this value")
      .excludes([\.storeOptions.isCached, \.storeOptions.isStatus])
    Option("records", \.printsRecords, "print event records").excludes([\.printsPages, \.walk.findsLink])
    Option("pages", \.printsPages, "print whole pages").excludes([\.walk.findsLink, \.storeOptions.path])
    Option("print-next", \.walk.findsLink, "print only the URL of the next page")
      .excludes([\.limit, \.maxPages, \.walk.stopBefore])

    OptionGroup("Options for a store").needs(\Options.storeOptions.path)
    Option("store", .wholeFile, \.storeOptions.path, "keep the feed in a SQLite file, print only new items")
      .excludes(\.walk.findsLink).notInFiles
    Option("feed", .text("NAME"), \.storeOptions.feedName, "the name of the feed in the store, instead of its URL")
    Option("older", \.storeOptions.readsMore, "read older pages: one, or --max-pages").needs(.url)
      .excludes([\.storeOptions.readsAll, \.storeOptions.isCached, \.storeOptions.isStatus])
    Option("full", \.storeOptions.readsAll, "read the whole feed again")
      .excludes([\.storeOptions.isCached, \.storeOptions.isStatus])
    Option("cached", \.storeOptions.isCached, "print the known items, offline").excludes(\.storeOptions.isStatus)
    Option("status", \.storeOptions.isStatus, "print what the store knows, and its gaps, offline")
    Option("changed", \.storeOptions.printsChanged, "print edited items again")
    Option(
      "ignore", .pointer("/views"), \.storeOptions.ignored, "a difference there is no edit; /**/x is x at any depth"
    )
    .needs(\.storeOptions.printsChanged)
    Option("redeliver", \.storeOptions.redelivers, "print items that may not have been printed")
      .excludes([\.storeOptions.isCached, \.storeOptions.isStatus])
    Option("resume-from", .file, \.storeOptions.checkpoint, "resume from a checkpoint without changing it")
      .notInFiles.needs(\.printsRecords).excludes([\.storeOptions.isStatus, \.storeOptions.redelivers])
    Option("every", .interval, \.storeOptions.interval, "stay, and look for new items this often").needs(.url)
      .excludes([\.storeOptions.isCached, \.storeOptions.isStatus])
    Option("since", .since, \.walk.since, "request only what came after the last complete run").inFiles.needs(.url)
      .excludes([\.storeOptions.isCached, \.storeOptions.isStatus])
    Option(
      "gone", .statuses, \.walk.goneStatuses, "the statuses by which a server says that it has forgotten the value"
    )
    .default("400,404,410,412").excludes([\.storeOptions.isCached, \.storeOptions.isStatus]).inFiles
    Option("order-key", .pointer("/created_at"), \.walk.orderKey, "what the feed is sorted by").inFiles
    Option("order", .choice, \.order, "where new items appear").default("newest-first").inFiles
    Option("durable", \.storeOptions.isDurable, "lose nothing in a power cut")
    Option("wait", .seconds, "wait this long for another run of the feed") { $0.storeOptions.wait = $1 }.default("0")
    Option("secret-param", .parameter, \.storeOptions.secretParameters, "never store this parameter").inFiles

    OptionGroup.connection
    Option("delay", .seconds, "wait this long between requests") { $0.delay = $1 }.default("0").inFiles
    Option("parallel", .integer(2...8), \.parallel, "request up to N numbered pages at once")
      .needs(anyOf: [\.walk.id, \.storeOptions.path])
      .excludes([
        \.dedupes, \.printsPages, \.walk.findsLink, \.storeOptions.isCached, \.storeOptions.isStatus,
      ])
    Option("retries", .integer(0...), "give up after N failed retries in a row") { $0.retries = $1 }.default("5")
    Option("max-wait", .seconds, \.maxWait, "end if the server asks for a longer wait").default("900")
    Option("idle-timeout", .duration, "try again after this long without data") { $0.idleTimeout = $1 }.default("60")
    Option("request-timeout", .duration, "try again if a page takes longer") { $0.requestTimeout = $1 }.default("300")
    Option("allow-host", .host, \.walk.allowedHosts, "follow next links to this host, without secrets")
    Option("send-auth-to", .host, \.walk.trustedHosts, "follow next links to this host, with all headers")
    Option("notes", \.printsNotes, "print notes about the connection").needs(\.printsRecords)
    Option("verbose", letter: "v", \.isVerbose, "report each request on standard error")

    OptionGroup.limits
    Option("max-size", .size, "the most bytes of a page, decompressed") { $0.maxSize = $1 }.default("64M")
    Option("max-depth", .integer(1...), "the deepest nesting of a page") { $0.maxDepth = $1 }.default("10000")

    OptionGroup.output
    RecordStamp.rows(\.stamp) { $0.needs(\.printsRecords) }
    HTTPOptions.rows(\.http) { $0.excludes(\.isVerbose) }
  }

  init(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) {
    self.invocation = invocation
    try invocation.fill(&self)
    // The URL is that of the page.
    var operands = invocation.operands
    if walk.findsLink, operands.count == 2 {
      guard case .url(let url) = try FeedSource([operands.removeFirst()]) else {
        throw .usage("expected a URL and a file")
      }
      base = url
    }
    let operand = try FeedSource(operands)
    try http.load(streams)
    source = try http.completed(operand)
    walk.keepsMethod = http.hasMethod
    // Help shows the order that is assumed. It is not known.
    if !isGiven(\.order) { order = nil }
    if parallel > 1, let rule = walk.next, NumberedPages(rule) == nil {
      throw .usage("option '--parallel' needs a rule that counts, such as '--next page=+1'")
    }
    guard case .file = source else { return }
    if let store {
      if store.action != .walk, !invocation.operands.isEmpty { throw .usage("expected the URL of the feed") }
    } else if walk.items == .lines {
      throw .usage("option '--items lines' needs a URL to connect to, or a store")
    }
    if let rule = walk.still.rules.first(where: \.needsHead) {
      throw .usage("option '--next \(shortened(rule.text))' needs a URL to connect to")
    }
  }

  /// Whether the option for a setting was typed. Such an option overrides what a store remembers.
  func isGiven(_ setting: PartialKeyPath<Options>) -> Bool { invocation.isGiven(setting) }

  var form: OutputForm {
    walk.findsLink ? .nextLink : printsPages ? .pages : .items(printsRecords ? .record(stamp) : .data)
  }

  /// How the items of a store are printed.
  var itemForm: ItemForm { if case .items(let form) = form { form } else { .data } }

  /// The options about a store, if there is one.
  var store: Store? { storeOptions.path.isEmpty ? nil : storeOptions }
}

extension Options {
  /// The options about a store.
  struct Store {
    /// What to do with a store.
    enum StoreAction { case walk, cached, status }

    /// Empty if there is no store.
    var path: [UInt8] = []
    var feedName: [UInt8]?
    fileprivate var readsMore = false
    fileprivate var readsAll = false
    fileprivate var isCached = false
    fileprivate var isStatus = false
    var printsChanged = false
    /// What is left out when items are compared.
    var ignored: [JSONPointer] = []
    var redelivers = false
    /// The file with a reader's own place.
    var checkpoint: [UInt8]?
    /// Nil for a single run.
    var interval: Interval?
    var isDurable = false
    var wait = 0.0
    var secretParameters: [[UInt8]] = []

    var action: StoreAction { isCached ? .cached : isStatus ? .status : .walk }
    var command: FeedOptions.FeedCommand { readsMore ? .more : readsAll ? .full : .refresh }
  }
}

extension OptionType<[UInt8]> {
  fileprivate static let parameter = text("NAME", "the name of a parameter") { !$0.isEmpty }
}

extension OptionType<[UInt8]> {
  fileprivate static let shellCommand = text("COMMAND", "a command", .command) { !$0.trimmed().isEmpty }
}

extension OptionType<Condition?> {
  /// Nil for `none`.
  fileprivate static let failMatch = Self("POINTER[=VALUE]|none") { bytes throws(OptionRefusal) in
    bytes.elementsEqual("none".utf8) ? nil : try Condition(typed: bytes)
  }
}

extension OptionType<HostPattern> {
  fileprivate static let host = Self("HOST") { bytes throws(OptionRefusal) in
    guard let pattern = HostPattern(bytes) else {
      throw .expected("a host such as api.example.com or localhost:8080", found: bytes)
    }
    return pattern
  }
}
