// paginate's options: the table.

import FeedCore
import FeedHTTP

let paginate = ToolSpec(
  "paginate", "Print the items of a paged API, in order, once each, without gaps",
  synopsis: ["[options] URL", "[options] [FILE]"],
  foldedHeading: "More options, those for HTTP as curl has them", options: Flag.self)

enum Flag: ToolOption {
  case next, items, id, hasMore, total, emptyCursor
  case maxItems, maxPages, untilID, noDedupe
  case records, pages, printNext, baseURL
  case store, feed, more, full, cached, status, changed, redeliver, orderKey, overlap, onGap, durable, wait, now,
    secretParam
  case delay, retries, maxWait, idleTimeout, requestTimeout, maxSize, maxDepth, keepParam, allowHost, sendAuthTo,
    verbose
  case http(HTTPOption)

  static let allCases: [Flag] =
    [
      .next, .items, .id, .hasMore, .total, .emptyCursor, .maxItems, .maxPages, .untilID, .noDedupe, .records, .pages,
      .printNext, .baseURL, .store, .feed, .more, .full, .cached, .status, .changed, .redeliver, .orderKey, .overlap,
      .onGap, .durable, .wait, .now, .secretParam, .delay, .retries, .maxWait, .idleTimeout, .requestTimeout, .maxSize,
      .maxDepth, .keepParam, .allowHost, .sendAuthTo, .verbose,
    ] + HTTPOption.allCases.map(Flag.http)

  var spec: OptionSpec {
    switch self {
    case .next:
      OptionSpec("next", nil, .text("RULE", beginnings: NextRule.beginnings), "how the next page is asked for")
    case .items: OptionSpec("items", nil, .text("POINTER"), "where a page has its items")
    case .id: OptionSpec("id", nil, .text("POINTER"), "where an item has its id")
    case .hasMore: OptionSpec("has-more", nil, .text("POINTER"), "where a page says whether there is more")
    case .total: OptionSpec("total", nil, .text("POINTER"), "where a page says how many items there are")
    case .emptyCursor:
      OptionSpec("empty-cursor", nil, .choice("end", "follow"), folded: true, "what an empty cursor means")
    case .maxItems: OptionSpec("max-items", "n", .text("N"), "end after printing N items")
    case .maxPages: OptionSpec("max-pages", nil, .text("N"), "end after N pages")
    case .untilID: OptionSpec("until-id", nil, .text("ID"), "end before the item with this id")
    case .noDedupe: OptionSpec("no-dedupe", nil, nil, "print an item again when it comes again")
    case .records: OptionSpec("records", nil, nil, "print event records")
    case .pages: OptionSpec("pages", nil, nil, "print whole pages")
    case .printNext: OptionSpec("print-next", nil, nil, "print only where the next page is")
    case .baseURL: OptionSpec("base-url", nil, .text("URL"), "where the pages of an input come from")
    case .store: OptionSpec("store", nil, .file(), "keep the feed in a SQLite file, print what is new")
    case .feed: OptionSpec("feed", nil, .text("NAME"), "store: what the feed is called; its URL otherwise")
    case .more: OptionSpec("more", nil, nil, "store: read one older page, or --max-pages")
    case .full: OptionSpec("full", nil, nil, "store: read the whole feed again")
    case .cached: OptionSpec("cached", nil, nil, "store: print the feed as it is known, offline")
    case .status: OptionSpec("status", nil, nil, "store: print runs and gaps, offline")
    case .changed: OptionSpec("changed", nil, nil, "store: print edited items again")
    case .redeliver: OptionSpec("redeliver", nil, nil, "store: print what may not have been printed")
    case .orderKey: OptionSpec("order-key", nil, .text("POINTER"), "store: what the feed is sorted by")
    case .overlap: OptionSpec("overlap", nil, .text("N"), "store: known items that make a page join (1)")
    case .onGap: OptionSpec("on-gap", nil, .choice("keep", "drop"), "store: what a gap does to what is below it")
    case .durable: OptionSpec("durable", nil, nil, folded: true, "store: outlive a power cut too")
    case .wait: OptionSpec("wait", nil, nil, folded: true, "store: wait for another run on the feed")
    case .now: OptionSpec("now", nil, nil, folded: true, "store: ask even if the server wanted no request yet")
    case .secretParam:
      OptionSpec("secret-param", nil, .text("NAME"), folded: true, "store: a parameter that it must not hold").repeating
    case .delay: OptionSpec("delay", nil, .text("SECONDS"), "wait as long between requests")
    case .retries: OptionSpec("retries", nil, .text("N"), "give up when N retries in a row have failed (5)")
    case .maxWait: OptionSpec("max-wait", nil, .text("SECONDS"), "end rather than wait for longer (900)")
    case .idleTimeout:
      OptionSpec("idle-timeout", nil, .text("SECONDS"), folded: true, "try again when nothing comes so long (60)")
    case .requestTimeout:
      OptionSpec("request-timeout", nil, .text("SECONDS"), folded: true, "try again when a page takes longer (300)")
    case .maxSize: OptionSpec("max-size", nil, .text("SIZE"), folded: true, "bytes of a page, unpacked (64M)")
    case .maxDepth: OptionSpec("max-depth", nil, .text("N"), folded: true, "nesting of a page (10000)")
    case .keepParam:
      OptionSpec("keep-param", nil, .text("NAME"), folded: true, "put a parameter back into next links").repeating
    case .allowHost:
      OptionSpec("allow-host", nil, .text("HOST"), folded: true, "follow next links to a host, without secrets")
        .repeating
    case .sendAuthTo:
      OptionSpec("send-auth-to", nil, .text("HOST"), folded: true, "follow next links to a host, with all headers")
        .repeating
    case .verbose: OptionSpec("verbose", "v", nil, "tell on standard error about requests")
    case .http(let option): option.spec
    }
  }

  /// Whether the option says something about a store.
  var needsStore: Bool {
    switch self {
    case .feed, .more, .full, .cached, .status, .changed, .redeliver, .orderKey, .overlap, .onGap, .durable, .wait,
      .now, .secretParam:
      true
    default: false
    }
  }

  /// Whether the option says how to ask for pages, and so has no meaning for those that are there.
  var needsURL: Bool {
    switch self {
    case .delay, .retries, .maxWait, .idleTimeout, .requestTimeout, .now, .allowHost, .sendAuthTo, .verbose, .store,
      .http:
      true
    default: false
    }
  }
}
