// Running a tool of the project as a process of a history: the same `run` as in its main.swift.

import FeedCore
import deliver
import http_cat
import jdiff
import jpatch
import paginate
import sse_cat
import sse_serve

struct Tool {
  let spec: ToolSpec
  let run: ToolSpec.Run

  static let sseCat = Tool(spec: sse_cat::sseCat, run: sse_cat::run)
  static let jpatch = Tool(spec: jpatch::jpatch, run: jpatch::run)
  static let jdiff = Tool(spec: jdiff::jdiff, run: jdiff::run)
  static let sseServe = Tool(spec: sse_serve::sseServe, run: sse_serve::run)
  static let paginate = Tool(spec: paginate::paginate, run: paginate::run)
  static let deliver = Tool(spec: deliver::deliver, run: deliver::run)
  static let httpCat = Tool(spec: http_cat::httpCat, run: http_cat::run)
}

extension World {
  enum Ending: Equatable {
    case exited(Int32)
    case died
  }

  /// Runs a tool from its start to its end or death.
  func run(
    _ tool: Tool, _ arguments: [String], input: Channel? = nil, output: Channel, errors: Channel = Channel(),
    _ life: Life
  ) -> Ending {
    let name = tool.spec.name
    note("\(name) \(arguments.joined(separator: " "))")
    let process = newProcess(name, life)
    let standardInput = input ?? Channel()
    if input == nil { standardInput.isEnded = true }
    process.files = [0: OpenFile(.reader(standardInput)), 1: OpenFile(.writer(output)), 2: OpenFile(.writer(errors))]
    self.process = process
    let status = tool.spec.run(
      arguments.map { Array($0.utf8) }, StandardStreams(program: name), tool.run)
    process.files = [:]
    self.process = nil
    listener = nil
    for line in errors.bytes.split(separator: UInt8(ascii: "\n")) { note(String(decoding: line, as: UTF8.self)) }
    if process.isDead { return .died }
    note("\(name) ends with status \(status?.rawValue ?? 141)")
    return .exited(status?.rawValue ?? 141)
  }
}

extension Channel {
  /// Whole lines that were written, without their ends.
  var lines: [[UInt8]] {
    let whole = bytes[..<(bytes.lastIndex(of: UInt8(ascii: "\n")) ?? 0)]
    return whole.isEmpty
      ? [] : whole.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
  }
}

extension World {
  /// What a process reads of what another one has written: the same bytes, a little later, cut anywhere.
  /// - Parameter limit: how many bytes arrive before everything is stopped.
  func pass(_ written: Channel, to read: Channel, limit: Int = .max, from start: Double, isEnded: Bool) {
    var end = 0
    var last = 0.0
    for part in written.times {
      let stop = min(part.end, limit)
      while end < stop {
        let size = choices.once(in: 4) ? choices.below(stop - end) + 1 : stop - end
        let bytes = written.bytes[end..<(end + size)]
        last = max(last, part.time - start) + 0.0001
        after(last) { [self] in read.append(bytes, at: now) }
        end += size
      }
    }
    if isEnded { after(last + 0.001) { read.isEnded = true } }
  }
}
