import FeedCore
import TestSupport
import Testing

@Suite struct DecimalTests {
  @Test(arguments: [
    ("1", "0"), ("10", "9"), ("1000000000000000000000", "999999999999999999999"), ("0", "-1"), ("-9", "-10"),
    ("007", "6"), ("-0", "-1"), ("210462857140252600", "210462857140252599"),
  ])
  func predecessors(_ number: String, _ before: String) throws {
    #expect((try #require(DecimalText(number.utf8)) - DecimalText(1)).text == Array(before.utf8))
  }

  @Test func sumsAndOrder() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      let (a, b) = (Int.random(in: 0...(1 << 40), using: &generator), Int.random(in: 0...(1 << 20), using: &generator))
      #expect((DecimalText(a) + DecimalText(b)) == DecimalText(a + b))
      #expect((DecimalText(a) < DecimalText(b)) == (a < b))
      #expect((DecimalText(-a) < DecimalText(b)) == (-a < b))
      #expect((DecimalText(-a) < DecimalText(-b)) == (-a < -b))
      #expect(DecimalText(a) - DecimalText(1) == DecimalText(a - 1))
    }
    #expect((try #require(DecimalText("99".utf8)) + DecimalText(1)).text == Array("100".utf8))
  }

  @Test(arguments: ["", "-", "+1", "1.0", "1e3", " 1", "0x1"])
  func noNumbers(_ text: String) { #expect(DecimalText(text.utf8) == nil) }
}

@Suite struct HeapTests {
  @Test(arguments: UInt64(1)...10)
  func theLowestComesFirst(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var heap = Heap<Int, String>()
    var model: [Int] = []
    for _ in 0..<300 {
      if Int.random(in: 0..<5, using: &random) < 3 {
        let key = Int.random(in: 0..<50, using: &random)
        heap.insert("\(key)", at: key)
        model.append(key)
        model.sort()
      } else {
        let removed = heap.removeFirst()
        #expect(removed?.key == model.first && removed?.item == model.first.map { "\($0)" })
        if !model.isEmpty { model.removeFirst() }
      }
      #expect(heap.count == model.count && heap.first?.key == model.first)
    }
  }
}
