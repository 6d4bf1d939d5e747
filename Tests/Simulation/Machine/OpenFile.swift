// What a descriptor stands for.

/// A pipe, or one direction of a connection: bytes that have been written and not yet read.
final class Channel {
  /// Everything that was written, and how much of it has been read.
  private(set) var bytes: [UInt8] = []
  var taken = 0
  /// Whether nothing more will be written.
  var isEnded = false
  var hasReader = true
  /// How many bytes it holds until they are read.
  var room = Int.max
  /// When each part was written: up to how many bytes, at what time.
  private(set) var times: [(end: Int, time: Double)] = []

  var available: Int { bytes.count - taken }

  func append(_ more: some Sequence<UInt8>, at time: Double) {
    bytes += more
    times.append((bytes.count, time))
  }

  /// The next bytes, at most `count`.
  func take(_ count: Int = .max) -> ArraySlice<UInt8> {
    let part = bytes[taken...].prefix(count)
    taken += part.count
    return part
  }
}

final class OpenFile {
  enum Kind {
    case file(File)
    case folder
    case reader(Channel)
    case writer(Channel)
    case socket(Listener?)
    case connection(Connection)
    case queue(Queue)
  }

  let kind: Kind
  var offset = 0
  var appends = false
  var isWaiting = true
  var isInherited = false
  var wasRead = true

  init(_ kind: Kind) { self.kind = kind }

  var isReadable: Bool {
    switch kind {
    case .reader(let channel): channel.available > 0 || channel.isEnded
    case .connection(let connection): connection.input.available > 0 || connection.input.isEnded || connection.isBroken
    case .socket(let listener): !(listener?.waiting.isEmpty ?? true)
    default: true
    }
  }

  var isWritable: Bool {
    switch kind {
    case .writer(let channel): channel.available < channel.room || !channel.hasReader
    case .connection(let connection):
      connection.output.available < connection.output.room || connection.isBroken
    default: true
    }
  }

  /// Whether the other end has gone.
  var isHungUp: Bool {
    switch kind {
    case .reader(let channel): channel.isEnded
    case .writer(let channel): !channel.hasReader
    case .connection(let connection): connection.isBroken
    default: false
    }
  }
}

/// A socket that connections come to.
final class Listener {
  var waiting: [Connection] = []
}

/// A connection, as the server sees it.
final class Connection {
  let input = Channel()
  let output = Channel()
  /// Whether the client has gone without a word.
  var isBroken = false
  /// Whether the server has ended it.
  var isClosed = false
}

/// The events that epoll(7) watches for.
final class Queue {
  var watched: [Int32: (events: UInt32, token: UInt64)] = [:]
}

/// What stat(2) says.
struct FileStatus {
  enum Kind { case file, folder, pipe, socket }
  var kind: Kind
  var size = 0
  var node = 0
  /// Whether it has been read since `forgetReads`.
  var wasRead = true

  init(_ kind: Kind, size: Int = 0, node: Int, wasRead: Bool = true) {
    self.kind = kind
    self.size = size
    self.node = node
    self.wasRead = wasRead
  }
}
