// The types of option values. A type has a name for the help, the completion of its values, and a parser.
// A type that only a few tools use is declared beside what it parses: pointers in `Records`, statuses in FeedHTTP.

/// The type of an option's value.
package struct OptionType<Value>: Sendable {
  /// Made when it is needed: most starts of a tool print no help.
  private let makeForm: @Sendable () -> OptionValueForm
  /// Parses a value.
  let parse: @Sendable ([UInt8]) throws(OptionRefusal) -> Value

  package init(
    _ name: String, _ completion: OptionValueForm.ValueCompletion = .none,
    _ parse: @escaping @Sendable ([UInt8]) throws(OptionRefusal) -> Value
  ) {
    self.init({ OptionValueForm(name: name, completion: completion) }, parse)
  }

  fileprivate init(
    _ form: @escaping @Sendable () -> OptionValueForm,
    _ parse: @escaping @Sendable ([UInt8]) throws(OptionRefusal) -> Value
  ) {
    makeForm = form
    self.parse = parse
  }

  var form: OptionValueForm { makeForm() }
}

/// A value, and the text that it was typed as.
package struct Typed<Value> {
  package let value: Value
  package let text: [UInt8]
}

/// The words of an option that chooses among them.
package typealias OptionChoice = CaseIterable & RawRepresentable<String> & Sendable

/// Why a text is not a value of an option.
package struct OptionRefusal: Error, Sendable {
  /// The part of the message after the name of the option.
  package let message: String

  package init(_ message: String) { self.message = message }

  /// - Parameter found: the wrong part of the value; nil if it may be a secret.
  package static func expected(_ what: String, found: [UInt8]? = nil) -> OptionRefusal {
    OptionRefusal("expected " + what + (found.map { ", found '\(quoted($0))'" } ?? ""))
  }
}

extension OptionType<[UInt8]> {
  /// Any bytes.
  package static func text(_ name: String) -> Self { Self(name) { $0 } }

  /// Bytes that pass a test.
  /// - Parameters:
  ///   - expected: what the message says was expected.
  ///   - isSecret: whether the message must not quote them.
  package static func text(
    _ name: String, _ expected: String, _ completion: OptionValueForm.ValueCompletion = .none, isSecret: Bool = false,
    where isGood: @escaping @Sendable ([UInt8]) -> Bool
  ) -> Self {
    Self(name, completion) { bytes throws(OptionRefusal) in
      guard isGood(bytes) else { throw .expected(expected, found: isSecret ? nil : bytes) }
      return bytes
    }
  }

  /// A file to read.
  package static let file = Self("FILE", .file) { $0 }

  /// A file that is written completely or not at all, or appended to by whole lines. A stream cannot be such a file.
  package static let wholeFile = text("FILE", "a file", .file) { !$0.isEmpty && $0 != [UInt8(ascii: "-")] }
}

extension OptionType where Value: OptionChoice {
  /// One of the words of an enumeration.
  package static var choice: Self {
    Self {
      let words = Value.allCases.map { $0.rawValue }
      return OptionValueForm(name: words.joined(separator: "|"), completion: .words(words))
    } _: { bytes throws(OptionRefusal) in
      guard let choice = Value(rawValue: String(decoding: bytes, as: UTF8.self)) else {
        throw .expected(Self.choice.form.name, found: bytes)
      }
      return choice
    }
  }
}

extension OptionType<Int> {
  /// A whole number in decimal digits, an `Int`.
  package static func integer(_ range: ClosedRange<Int>, _ name: String = "N") -> Self {
    Self(name) { bytes throws(OptionRefusal) in try integer(range, in: bytes) }
  }

  /// The same without a largest number.
  package static func integer(_ range: PartialRangeFrom<Int>) -> Self { integer(range.lowerBound...Int.max) }

  /// A size in bytes, an `Int`: digits, and a suffix `K`, `M` or `G` for powers of 1024.
  package static let size = Self("SIZE") { bytes throws(OptionRefusal) in try size(bytes) }

  /// - Throws: if the bytes are not a whole number in decimal digits, or it is outside the range.
  package static func integer(_ range: ClosedRange<Int>, in bytes: [UInt8]) throws(OptionRefusal) -> Int {
    guard let number = Int(decimal: bytes), range.contains(number) else {
      let bound =
        range.upperBound == .max ? "of \(range.lowerBound) or more" : "from \(range.lowerBound) to \(range.upperBound)"
      throw .expected("a whole number " + bound, found: bytes)
    }
    return number
  }

  /// - Returns: in bytes, 1 or more.
  package static func size(_ bytes: [UInt8]) throws(OptionRefusal) -> Int {
    let suffix = bytes.last.flatMap { Array("KMG".utf8).firstIndex(of: $0 & 0xDF) }
    let shift = suffix.map { 10 * ($0 + 1) } ?? 0
    guard let number = Int(decimal: bytes.dropLast(suffix == nil ? 0 : 1)), number > 0, number <= Int.max >> shift
    else { throw .expected("a size such as 512K, 64M or 2G", found: bytes) }
    return number << shift
  }
}

extension OptionType<Double> {
  /// A span of time in seconds, a `Double`: see `time`.
  package static let seconds = Self("SECONDS") { bytes throws(OptionRefusal) in try time(bytes) }

  /// The same, greater than zero.
  package static let duration = Self("SECONDS") { bytes throws(OptionRefusal) in
    let seconds = try time(bytes)
    if seconds == 0 { throw .expected("more than 0 seconds", found: bytes) }
    return seconds
  }

  /// The same as `seconds`, for an option that used milliseconds before. A large number without a unit is an old value.
  package static let delay = Self("SECONDS") { bytes throws(OptionRefusal) in
    let seconds = try time(bytes)
    if seconds > 300, bytes.last?.isDigit == true {
      throw OptionRefusal("expected seconds, found '\(quoted(bytes))' (for milliseconds: \(quoted(bytes))ms)")
    }
    return seconds
  }

  /// A span of time: digits, optionally with a decimal fraction, and a unit if it is not seconds; `30`, `2.5`, `250ms`.
  /// - Returns: in seconds, 0 to 1,000,000,000.
  package static func time(_ bytes: [UInt8]) throws(OptionRefusal) -> Double {
    let digits = bytes.prefix { $0 == UInt8(ascii: ".") || $0.isDigit }
    let unit: Double? =
      switch String(decoding: bytes[digits.count...], as: UTF8.self) {
      case "ms": 0.001
      case "", "s": 1
      case "m": 60
      case "h": 3600
      default: nil
      }
    // Swift requires digits before the point.
    guard let unit, digits.last?.isDigit == true, let number = Double("0" + String(decoding: digits, as: UTF8.self))
    else { throw .expected("a number of seconds such as 30, 2.5 or 250ms", found: bytes) }
    let seconds = number * unit
    guard seconds <= 1e9 else { throw .expected("at most 1000000000 seconds", found: bytes) }
    return seconds
  }
}
