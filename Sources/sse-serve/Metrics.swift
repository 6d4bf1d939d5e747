import FeedCore

/// What the server counts for its clients, and its response to /metrics in the text format of Prometheus (version
/// 0.0.4). A monitor asks for it every few seconds.
///
/// Counters are numbers, raised where things happen. All else is worked out only when somebody asks.
struct Metrics {
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
  var requests: [Int: Int] = [:]
  /// Microseconds since 1970.
  private let startTime = Clock.now()

  /// The response to `/metrics`.
  func text(of server: borrowing Server) -> [UInt8] {
    let streams = server.table.all
    let input = server.input
    let waiting = streams.reduce(0) { $0 + $1.publisher.waiting.count }
    // As --client-buffer counts them.
    let lag = streams.lazy.flatMap(\.clients).compactMap(\.subscription?.backlog).max() ?? 0
    var page = ""
    func add(_ name: String, _ help: String, _ values: [(label: String, value: String)]) {
      page += "# HELP \(name) \(help)\n# TYPE \(name) \(name.hasSuffix("_total") ? "counter" : "gauge")\n"
      for (label, value) in values { page += "\(name)\(label) \(value)\n" }
    }
    func add(_ name: String, _ help: String, _ value: Int) { add("sse_serve_" + name, help, [("", "\(value)")]) }
    add("clients", "Clients that get an event stream.", server.streamCount - waiting)
    add("clients_waiting", "Clients that wait for an event they have seen elsewhere.", waiting)
    add("max_clients", "The limit of both together.", server.maxClients)
    add("connections", "Open connections, also those of the clients above.", server.clients.count)
    add("streams", "Event streams that can be asked for.", streams.count)
    add("events_total", "Events published.", input.published)
    add(
      "sse_serve_last_event_timestamp_seconds", "When the last event was published, in seconds since 1970.",
      [("", Self.seconds(input.lastTime))])
    add("events_withheld_total", "Records not published: malformed, or not applicable.", input.withheld)
    add("event_bytes_total", "Bytes of the published events, each counted once.", input.publishedBytes)
    add("sent_bytes_total", "Bytes sent to all clients.", sentBytes)
    add("clients_total", "Event streams begun.", streamsBegun)
    add("clients_dropped_total", "Clients dropped because they read too slowly.", dropped)
    add(
      "sse_serve_resumes_total", "Clients that sent the ID of their last event, by whether it was still kept.",
      [("{result=\"hit\"}", "\(hits)"), ("{result=\"miss\"}", "\(misses)")])
    add("slowest_client_lag_bytes", "Most bytes of new events that wait for one client.", lag)
    add(
      "sse_serve_requests_total", "Requests answered, by status.",
      requests.sorted { $0.key < $1.key }.map { ("{code=\"\($0.key)\"}", "\($0.value)") })
    // All programs have it under this name: a monitor sees by it that counters began at 0 again.
    add("process_start_time_seconds", "Start time, in seconds since 1970.", [("", Self.seconds(startTime))])
    return Array(page.utf8)
  }

  private static func seconds(_ microseconds: Int64) -> String {
    "\(microseconds / 1_000_000).\(String(1_000_000 + microseconds % 1_000_000).dropFirst())"
  }
}
