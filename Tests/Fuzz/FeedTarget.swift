// A stored feed, whatever the server answers: every run ends, the runs of the store stay possible, no item is printed
// twice, and all that was read and is above every gap was printed or waits. The values of `--since`, the order of a page
// and the numbers of pages keep their laws.
//
// The input is parts, separated by 0xFF. The first two are texts for `--since`; in the others each byte chooses
// something: the options of a run, and then its responses.

import FeedCore
import FeedHTTP

func fuzzFeed(_ bytes: [UInt8]) {
  let parts = Parts(bytes)
  checkSince(parts[0], parts[1])
  checkOrder(parts.all.prefix(12))
  let storage = MemoryStorage()
  var printed: Set<[UInt8]> = []
  for part in parts.all.dropFirst(2).prefix(6) {
    runFeed(storage, Choices(part), &printed)
    runUnkept(Choices(part))
  }
}

/// Bytes that choose.
private final class Choices {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  func next(below bound: Int) -> Int { Int(rest.popFirst() ?? 0) % bound }
}

// MARK: Runs

/// A server that answers as bytes say. When they end, it is down.
private struct ChosenResponses: PageFetcher {
  let choices: Choices

  func fetch(_ request: [UInt8], ifNoneMatch: [UInt8]?, after progress: WalkProgress) -> FeedResponse {
    guard !choices.isEmpty else { return .failed(FeedFailure(status: .remote, message: "down")) }
    let kind = choices.next(below: 16)
    if kind == 0, ifNoneMatch != nil { return .notModified }
    let items = (0..<choices.next(below: 6)).map { _ in
      let (id, version) = (choices.next(below: 24), choices.next(below: 8))
      return FeedItem(
        id: [UInt8(ascii: "a") + UInt8(id)], orderKey: version == 7 ? nil : Array("\(version)".utf8),
        data: [UInt8(ascii: version == 1 ? "1" : "0")], isNewer: version == 2)
    }
    // A page has no id twice, which the walker sees to.
    var seen: Set<[UInt8]> = []
    let number = choices.next(below: 64)
    return .page(
      FeedPage(
        items: items.filter { seen.insert($0.id).inserted }, next: number < 48 ? Array("/\(number)".utf8) : nil,
        total: kind < 8 ? choices.next(below: 32) : nil, etag: kind & 1 == 0 ? [UInt8(ascii: "e")] : nil,
        end: kind == 9 ? choices.next(below: seen.count + 1) : nil
      ).withPossibleEnd)
  }
}

extension FeedPage {
  fileprivate var withPossibleEnd: FeedPage {
    var page = self
    if let end, end >= items.count { page.end = nil }
    return page
  }
}

private func runFeed(_ storage: MemoryStorage, _ choices: Choices, _ printed: inout Set<[UInt8]>) {
  var options = FeedOptions(firstRequest: Array("/".utf8))
  options.command = [.refresh, .refresh, .more, .full][choices.next(below: 4)]
  options.order = [nil, .newestFirst, .oldestFirst][choices.next(below: 3)]
  options.maxPages = [nil, 1, 2, 3][choices.next(below: 4)]
  options.proof = 1 + choices.next(below: 3)
  options.numbering = [nil, .pages, .offsets][choices.next(below: 3)]
  options.numberedRequest = { Array($0 == 0 ? "/".utf8 : "/\($0)".utf8) }
  let flags = choices.next(below: 16)
  if flags & 3 == 3, options.order != .oldestFirst {
    options.since = FeedOptions.Since(isFiltered: flags & 4 != 0, mustJoin: flags & 8 != 0)
  } else if options.order != .oldestFirst {
  }
  var lines: [UInt8] = []
  var printer = FeedPrinter { bytes, _ in
    for index in bytes.indices { lines.append(bytes[index]) }
    return (bytes.count, nil)
  }
  printer.form = .record(RecordStamp())
  printer.chunkLines = 1 + choices.next(below: 3)
  printer.remaining = [nil, 3][choices.next(below: 2)]
  var session = FeedSession(storage, options, ChosenResponses(choices: choices), printer)
  do throws(StoreError) { _ = try session.run() } catch { promise(false, "its own store is damaged: \(error)") }
  let runs = FeedRuns(storage.runs())
  promise(runs.problem == nil, "\(runs.problem ?? ""): \(runs)")
  for line in lines.split(separator: UInt8(ascii: "\n")) {
    promise(printed.insert(Array(line)).inserted, "printed twice: \(shown(Array(line)))")
  }
}

/// A walk without a store: what came is printed once each, up to the limit.
private func runUnkept(_ choices: Choices) {
  var options = FeedOptions(firstRequest: Array("/".utf8))
  (options.command, options.order, options.isKept) = (.full, FeedOrder.none, false)
  options.maxPages = [nil, 1, 2, 3][choices.next(below: 4)]
  options.numbering = [nil, .pages, .offsets][choices.next(below: 3)]
  var lines: [UInt8] = []
  var printer = FeedPrinter { bytes, _ in
    for index in bytes.indices { lines.append(bytes[index]) }
    return (bytes.count, nil)
  }
  printer.form = .record(RecordStamp())
  let limit = [nil, 3][choices.next(below: 2)]
  printer.remaining = limit
  var session = FeedSession(PassingStorage(dedupes: true), options, ChosenResponses(choices: choices), printer)
  do throws(StoreError) { _ = try session.run() } catch { promise(false, "a store that is none fails: \(error)") }
  let all = lines.split(separator: UInt8(ascii: "\n")).map(Array.init)
  let ids = all.compactMap { (try? JSONDocument(parsing: $0))?.root.member("id")?.string }
  promise(Set(ids).count == all.count, "printed twice, or without an id")
  promise(all.count <= limit ?? .max, "more than the limit")
}

// MARK: Values and order

private func checkSince(_ text: [UInt8], _ other: [UInt8]) {
  if let rule = try? OptionType<NextRule>.since.parse(text) {
    promise((try? OptionType<NextRule>.since.parse(rule.text)) == rule, "not as shown: \(rule)")
    let first = PageRequest(url: Array("https://h/a?b=c".utf8), method: "GET", body: nil)
    if let found = SinceValue(other, isNumber: false, as: nil) {
      let mark = SinceMark(source: SinceReader(rule, nil).source, covered: found, greatest: found)
      let url = (try? SinceReader(rule, mark).applied(to: first).url) ?? first.url
      if rule.target != .url { promise((try? HTTPURL(url)) != nil, "no URL: \(shown(url))") }
    }
  }
  let minus = DecimalText(other).flatMap { $0.isNegative ? nil : DecimalText(0) - $0 }
  for kind in [SinceValue.Kind.number, .time, .local, .text] {
    guard let left = SinceValue(text, as: kind) else { continue }
    promise(!left.isBelow(left), "below itself: \(left)")
    if let minus, let less = left.shifted(by: minus) {
      guard let earlier = SinceValue(less, as: kind) else { return promise(false, "of another kind: \(shown(less))") }
      promise(!left.isBelow(earlier), "\(shown(less)) is greater than \(shown(text))")
    }
    guard let right = SinceValue(other, as: kind) else { continue }
    promise(!(left.isBelow(right) && right.isBelow(left)), "below each other: \(left), \(right)")
    if left.amount == right.amount, left.amount != nil {
      promise(!left.isBelow(right) && !right.isBelow(left), "equal, but not in order: \(left), \(right)")
    }
  }
}

/// A page that shows one order shows the other one when it is turned around.
private func checkOrder(_ texts: ArraySlice<[UInt8]>) {
  func page(_ texts: [[UInt8]], isKey: Bool) -> FeedPage {
    FeedPage(
      items: texts.map { FeedItem(id: $0, orderKey: isKey ? $0 : nil, data: []) }, next: nil)
  }
  for isKey in [true, false] {
    let (order, other) = (
      FeedOrder.shown(by: page(Array(texts), isKey: isKey)), FeedOrder.shown(by: page(texts.reversed(), isKey: isKey))
    )
    promise(order != .oldestFirst || other == .newestFirst, "both ways: \(texts.map(shown))")
  }
}
