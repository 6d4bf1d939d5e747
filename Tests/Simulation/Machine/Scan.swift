/// Reads a line of a known form from its beginning. (Regular expressions take longer than a whole history.)
struct Scan {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

  /// Passes a text, if it comes next.
  mutating func pass(_ text: StaticString) -> Bool {
    let isNext = text.withUTF8Buffer { rest.starts(with: $0) }
    if isNext { rest = rest.dropFirst(text.utf8CodeUnitCount) }
    return isNext
  }

  /// Passes the end, if the rest ends with it, so that `rest` is what comes before.
  mutating func drop(end text: StaticString) -> Bool {
    let isEnd = text.withUTF8Buffer { rest.suffix($0.count).elementsEqual($0) }
    if isEnd { rest = rest.dropLast(text.utf8CodeUnitCount) }
    return isEnd
  }

  /// Passes a whole number.
  mutating func number() -> Int? {
    var value: Int?
    while let byte = rest.first, (0x30...0x39).contains(byte), value ?? 0 < Int.max / 100 {
      value = (value ?? 0) * 10 + Int(byte - 0x30)
      rest = rest.dropFirst()
    }
    return value
  }
}

func text(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }
