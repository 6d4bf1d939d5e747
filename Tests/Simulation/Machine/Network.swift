// The network between tools that send requests and the servers of a history.

import FeedCore

@testable import FeedHTTP

/// A request that a server of the history answers.
final class HTTPExchangeOfWorld {
  let request: HTTPRequest
  let response: SimulatedResponse
  private unowned let world: World

  init(_ request: HTTPRequest, _ response: SimulatedResponse, _ world: World) {
    self.request = request
    self.response = response
    self.world = world
  }

  /// The value of a header, as sent.
  func value(_ name: String) -> String? {
    for header in request.sentHeaders where header.name.lowercased() == name {
      let value = String(decoding: header.line.dropFirst(header.name.utf8.count + 1), as: UTF8.self)
      return String(value.drop { $0 == " " })
    }
    return nil
  }

  /// Whether the client still waits for more.
  var isOpen: Bool { !response.isDropped && !response.isOver && response.failure == nil }

  func head(_ status: Int, _ fields: [String] = []) {
    guard isOpen else { return }
    world.note("HTTP \(status)")
    response.setHead(["HTTP/1.1 \(status) X"] + fields)
  }

  func send(_ bytes: some Sequence<UInt8>) {
    guard isOpen else { return }
    response.body += bytes
    response.isNews = true
  }

  func end() {
    guard isOpen else { return }
    response.isOver = true
    response.isNews = true
  }

  func fail(_ error: HTTPError) {
    guard isOpen else { return }
    world.note("HTTP: \(error.message)")
    response.failure = error
    response.isNews = true
  }
}

final class SimulatedNetworkOfWorld: Network {
  private var world: World { SimulatedMachine.world }

  private static let dead = HTTPError(.local, "the process is dead")

  private func enter(hasEffect: Bool = false) throws(HTTPError) {
    guard let process = world.process, process.enter(hasEffect: hasEffect) == .alive else { throw Self.dead }
  }

  func request(_ request: HTTPRequest) throws(HTTPError) -> SimulatedResponse {
    try enter(hasEffect: true)
    let response = SimulatedResponse()
    world.serve(HTTPExchangeOfWorld(request, response, world))
    return response
  }

  func wait(until deadline: Double?, for responses: [SimulatedResponse]) throws(HTTPError) -> HTTPClient.Wakeup {
    try enter()
    if let process = world.process, !process.held.isEmpty, case .writer(let channel)? = process.files[1]?.kind {
      channel.append(process.held, at: world.now)
      process.held = []
    }
    let hasNews = world.wait(until: deadline) { responses.contains(where: \.isNews) }
    guard let process = world.process, !process.isDead else { throw Self.dead }
    for response in responses { response.isNews = false }
    return hasNews ? .activity : .timeUp
  }
}
