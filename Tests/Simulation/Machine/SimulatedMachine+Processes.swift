// The sockets of the process that is running, and the programs that it starts.

import CLinux
import FeedCore
import Glibc

extension SimulatedMachine {
  // MARK: Sockets

  func makeSocket() -> Int {
    guard enter(), let process else { return Self.dead }
    return process.open(OpenFile(.socket(Listener())))
  }

  func listen(_ number: Int32) -> Int {
    guard enter(hasEffect: true) else { return Self.dead }
    guard case .socket(let listener)? = file(number)?.kind else { return Int(-EBADF) }
    world.listener = listener
    return 0
  }

  func accept(_ number: Int32) -> Int {
    guard enter(), let process else { return Self.dead }
    guard case .socket(let listener?)? = file(number)?.kind else { return Int(-EBADF) }
    if listener.waiting.isEmpty { return Int(-EAGAIN) }
    let socket = OpenFile(.connection(listener.waiting.removeFirst()))
    socket.isWaiting = false
    return process.open(socket)
  }

  func shutDown(_ number: Int32) {
    guard enter(), case .connection(let connection)? = file(number)?.kind else { return }
    connection.output.isEnded = true
  }

  // MARK: Processes

  func identifier() -> Int32 { process?.identifier ?? 1 }

  func spawn(_ arguments: [[UInt8]], _ variables: [[UInt8]], _ files: [Int32: Int32]) -> Int {
    guard enter(hasEffect: true), let process else { return Self.dead }
    let child = ChildOfWorld(world.newIdentifier(), arguments, variables, parent: process)
    for (own, number) in files { child.files[own] = process.files[number] }
    child.inherited = process.files.values.filter(\.isInherited)
    world.children[child.identifier] = child
    world.spawn(child)
    if let error = child.startError {
      world.children[child.identifier] = nil
      return Int(-error)
    }
    return Int(child.identifier)
  }

  /// A process that has ended, and its status; 0 if it has not. -1 asks for any child.
  func ended(_ number: Int32) -> (Int, Int32) {
    guard enter() else { return (Self.dead, 0) }
    // -1 is any child.
    let children = world.children.values.filter { $0.parent === process && [-1, $0.identifier].contains(number) }
    if children.isEmpty { return (Int(-ECHILD), 0) }
    guard let child = children.first(where: { $0.status != nil }), let status = child.status else { return (0, 0) }
    world.children[child.identifier] = nil
    return (Int(child.identifier), Fault.isPlanted("lost-status") ? 0 : status)
  }

  func kill(_ number: Int32, _ signal: Int32) -> Int {
    guard enter(hasEffect: signal != 0) else { return Self.dead }
    if let child = world.children[abs(number)], child.status == nil {
      if signal != 0 { child.signal(signal) }
      return 0
    }
    return number == process?.identifier ? 0 : Int(-ESRCH)
  }

  func setHandler(_ signal: Int32, _ handler: (@convention(c) (Int32) -> Void)?) {
    guard let handler, unsafeBitCast(handler, to: Int.self) > 1 else { return }
    process?.handlers[signal] = handler
  }
}

/// A program that deliver has started.
final class ChildOfWorld {
  let identifier: Int32
  let arguments: [[UInt8]]
  let variables: [[UInt8]]
  weak var parent: SimulatedProcess?
  var files: [Int32: OpenFile] = [:]
  /// Other files that it keeps open, and with them their locks.
  var inherited: [OpenFile] = []
  /// The error of starting it.
  var startError: Int32?
  /// As waitpid(2) tells it; nil while it runs.
  private(set) var status: Int32?
  var signal: (Int32) -> Void = { _ in }

  init(_ identifier: Int32, _ arguments: [[UInt8]], _ variables: [[UInt8]], parent: SimulatedProcess) {
    self.identifier = identifier
    self.arguments = arguments
    self.variables = variables
    self.parent = parent
  }

  /// Its standard input, all of it.
  var input: [UInt8] {
    guard let file = files[0], case .file(let content) = file.kind else { return [] }
    file.offset = content.bytes.count
    file.wasRead = true
    if Fault.isPlanted("lost-line") {
      return Array(content.bytes.dropLast().reversed().drop { $0 != UInt8(ascii: "\n") }.reversed())
    }
    return content.bytes
  }

  func end(_ status: Int32) {
    guard self.status == nil else { return }
    self.status = status
    inherited = []
    files = [:]
    if let parent, !parent.isDead { parent.handlers[SIGCHLD]?(SIGCHLD) }
  }
}
