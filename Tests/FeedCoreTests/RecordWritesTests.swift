import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FeedCore

/// Whole records: a write ends at a record.
@Suite struct RecordWritesTests {
  /// The sizes of the writes for records of these sizes.
  private func writes(of records: [Int], limit: Int, piece: Int = .max) throws -> [Int] {
    let sizes = Mutex<[Int]>([])
    let kernel = SystemCalls(write: { _, bytes in
      sizes.withLock { $0.append(bytes.count) }
      return .init(count: bytes.count)
    })
    var writer = ByteWriter(Descriptor(99, calls: kernel), RecordWrites(limit: limit))
    for size in records {
      var left = size - 1
      while left > 0 {
        writer.append([UInt8](repeating: 0x78, count: min(left, piece)))
        left -= min(left, piece)
      }
      writer.endLine()
    }
    try writer.flush()
    return sizes.withLock { $0 }
  }

  @Test func manyShortOnesGoTogether() throws {
    #expect(try writes(of: Array(repeating: 200, count: 50), limit: 4096) == [4000, 4000, 2000])
    #expect(try writes(of: [4096, 1, 4095, 1], limit: 4096) == [4096, 4096, 1])
  }

  @Test func aLongOneGoesAlone() throws {
    #expect(try writes(of: [100, 5000, 100], limit: 4096) == [100, 5000, 100])
    #expect(try writes(of: [60_000, 60_000, 100], limit: 65536) == [60_000, 60_100])
  }

  /// Whatever the pieces, a file gets each record whole.
  @Test(arguments: [1, 1000, 16_384, 100_000, .max])
  func aFileGetsWholeRecords(_ piece: Int) throws {
    let records = [200, 300_000, 65_536, 10, 10, 70_000]
    let ends = records.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    let sizes = try writes(of: records, limit: .max, piece: piece)
    let found = sizes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
    #expect(Set(found).isSubset(of: Set(ends)) && found.last == ends.last, "\(sizes)")
  }

  /// A pipe does too, up to the size of the buffer.
  @Test(arguments: [4096, 65536], [1, 1000, 20_000, .max])
  func aPipeGetsWholeRecordsThatFit(_ limit: Int, _ piece: Int) throws {
    var random = SeededGenerator(seed: UInt64(limit))
    for _ in 0..<20 {
      let records = (0..<200).map { _ in Int.random(in: 1...(Bool.random(using: &random) ? 300 : 9000), using: &random)
      }
      let ends = records.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
      let sizes = try writes(of: records, limit: limit, piece: piece)
      let found = sizes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
      #expect(Set(found).isSubset(of: Set(ends)) && found.last == ends.last, "\(records) \(sizes)")
      // A write exceeds the limit only for a single longer record.
      for (start, size) in zip(found, sizes) where size > limit {
        #expect(ends.contains(start) && records.contains(size), "\(records) \(sizes)")
      }
    }
  }
}
