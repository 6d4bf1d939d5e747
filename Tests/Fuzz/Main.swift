// The entry point of libFuzzer. All targets are in one program, so that FeedCore is built once; FUZZ_TARGET chooses
// one.

import Foundation

/// A target takes any bytes, and ends the process if a promise is broken.
private let targets: [String: @Sendable ([UInt8]) -> Void] = [
  "json": fuzzJSON, "patch": fuzzPatch, "diff": fuzzDiff, "merge": fuzzMerge, "events": fuzzEvents, "list": fuzzList,
  "xml": fuzzXML, "request": fuzzRequest, "head": fuzzHead, "walk": fuzzWalk, "feed": fuzzFeed, "serve": fuzzServe,
  "frames": fuzzFrames, "lines": fuzzLines, "known": fuzzKnown, "body": fuzzBody,
  "batch": fuzzBatch, "algebra": fuzzAlgebra,
]

private let target: @Sendable ([UInt8]) -> Void = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = targets[name] else { fatalError("FUZZ_TARGET is one of \(targets.keys.sorted())") }
  return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// Ends the process if a promise is broken; the fuzzer then keeps the input.
func promise(_ holds: Bool, _ what: @autoclosure () -> String, line: UInt = #line, file: StaticString = #file) {
  if !holds { fatalError(what(), file: file, line: line) }
}

/// Bytes for a message.
func shown(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// Where to cut an input: the same for the same input, so that a finding can be repeated.
struct Cuts {
  private var state: UInt64

  init(_ bytes: [UInt8]) {
    state = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } | 1
  }

  /// A number below `bound`.
  mutating func next(below bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }

  /// Three ways to divide `count` bytes: one by one, in small pieces, in any pieces. Each is a list of their ends.
  static func ways(_ bytes: [UInt8]) -> [[Int]] {
    var cuts = Cuts(bytes)
    var ways = [Array(1..<max(2, bytes.count + 1))]
    for longest in [9, max(1, bytes.count)] {
      var ends: [Int] = []
      while ends.last ?? 0 < bytes.count {
        ends.append(min(bytes.count, (ends.last ?? 0) + 1 + cuts.next(below: longest)))
      }
      ways.append(ends)
    }
    return ways
  }
}
