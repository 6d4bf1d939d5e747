/// Values between tabs, one row a line.
enum TabSeparated {
  /// A value with its tabs, line ends and backslashes as `\\t`, `\\n`, `\\r` and `\\\\`.
  private static func escaped(_ value: [UInt8]) -> [UInt8] {
    guard value.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else { return value }
    var result: [UInt8] = []
    result.reserveCapacity(value.count)
    for byte in value {
      switch byte {
      case UInt8(ascii: "\t"): result += Array("\\t".utf8)
      case UInt8(ascii: "\n"): result += Array("\\n".utf8)
      case UInt8(ascii: "\r"): result += Array("\\r".utf8)
      case UInt8(ascii: "\\"): result += Array("\\\\".utf8)
      default: result.append(byte)
      }
    }
    return result
  }

  /// A row of several values.
  static func row(_ values: [[UInt8]]) -> [UInt8] {
    var row: [UInt8] = []
    for (place, value) in values.enumerated() {
      if place > 0 { row.append(UInt8(ascii: "\t")) }
      row += escaped(value)
    }
    row.append(UInt8(ascii: "\n"))
    return row
  }
}
