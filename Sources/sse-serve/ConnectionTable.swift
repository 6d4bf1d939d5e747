import FeedCore

/// All connections, by their tokens for the poller. A token is a place in the table and a number that is never used
/// again. So an event for a connection that was closed in the same turn finds none.
struct ConnectionTable {
  private var places: [ClientConnection?] = []
  private var free: [Int] = []
  private var generation: UInt64 = 0
  private(set) var count = 0
  /// How many of them get an event stream or wait for it.
  private(set) var streamCount = 0

  private static let placeBits: UInt64 = 24

  var isEmpty: Bool { count == 0 }
  var all: [ClientConnection] { places.compactMap(\.self) }

  subscript(token: UInt64) -> ClientConnection? {
    let place = Int(token & (1 << Self.placeBits - 1))
    guard place < places.count, let connection = places[place], connection.token == token else { return nil }
    return connection
  }

  mutating func insert(_ socket: Descriptor, name: String, deadline: Double) -> ClientConnection {
    let place = free.popLast() ?? places.count
    if place == places.count { places.append(nil) }
    generation += 1
    let connection = ClientConnection(
      socket, token: generation << Self.placeBits | UInt64(place), name: name, deadline: deadline)
    places[place] = connection
    count += 1
    return connection
  }

  /// Makes a connection one of a stream's.
  mutating func assign(_ connection: ClientConnection, to stream: ServedStream) {
    connection.served = stream
    streamCount += 1
  }

  mutating func remove(_ connection: ClientConnection) {
    let place = Int(connection.token & (1 << Self.placeBits - 1))
    places[place] = nil
    free.append(place)
    count -= 1
    guard let served = connection.served else { return }
    streamCount -= 1
    served.remove(connection)
    served.publisher.waiting.remove(connection.token)
  }
}
