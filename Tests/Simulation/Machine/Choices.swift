// A history is made of choices: when a server closes, where a chunk is cut, which call a process dies in. The seed makes
// them, and they are written down. So a history can be played again with fewer or smaller choices, which is how one that
// breaks a promise is shrunk (Shrinking.swift). 0 is always the simplest choice: no fault, no delay, the end.

/// A generator of pseudo-random numbers: SplitMix64.
struct Numbers {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0xD1B5_4A32_D192_ED03 }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

struct Choices {
  /// The choices made so far.
  private(set) var made: [Int] = []
  private var numbers: Numbers
  /// The choices to make again; after the last of them comes 0.
  private let given: [Int]?

  init(seed: UInt64) {
    numbers = Numbers(seed)
    given = nil
  }

  init(again given: [Int]) {
    numbers = Numbers(0)
    self.given = given
  }

  /// A number from 0 to `count` - 1.
  mutating func below(_ count: Int) -> Int {
    var choice = 0
    if let given {
      if made.count < given.count { choice = given[made.count] % max(count, 1) }
    } else {
      choice = Int(numbers.next() % UInt64(max(count, 1)))
    }
    made.append(choice)
    return choice
  }

  /// Once in `times`, on average.
  mutating func once(in times: Int) -> Bool { below(times) == times - 1 }
}
