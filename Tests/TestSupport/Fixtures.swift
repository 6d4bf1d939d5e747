import Foundation

/// Reads the plain files with the cases of the unit tests.
public enum Fixtures {
  /// The lines of a file under Tests/Fixtures with their numbers, without empty lines and comments.
  /// - Parameter least: the smallest number of lines, because a test without cases would pass.
  public static func lines(_ file: String, atLeast least: Int = 1) throws -> [(number: Int, text: String)] {
    let text = try Repository.contents("Tests/Fixtures/" + file)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { ($0.offset + 1, String($0.element)) }
      .filter { !$0.1.isEmpty && !$0.1.hasPrefix("#") }
    guard lines.count >= least else { throw TooShort(file: file, count: lines.count, least: least) }
    return lines
  }

  struct TooShort: Error { let file: String, count: Int, least: Int }

  /// `text` with `\n`, `\r`, `\t`, `\0`, `\\` and each `\xHH` as those bytes. Any other backslash is literal.
  public static func bytes(_ text: some StringProtocol) -> [UInt8] {
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "\\") {
        result.append(byte)
      } else if let letter = rest.first, let value = letters[letter] {
        result.append(value)
        rest.removeFirst()
      } else if rest.first == UInt8(ascii: "x"), rest.count >= 3,
        let value = UInt8(String(decoding: rest.dropFirst().prefix(2), as: UTF8.self), radix: 16)
      {
        result.append(value)
        rest.removeFirst(3)
      } else {
        result.append(byte)
      }
    }
    return result
  }

  private static let letters: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "0"): 0,
    UInt8(ascii: "\\"): UInt8(ascii: "\\"),
  ]
}

/// Pseudo-random numbers, the same in every run.
public struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    // SplitMix64
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
