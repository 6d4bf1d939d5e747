// The system calls of the process that is running, on the world of its history.

import CLinux
import FeedCore
import Glibc

/// Forwards the calls to the world of the history that is being played.
final class SimulatedMachine {
  nonisolated(unsafe) static let shared = SimulatedMachine()
  nonisolated(unsafe) static var world = World(Choices(again: []), noise: 0, isVerbose: false)

  var world: World { Self.world }
  var process: SimulatedProcess? { world.process }
  static let dead = Int(-EIO)

  /// - Returns: whether the call is made.
  func enter(hasEffect: Bool = false) -> Bool {
    guard let process else { return false }
    return process.enter(hasEffect: hasEffect) == .alive
  }

  func file(_ number: Int32) -> OpenFile? { process?.files[number] }

  // Each call returns a result as the kernel does: at least 0, or an error number below 0.

  // MARK: Time

  /// How often a dead process has asked for the time: it passes fast then, so that no wait is long.
  private var askedInDeath = 0.0

  func monotonicTime() -> Double {
    if process?.isDead ?? true {
      askedInDeath += 60
      return world.now + askedInDeath
    }
    askedInDeath = 0
    if !world.isInEvent { world.spend(0.000001) }
    return world.now
  }

  func date() -> Int64 {
    // A clock that begins with the process.
    if Fault.isPlanted("id-twice"), let process { return Int64((world.now - process.startTime) * 1_000_000) }
    return world.date
  }
  func random() -> Double { world.random() }

  // MARK: Files

  func open(_ path: [UInt8], _ flags: Int32) -> Int {
    guard let process else { return Self.dead }
    let name = Disk.name(path)
    if name.isEmpty || name == [UInt8(ascii: ".")] {
      return enter() ? process.open(OpenFile(.folder)) : Self.dead
    }
    let isForgotten = Fault.isPlanted("amnesia") && name == Array("state".utf8)
    let found = isForgotten ? nil : world.disk[name]
    let isCreated = found == nil && flags & O_CREAT != 0
    guard enter(hasEffect: isCreated) else { return Self.dead }
    if found != nil, flags & O_EXCL != 0 { return Int(-EEXIST) }
    guard let file = found ?? (isCreated ? world.disk.create(name) : nil) else { return Int(-ENOENT) }
    let opened = OpenFile(.file(file))
    opened.appends = flags & O_APPEND != 0
    return process.open(opened)
  }

  func close(_ number: Int32) -> Int {
    guard enter() else { return Self.dead }
    guard let file = process?.files.removeValue(forKey: number) else { return Int(-EBADF) }
    if case .connection(let connection) = file.kind {
      connection.isClosed = true
      connection.output.isEnded = true
    }
    return 0
  }

  func read(_ number: Int32, _ target: UnsafeMutableRawBufferPointer) -> Int {
    guard enter() else { return Self.dead }
    guard let file = file(number) else { return Int(-EBADF) }
    switch file.kind {
    case .file(let content):
      let part = content.bytes[min(file.offset, content.bytes.count)...].prefix(target.count)
      target.copyBytes(from: part)
      file.offset += part.count
      file.wasRead = true
      return part.count
    case .reader(let channel): return take(channel, file, target)
    case .connection(let connection):
      if connection.isBroken { return Int(-ECONNRESET) }
      return take(connection.input, file, target)
    default: return Int(-EBADF)
    }
  }

  private func take(_ channel: Channel, _ file: OpenFile, _ target: UnsafeMutableRawBufferPointer) -> Int {
    if !file.isReadable {
      if !file.isWaiting { return Int(-EAGAIN) }
      guard world.wait(until: nil, { file.isReadable }) else { return Self.dead }
    }
    let part = channel.take(target.count)
    target.copyBytes(from: part)
    return part.count
  }

  func write(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let process else { return Self.dead }
    let entry = process.enter(hasEffect: true)
    guard entry != .dead, let file = file(number) else { return Self.dead }
    // A process that dies in write(2) may have written a part.
    let count = entry == .alive ? bytes.count : world.choices.below(bytes.count + 1)
    let written = write(file, UnsafeRawBufferPointer(rebasing: bytes[..<count]))
    return entry == .alive ? written : Self.dead
  }

  private func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer) -> Int {
    switch file.kind {
    case .file(let content):
      if file.appends { file.offset = content.bytes.count }
      content.write(bytes, at: file.offset)
      file.offset += bytes.count
      return bytes.count
    case .writer(let channel): return put(bytes, channel, file)
    case .connection(let connection):
      if connection.isBroken { return Int(-EPIPE) }
      return put(bytes, connection.output, file)
    default: return Int(-EBADF)
    }
  }

  private func put(_ bytes: UnsafeRawBufferPointer, _ channel: Channel, _ file: OpenFile) -> Int {
    if Fault.isPlanted("early-checkpoint") || Fault.isPlanted("early-save"), file === process?.files[1] {
      // As if the output were flushed after the checkpoint: a rename comes between.
      process?.held += bytes
      return bytes.count
    }
    guard channel.hasReader else { return Int(-EPIPE) }
    let count = min(bytes.count, channel.room - channel.available)
    if count <= 0, !bytes.isEmpty { return Int(-EAGAIN) }
    channel.append(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: world.now)
    return count
  }

  func readByte(_ number: Int32, at offset: Int) -> Int {
    guard enter(), case .file(let content)? = file(number)?.kind, content.bytes.indices.contains(offset) else {
      return Self.dead
    }
    return Int(content.bytes[offset])
  }

  func seek(_ number: Int32, _ offset: Int, _ whence: Int32) -> Int {
    guard enter() else { return Self.dead }
    guard let file = file(number), case .file(let content) = file.kind else { return Int(-ESPIPE) }
    switch whence {
    case SEEK_SET: file.offset = offset
    case SEEK_CUR: file.offset += offset
    default: file.offset = content.bytes.count + offset
    }
    return file.offset
  }

  func sync(_ number: Int32) -> Int {
    guard enter(hasEffect: true) else { return Self.dead }
    switch file(number)?.kind {
    case .file(let content): if !Fault.isPlanted("no-sync") { content.sync() }
    case .folder: world.disk.syncFolder()
    default: return Int(-EINVAL)
    }
    return 0
  }

  func truncate(_ number: Int32, to size: Int) -> Int {
    guard enter(hasEffect: true) else { return Self.dead }
    guard case .file(let content)? = file(number)?.kind else { return Int(-EINVAL) }
    content.truncate(to: size)
    return 0
  }

  func lock(_ number: Int32, _ operation: Int32) -> Int {
    guard enter() else { return Self.dead }
    guard let opened = file(number), case .file(let content) = opened.kind else { return Int(-EBADF) }
    if operation & LOCK_UN != 0 {
      if content.locker === opened { content.locker = nil }
      return 0
    }
    let isFree = { content.locker == nil || content.locker === opened }
    if !isFree() {
      if operation & LOCK_NB != 0 { return Int(-EWOULDBLOCK) }
      guard world.wait(until: nil, isFree) else { return Self.dead }
    }
    content.locker = opened
    return 0
  }

  func flags(of number: Int32) -> Int { file(number).map { $0.isWaiting ? 0 : Int(O_NONBLOCK) } ?? Int(-EBADF) }

  func setFlags(_ number: Int32, _ flags: Int32) -> Int {
    guard enter() else { return Self.dead }
    file(number)?.isWaiting = flags & O_NONBLOCK == 0
    return 0
  }

  func setInherited(_ number: Int32, _ isInherited: Bool) {
    if !Fault.isPlanted("free-lock") { file(number)?.isInherited = isInherited }
  }

  func nameless() -> Int {
    guard enter(), let process else { return Self.dead }
    return process.open(OpenFile(.file(world.disk.nameless())))
  }

  func pipe() -> (output: Int, input: Int) {
    guard enter(), let process else { return (Self.dead, -1) }
    let channel = Channel()
    return (process.open(OpenFile(.reader(channel))), process.open(OpenFile(.writer(channel))))
  }

  // MARK: Names

  func rename(_ from: [UInt8], _ to: [UInt8]) -> Int {
    guard enter(hasEffect: true) else { return Self.dead }
    guard let file = world.disk[from] else { return Int(-ENOENT) }
    if Fault.isPlanted("torn-pair"), Disk.name(to) == Array("state".utf8), let old = world.disk[to] {
      // The ID of the checkpoint before, with the new document.
      let (former, new) = (
        old.bytes.split(separator: UInt8(ascii: ",")), file.bytes.split(separator: UInt8(ascii: ","))
      )
      if former.count > 1 { file.bytes = Array((new[..<1] + former[1..<2] + new[2...]).joined(separator: ",".utf8)) }
    }
    // Two names of one file: rename(2) does nothing.
    if world.disk[to] !== file { world.disk.change([(Disk.name(from), nil), (Disk.name(to), file)]) }
    return 0
  }

  func link(_ from: [UInt8], _ to: [UInt8]) -> Int {
    guard enter(hasEffect: true) else { return Self.dead }
    guard let file = world.disk[from] else { return Int(-ENOENT) }
    if world.disk[to] != nil { return Int(-EEXIST) }
    world.disk.change([(Disk.name(to), file)])
    return 0
  }

  func unlink(_ path: [UInt8]) -> Int {
    let isThere = world.disk[path] != nil
    guard enter(hasEffect: isThere) else { return Self.dead }
    if !isThere { return Int(-ENOENT) }
    world.disk.change([(Disk.name(path), nil)])
    return 0
  }

  func status(of path: [UInt8]) -> FileStatus? {
    let name = Disk.name(path)
    if name.isEmpty || name == [UInt8(ascii: ".")] { return FileStatus(.folder, node: 1) }
    return world.disk[name].map { FileStatus(.file, size: $0.bytes.count, node: $0.number + 10) }
  }

  func status(of number: Int32) -> FileStatus? {
    guard let file = file(number) else { return nil }
    switch file.kind {
    case .file(let content):
      return FileStatus(.file, size: content.bytes.count, node: content.number + 10, wasRead: file.wasRead)
    case .folder: return FileStatus(.folder, node: 1)
    case .reader, .writer: return FileStatus(.pipe, node: 2)
    case .socket, .connection: return FileStatus(.socket, node: 3)
    case .queue: return FileStatus(.pipe, node: 4)
    }
  }

  func forgetReads(_ number: Int32) { file(number)?.wasRead = false }

  func names(in folder: [UInt8]) -> [[UInt8]] { world.disk.names.keys.sorted { $0.lexicographicallyPrecedes($1) } }

  // MARK: Waiting

  /// The process waits: what was held back for a fault goes out.
  private func release() {
    guard let process, !process.held.isEmpty, case .writer(let channel)? = process.files[1]?.kind else { return }
    channel.append(process.held, at: world.now)
    process.held = []
  }

  private func deadline(_ milliseconds: Int32) -> Double? {
    milliseconds < 0 ? nil : world.now + Double(milliseconds) / 1000
  }

  /// - Parameters:
  ///   - milliseconds: -1 for ever.
  ///   - isSo: what else ends the wait.
  func poll(
    _ polled: UnsafeMutableBufferPointer<pollfd>, _ milliseconds: Int32, or isSo: () -> Bool = { false }
  ) -> Int {
    guard enter() else { return Self.dead }
    if milliseconds != 0 { release() }
    world.settle()
    var count = 0
    _ = world.wait(until: deadline(milliseconds)) {
      count = 0
      for index in polled.indices {
        polled[index].revents = events(polled[index])
        if polled[index].revents != 0 { count += 1 }
      }
      return count > 0 || isSo()
    }
    return process?.isDead ?? true ? Self.dead : count
  }

  private func events(_ polled: pollfd) -> Int16 {
    guard let file = file(polled.fd) else { return Int16(POLLNVAL) }
    var events: Int16 = 0
    if polled.events & Int16(POLLIN) != 0, file.isReadable { events |= Int16(POLLIN) }
    if polled.events & Int16(POLLOUT) != 0, file.isWritable { events |= Int16(POLLOUT) }
    if file.isHungUp { events |= Int16(POLLHUP) }
    return events
  }

  func makeQueue() -> Int {
    guard enter(), let process else { return Self.dead }
    return process.open(OpenFile(.queue(Queue())))
  }

  private func queue(_ number: Int32) -> Queue? {
    guard case .queue(let queue)? = file(number)?.kind else { return nil }
    return queue
  }

  func watch(_ queue: Int32, _ operation: Int32, _ number: Int32, _ events: UInt32, _ token: UInt64) -> Int {
    guard enter() else { return Self.dead }
    guard let queue = self.queue(queue), let file = file(number) else { return Int(-EBADF) }
    if case .file = file.kind { return Int(-EPERM) }
    queue.watched[number] = operation == EPOLL_CTL_DEL ? nil : (events, token)
    return 0
  }

  func takeEvents(
    _ number: Int32, upTo count: Int, _ milliseconds: Int32
  ) -> (Int, [(events: UInt32, token: UInt64)]) {
    guard enter(), let queue = queue(number) else { return (Self.dead, []) }
    world.settle()
    var found: [(events: UInt32, token: UInt64)] = []
    _ = world.wait(until: deadline(milliseconds)) {
      found = []
      for (number, watched) in queue.watched.sorted(by: { $0.key < $1.key }) {
        guard let file = file(number) else { continue }
        var events: UInt32 = 0
        if watched.events & feed_epoll_in != 0, file.isReadable { events |= feed_epoll_in }
        if watched.events & feed_epoll_out != 0, file.isWritable { events |= feed_epoll_out }
        if file.isHungUp { events |= feed_epoll_broken }
        if events != 0 { found.append((events, watched.token)) }
      }
      return !found.isEmpty
    }
    if process?.isDead ?? true { return (Self.dead, []) }
    found = Array(found.prefix(count))
    return (found.count, found)
  }
}
