import FeedCore
import FeedZlib

/// One of the streams that are served: its events, and the clients that get them.
final class ServedStream {
  /// The value of the member that `--stream-from` names; empty for the only stream.
  let name: [UInt8]
  /// Its events, its document, and the clients that wait for an event.
  var publisher: Publisher
  /// The clients that get the stream, in any order. The subscription of each has its index.
  private(set) var clients: [ClientConnection] = []
  /// The place in the log up to which all clients have been served.
  var servedEnd = 0
  /// When something was last sent to all clients.
  var lastSent = 0.0
  /// When to send a comment to waiting clients.
  var waitingCommentTime = 0.0
  /// When the table's timer for it is due.
  fileprivate var alarm = Double.infinity

  init(name: [UInt8], _ publisher: Publisher) {
    self.name = name
    self.publisher = publisher
  }

  /// The client gets the stream from here on.
  func begin(_ connection: ClientConnection, _ subscription: Subscription, at start: Publisher.Start) {
    subscription.begin(start)
    subscription.index = clients.count
    clients.append(connection)
  }

  /// Removes a client, which may have waited.
  func remove(_ connection: ClientConnection, _ subscription: Subscription) {
    publisher.waiting.remove(connection.token)
    guard subscription.place != nil, let last = clients.popLast(), last !== connection else { return }
    clients[subscription.index] = last
    last.subscription?.index = subscription.index
  }

  /// The next time at which it needs attention.
  fileprivate func nextTime(keepalive: Double) -> Double {
    let next = clients.isEmpty ? .infinity : lastSent + keepalive
    return publisher.waiting.count == 0 ? next : min(next, publisher.waiting.nextDeadline, waitingCommentTime)
  }
}

/// All streams. Without `--stream-from` there is one.
///
/// Whatever happens to one of ten thousand streams costs the same as if it were the only one: events, clients and timers
/// find their stream without a search.
struct StreamTable {
  private let options: Options
  private(set) var all: [ServedStream] = []
  private var numbers: [[UInt8]: Int] = [:]
  /// Those whose log has grown since it was sent to all clients.
  var changed: [ServedStream] = []
  /// Timers, the next one first. One that is not its stream's alarm is stale.
  private var alarms = Heap<Double, ServedStream>()
  /// The lists for programs and for browsers, as they were made last.
  private var lists: [(list: StreamList, time: Double)] = []
  /// Those that clients may still be receiving.
  var heldLists = HeldTexts()
  /// For all streams; nil without `--gzip`.
  private let deflater: DeflaterStream?

  init(_ options: Options) throws(ToolFailure) {
    self.options = options
    do throws(ZlibError) { deflater = options.compresses ? try DeflaterStream(windowBits: 15) : nil } catch {
      throw .failed(.error, error.message)
    }
    if options.sources == nil { _ = add([]) }
  }

  /// The stream with a number, which may be that after the last one.
  /// - Parameter name: of a new stream.
  mutating func stream(_ number: Int, name: @autoclosure () -> [UInt8]) -> ServedStream {
    number < all.count ? all[number] : add(name())
  }

  /// - Parameter name: empty for the only stream.
  func stream(named name: [UInt8]) -> ServedStream? { numbers[name].map { all[$0] } }

  private mutating func add(_ name: [UInt8]) -> ServedStream {
    let stream = ServedStream(name: name, Publisher(options, [StreamLog()] + (deflater.map { [StreamLog($0)] } ?? [])))
    numbers[name] = all.count
    all.append(stream)
    return stream
  }

  /// The list of all streams, whose numbers of clients may be a second old. So it costs little time however often clients
  /// ask.
  mutating func list(asHTML: Bool, _ now: Double) -> StreamList {
    // An old one must not stay for the table alone.
    lists.removeAll { now >= $0.time + 1 || $0.list.count != all.count }
    if let made = lists.first(where: { $0.list.isHTML == asHTML }) { return made.list }
    let list = StreamList(all.map { ($0.name, $0.clients.count) }, asHTML: asHTML)
    lists.append((list, now))
    heldLists.add(list.text)
    return list
  }

  // MARK: Timers

  /// The time of the next timer. It may be too early, never too late.
  var nextAlarm: Double { alarms.first?.key ?? .infinity }

  /// Sets the timer of a stream, if it needs an earlier one. Call this when it has got a client.
  mutating func setAlarm(_ stream: ServedStream) {
    let time = stream.nextTime(keepalive: options.keepalive)
    guard time < stream.alarm else { return }
    stream.alarm = time
    alarms.insert(stream, at: time)
  }

  /// The next stream whose timer is due; its timer is then not set.
  mutating func takeDue(_ now: Double) -> ServedStream? {
    while let first = alarms.first, first.key <= now {
      alarms.removeFirst()
      guard first.key == first.item.alarm else { continue }
      first.item.alarm = .infinity
      return first.item
    }
    return nil
  }
}
