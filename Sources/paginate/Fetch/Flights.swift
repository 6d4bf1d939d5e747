// Requests in progress, and answers that have come but are not wanted yet. Without `--parallel` there is one request, and
// its answer is wanted at once.

import FeedCore
import FeedHTTP

/// The requests that have been made, in the order of their starts.
struct Flights {
  enum Landing {
    case answered(HTTPAnswer)
    case failed(HTTPError)
  }

  /// One request.
  private struct Flight {
    let page: PageRequest
    let start: Double
    var exchange: HTTPExchange?
    var arrival: Arrival?
    /// Whether its answer will be dropped. Leaving at once would cost a connection, and the server works on it anyway.
    var isUnwanted = false
  }

  private let client: HTTPClient
  private let interrupts: Interrupts
  private let limits: HTTPExchange.Limits
  private let form: PageText
  private var flights: [Flight] = []
  /// When `advance` or `wait` returned last, by the monotonic clock.
  private var lookedAt = 0.0

  init(_ client: HTTPClient, _ interrupts: Interrupts, _ limits: HTTPExchange.Limits, _ form: PageText) {
    self.client = client
    self.interrupts = interrupts
    self.limits = limits
    self.form = form
  }

  /// How many requests are in progress or have an answer that nobody has taken.
  var count: Int { flights.count }

  /// How many answers are still to come.
  var flyingCount: Int { flights.count { $0.exchange != nil } }

  func contains(_ page: PageRequest) -> Bool { flights.contains { $0.page == page && !$0.isUnwanted } }

  mutating func start(_ page: PageRequest, _ request: HTTPRequest) {
    let now = Clock.monotonic()
    if flyingCount == 0 { lookedAt = now }
    var flight = Flight(page: page, start: now)
    do throws(HTTPError) { flight.exchange = try HTTPExchange(request, of: client, limits) } catch {
      flight.arrival = Arrival(.failed(error), seconds: 0, form)
    }
    flights.append(flight)
  }

  /// Reads what has come.
  /// - Returns: the requests whose answers are complete now.
  mutating func advance() -> [PageRequest] {
    let pause = Clock.monotonic() - lookedAt
    var landed: [PageRequest] = []
    for index in flights.indices where flights[index].exchange != nil {
      // No server is to blame for the time in which nobody looked.
      flights[index].exchange?.excuse(pause)
      let landing: Landing
      do throws(HTTPError) {
        guard let answer = try flights[index].exchange?.advance() else { continue }
        landing = .answered(answer)
      } catch {
        landing = .failed(error)
      }
      flights[index].exchange = nil
      let seconds = Clock.monotonic() - flights[index].start
      flights[index].arrival = Arrival(landing, seconds: seconds, form)
      if !flights[index].isUnwanted { landed.append(flights[index].page) }
    }
    flights.removeAll { $0.isUnwanted && $0.exchange == nil }
    lookedAt = Clock.monotonic()
    return landed
  }

  /// Waits until something may have come.
  /// - Parameter deadline: when to return in any case.
  /// - Returns: why the tool must end, if it must.
  mutating func wait(until deadline: Double?) throws(HTTPError) -> Interruption? {
    defer { lookedAt = Clock.monotonic() }
    let ends = flights.compactMap { $0.exchange?.deadline } + [deadline].compactMap(\.self)
    guard case .interrupted(let interruption) = try client.wait(until: ends.min(), interrupts) else { return nil }
    return interruption
  }

  /// Waits without looking at what comes.
  /// - Returns: why the tool must end, if it must.
  func sleep(until deadline: Double) throws(ToolFailure) -> Interruption? { try interrupts.sleep(until: deadline) }

  /// Whether the answer to a request has begun.
  func hasHead(_ page: PageRequest) -> Bool {
    flights.first { $0.page == page && !$0.isUnwanted }?.exchange?.hasHead ?? false
  }

  /// The answer to a request, if it has come.
  func arrival(of page: PageRequest) -> Arrival? { flights.first { $0.page == page && !$0.isUnwanted }?.arrival }

  /// Drops all requests but some, and their answers.
  /// - Returns: the arrivals of those that were dropped; nil for an answer that is still to come.
  mutating func drop(except kept: [PageRequest]) -> [Arrival?] {
    let dropped = flights.indices.filter { !flights[$0].isUnwanted && !kept.contains(flights[$0].page) }
    let arrivals = dropped.map { flights[$0].arrival }
    for index in dropped { flights[index].isUnwanted = true }
    flights.removeAll { $0.isUnwanted && $0.exchange == nil }
    return arrivals
  }

  /// Drops an answer that has come.
  mutating func drop(_ page: PageRequest) { flights.removeAll { $0.page == page && $0.exchange == nil } }
}
