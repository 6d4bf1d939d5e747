// Percent-encoding as queries have it (WHATWG URL §5.1): what of a URL has to be compared is compared decoded.

/// The bytes that some text of a query stands for: `%41` and `+` (a space) decoded, a `%` without two digits left as it
/// is.
public func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(text.count)
  var index = text.startIndex
  while index < text.endIndex {
    if text[index] == UInt8(ascii: "%"), index + 2 < text.endIndex, let high = hexDigit(text[index + 1]),
      let low = hexDigit(text[index + 2])
    {
      result.append(high << 4 | low)
      index += 3
    } else {
      result.append(text[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : text[index])
      index += 1
    }
  }
  return result
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
