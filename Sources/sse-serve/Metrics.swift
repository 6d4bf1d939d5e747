import FeedCore

/// What the server counts, and its response to /metrics in the text format of Prometheus (version 0.0.4). A monitor asks for
/// it every few seconds.
///
/// Counters are numbers, raised where things happen. All else is worked out only when somebody asks.
struct Metrics {
  /// What became of the records of the input.
  struct Events {
    /// How many were published.
    var published = 0
    /// How many bytes they have as events of the stream. Each client gets them once.
    var bytes = 0
    /// How many were skipped: malformed records, changes that do not apply, and the changes after them.
    var withheld = 0
    /// When the last one was published, in microseconds since 1970; 0 before.
    var lastTime: Int64 = 0
  }

  /// The limit of `clients`.
  let maxClients: Int

  /// How many streams have begun.
  var streamsBegun = 0
  /// How many clients were dropped because they read too slowly.
  var dropped = 0
  /// How many clients came with an event ID and got what they had missed.
  var hits = 0
  /// How many clients came with an event ID that is not in the replay window.
  var misses = 0
  /// How many bytes the system has taken for all clients.
  var sentBytes = 0
  /// How many requests were answered, by status.
  private(set) var requests: [Int: Int] = [:]
  /// Microseconds since 1970.
  private let startTime = Clock.now()

  mutating func count(_ status: Int) { requests[status, default: 0] += 1 }

  /// The response to `/metrics`.
  func text(_ events: Events, _ clients: ConnectionTable, _ table: StreamTable) -> [UInt8] {
    let streams = table.all
    let waiting = streams.reduce(0) { $0 + $1.publisher.waiting.count }
    var page = MetricsPage()
    page.add("clients", .gauge, "Clients that get an event stream.", clients.streamCount - waiting)
    page.add("clients_waiting", .gauge, "Clients that wait for an event they have seen elsewhere.", waiting)
    page.add("max_clients", .gauge, "The limit of both together.", maxClients)
    page.add("connections", .gauge, "Open connections, also those of the clients above.", clients.count)
    page.add("streams", .gauge, "Event streams that can be asked for.", streams.count)
    page.add("events_total", .counter, "Events published.", events.published)
    page.add(
      "last_event_timestamp_seconds", .gauge, "When the last event was published, in seconds since 1970.",
      at: events.lastTime)
    page.add("events_withheld_total", .counter, "Records not published: malformed, or not applicable.", events.withheld)
    page.add("event_bytes_total", .counter, "Bytes of the published events, each counted once.", events.bytes)
    page.add("sent_bytes_total", .counter, "Bytes sent to all clients.", sentBytes)
    page.add("clients_total", .counter, "Event streams begun.", streamsBegun)
    page.add("clients_dropped_total", .counter, "Clients dropped because they read too slowly.", dropped)
    page.add(
      "resumes_total", .counter, "Clients that sent the ID of their last event, by whether it was still kept.",
      by: "result", [("hit", hits), ("miss", misses)])
    page.add(
      "slowest_client_lag_bytes", .gauge, "Most bytes of new events that wait for one client.", Self.lag(streams))
    page.add(
      "requests_total", .counter, "Requests answered, by status.",
      by: "code", requests.sorted { $0.key < $1.key }.map { ("\($0.key)", $0.value) })
    // All programs have it under this name: a monitor sees by it that counters began at 0 again.
    page.add(
      "process_start_time_seconds", prefix: "", .gauge, "Start time, in seconds since 1970.", at: startTime)
    return page.text
  }

  /// How many bytes wait for the client that is the furthest behind, as --client-buffer counts them.
  private static func lag(_ streams: [ServedStream]) -> Int {
    var most = 0
    for stream in streams {
      for client in stream.clients {
        let end = stream.publisher.end(for: client)
        most = max(most, client.stream.map { end - max($0.place, $0.begunAt) } ?? 0)
      }
    }
    return most
  }
}

extension Metrics {
  private struct MetricsPage {
    enum Kind: String { case counter, gauge }

    private(set) var text: [UInt8] = []

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
      begin("sse_serve_\(name)", kind, help)
      line("sse_serve_\(name) \(value)")
    }

    /// Adds a metric with a value for each value of a label.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, by label: String, _ values: [(String, Int)]) {
      begin("sse_serve_\(name)", kind, help)
      for (key, value) in values { line("sse_serve_\(name){\(label)=\"\(key)\"} \(value)") }
    }

    /// Adds a time.
    mutating func add(
      _ name: String, prefix: String = "sse_serve_", _ kind: Kind, _ help: String, at microseconds: Int64
    ) {
      begin(prefix + name, kind, help)
      let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
      line("\(prefix)\(name) \(microseconds / 1_000_000).\(fraction)")
    }

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
      line("# HELP \(name) \(help)")
      line("# TYPE \(name) \(kind.rawValue)")
    }

    private mutating func line(_ line: String) { text += Array("\(line)\n".utf8) }
  }
}
