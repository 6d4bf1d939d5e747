// The query of a URL, edited in place. Everything not replaced keeps its bytes, because some servers sign or compare
// their URLs as text.
//
// Names are compared decoded, so `page[number]` is found in `page%5Bnumber%5D=2`.

import FeedCore

/// A URL, or the text of a form, and the parameters in it.
package struct QueryString: Equatable, Sendable {
  /// The whole text.
  package private(set) var text: [UInt8]
  private let isForm: Bool

  /// - Parameter isForm: whether the whole text is parameters, as in the body of a form.
  package init(_ text: [UInt8], isForm: Bool = false) {
    self.text = text
    self.isForm = isForm
  }

  /// One parameter, as ranges of the text.
  private struct Parameter {
    let name: Range<Int>
    /// After the `=`; empty and at the end of the name if there is no `=`.
    let value: Range<Int>
    let hasSign: Bool
  }

  /// The range of the parameters: after `?`, before `#`; nil if there is no `?`.
  private var range: Range<Int>? {
    if isForm { return 0..<text.count }
    let end = text.firstIndex(of: UInt8(ascii: "#")) ?? text.count
    guard let mark = text[..<end].firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return (mark + 1)..<end
  }

  private var parameters: [Parameter] {
    guard let range else { return [] }
    var result: [Parameter] = []
    var start = range.lowerBound
    while start < range.upperBound {
      let end = text[start..<range.upperBound].firstIndex(of: UInt8(ascii: "&")) ?? range.upperBound
      if start < end {
        let sign = text[start..<end].firstIndex(of: UInt8(ascii: "="))
        result.append(
          Parameter(name: start..<(sign ?? end), value: (sign.map { $0 + 1 } ?? end)..<end, hasSign: sign != nil))
      }
      start = end + 1
    }
    return result
  }

  // MARK: Reading

  /// The decoded value of the first parameter called `name`.
  package func value(of name: [UInt8]) -> [UInt8]? { values(of: name).first }

  /// The decoded values of all parameters called `name`.
  package func values(of name: [UInt8]) -> [[UInt8]] {
    let name = name.percentDecoded
    return parameters.filter { text[$0.name].percentDecoded == name }.map { text[$0.value].percentDecoded }
  }

  /// The decoded names with the decoded values, in order.
  package var pairs: [(name: [UInt8], value: [UInt8])] { rawPairs.map { ($0.name, $0.value.percentDecoded) } }

  /// The decoded names with the values as written, in order.
  package var rawPairs: [(name: [UInt8], value: [UInt8])] {
    parameters.map { (text[$0.name].percentDecoded, Array(text[$0.value])) }
  }

  /// Whether a form is valid: each part has a name that needs no encoding, a `=` and a value.
  package var isWellFormed: Bool {
    let names = parameters.map { text[$0.name] }
    return text.allSatisfy(\.isVisible)
      && parameters.allSatisfy(\.hasSign)
      && names.allSatisfy {
        !$0.isEmpty && $0.allSatisfy { $0.isUnreserved || "%+[]$*:@!,;/()".utf8.contains($0) }
      }
  }

  /// The decoded names, in order.
  package var names: [[UInt8]] { parameters.map { text[$0.name].percentDecoded } }

  // MARK: Editing

  /// Sets a parameter: replaces every value that it has, or appends it.
  /// - Parameters:
  ///   - name: as typed, percent-encoded or not.
  ///   - value: decoded.
  package mutating func set(_ name: [UInt8], to value: [UInt8]) { set([(name, value)]) }

  /// Sets any number of parameters in one pass. Of a name that comes again, the last value counts.
  package mutating func set(_ pairs: [(name: [UInt8], value: [UInt8])]) {
    var values: [[UInt8]: [UInt8]] = [:]
    var missing: [[UInt8]] = []
    for (name, value) in pairs {
      let name = name.percentDecoded
      if values.updateValue(value, forKey: name) == nil { missing.append(name) }
    }
    var found: Set<[UInt8]> = []
    edit { name, _ in
      let name = name.percentDecoded
      guard let value = values[name] else { return nil }
      found.insert(name)
      return value.percentEncoded()
    }
    append(missing.filter { !found.contains($0) }.map { ($0, values[$0] ?? []) })
  }

  /// Adds a parameter at the end.
  package mutating func append(_ name: [UInt8], _ value: [UInt8]) { append([(name, value)]) }

  private mutating func append(_ pairs: [(name: [UInt8], value: [UInt8])]) {
    guard !pairs.isEmpty else { return }
    let pieces = pairs.map { Self.encodedName($0.name) + [UInt8(ascii: "=")] + $0.value.percentEncoded() }
    var piece = Array(pieces.joined(separator: [UInt8(ascii: "&")]))
    guard let range else {
      let end = text.firstIndex(of: UInt8(ascii: "#")) ?? text.count
      text.insert(contentsOf: [UInt8(ascii: "?")] + piece, at: end)
      return
    }
    if !range.isEmpty, text[range.upperBound - 1] != UInt8(ascii: "&") { piece.insert(UInt8(ascii: "&"), at: 0) }
    text.insert(contentsOf: piece, at: range.upperBound)
  }

  /// Replaces values.
  /// - Parameter replacement: gets a name and a value, both as written, and returns the new encoded value; nil keeps
  ///   the old.
  /// - Returns: whether anything was replaced.
  @discardableResult
  package mutating func edit(_ replacement: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> [UInt8]?) -> Bool
  {
    var result: [UInt8] = []
    var copied = 0
    for parameter in parameters {
      guard let value = replacement(text[parameter.name], text[parameter.value]) else { continue }
      result += text[copied..<parameter.value.lowerBound]
      if !parameter.hasSign { result.append(UInt8(ascii: "=")) }
      result += value
      copied = parameter.value.upperBound
    }
    guard copied > 0 else { return false }
    text = result + text[copied...]
    return true
  }

  /// Removes parameters, each with one `&`.
  /// - Parameter isUnwanted: gets a name and a value as written.
  package mutating func remove(_ isUnwanted: (_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Bool) {
    guard let range else { return }
    let pieces = text[range].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let kept = pieces.filter { piece in
      let name = piece.prefix { $0 != UInt8(ascii: "=") }
      return !isUnwanted(name, piece[name.endIndex...].dropFirst())
    }
    guard kept.count < pieces.count else { return }
    var rest = Array(text[range.upperBound...])
    // A `?` with nothing after it is removed too.
    let isBare = kept.isEmpty && !isForm
    if !isBare { rest = Array(kept.joined(separator: [UInt8(ascii: "&")])) + rest }
    text = Array(text[..<(range.lowerBound - (isBare ? 1 : 0))]) + rest
  }

  /// An encoded name, except for characters that a query may contain and that are not separators: `$skip`.
  package static func encodedName(_ name: [UInt8]) -> [UInt8] {
    name.percentEncoded { $0.isUnreserved || "!$'()*,;:@/?".utf8.contains($0) }
  }
}
