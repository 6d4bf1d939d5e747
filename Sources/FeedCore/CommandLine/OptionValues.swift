// Values of options, read one way in every tool and refused with one wording.

/// An option's value as typed, with the name to complain under.
public struct OptionValue: Sendable {
  public let bytes: [UInt8]
  /// The row of the option.
  public let spec: OptionSpec

  public init(_ bytes: [UInt8], of spec: OptionSpec) {
    self.bytes = bytes
    self.spec = spec
  }

  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// - Parameter part: what of the value is wrong; nil for all of it.
  public func refused(_ expected: String, found part: [UInt8]? = nil) -> ToolError {
    .usage("option '--\(spec.name)': expected \(expected), found '\(quoted(part ?? bytes))'")
  }

  /// A file that will change whole or not at all, which a stream cannot.
  public func file() throws(ToolError) -> [UInt8] {
    if bytes.isEmpty || bytes == [UInt8(ascii: "-")] { throw refused("a file") }
    return bytes
  }

  /// A whole number in decimal digits.
  public func integer(_ range: ClosedRange<Int>) throws(ToolError) -> Int {
    let isNumber = !bytes.isEmpty && bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, let number = Int(text), range.contains(number) else {
      let bound =
        range.upperBound == .max ? "of \(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
      throw refused("a whole number " + bound)
    }
    return number
  }

  /// A size in bytes: digits, and a suffix `K`, `M` or `G` for powers of 1024.
  public func size() throws(ToolError) -> Int {
    let powers: [UInt8: Int] = [UInt8(ascii: "K"): 10, UInt8(ascii: "M"): 20, UInt8(ascii: "G"): 30]
    var digits = bytes[...]
    var shift = 0
    if let last = digits.last, let power = powers[last & 0xDF] {
      shift = power
      digits.removeLast()
    }
    let isNumber = !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber, let number = Int(String(decoding: digits, as: UTF8.self)), number > 0, number <= Int.max >> shift
    else {
      throw refused("a size such as 512K, 64M or 2G")
    }
    return number << shift
  }

  /// A span of time in seconds, digits with a decimal fraction if wanted: `2.5`.
  public func seconds() throws(ToolError) -> Double {
    let isDecimal =
      bytes.last.map { $0 != UInt8(ascii: ".") } == true && bytes.count(where: { $0 == UInt8(ascii: ".") }) <= 1
      && bytes.allSatisfy { $0 == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isDecimal, let number = Double(text.hasPrefix(".") ? "0" + text : text), number <= 1e9 else {
      throw refused("a number of seconds such as 30 or 2.5")
    }
    return number
  }
}
