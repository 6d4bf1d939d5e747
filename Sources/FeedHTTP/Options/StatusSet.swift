/// A set of HTTP statuses as written in options: `429,5xx`, or `none`.
package struct StatusSet: Equatable, Sendable {
  private var ranges: [ClosedRange<Int>] = []

  package static let none = StatusSet()

  /// - Returns: nil if `text` is not such a list.
  package init?(_ text: [UInt8]) {
    if text.elementsEqual("none".utf8) { return }
    for word in text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      let digits = word.map { Int($0) - Int(UInt8(ascii: "0")) }
      guard digits.count == 3, (1...9).contains(digits[0]) else { return nil }
      if word.dropFirst().allSatisfy({ $0 | 0x20 == UInt8(ascii: "x") }) {
        ranges.append(digits[0] * 100...digits[0] * 100 + 99)
      } else if digits.allSatisfy({ (0...9).contains($0) }) {
        let status = digits[0] * 100 + digits[1] * 10 + digits[2]
        ranges.append(status...status)
      } else {
        return nil
      }
    }
  }

  package init(_ statuses: Int...) { ranges = statuses.map { $0...$0 } }

  /// The set as written in options.
  package var text: [UInt8] {
    if ranges.isEmpty { return Array("none".utf8) }
    let words = ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound / 100)xx" }
    return Array(words.joined(separator: ",").utf8)
  }

  package func contains(_ status: Int) -> Bool { ranges.contains { $0.contains(status) } }
}
