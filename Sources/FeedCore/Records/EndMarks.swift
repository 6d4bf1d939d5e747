// What ends a stream by its contents: `--until…` awaits an end, `--fail-…` names what is a failure. Who says how the end
// looks gets status 0 only if it came: a stream that ends before, for any reason, may be half of an answer.

/// The values of the options.
package struct EndMarks: Equatable, Sendable {
  private typealias Option = OptionRow<EndMarks>

  /// What an event means for the end.
  package enum Meaning: Equatable, Sendable {
    case nothing
    /// The end without a meaning of its own, which is not printed: `[DONE]`.
    case sentinel
    /// The end that was awaited, which is printed.
    case end
    /// A failure, which is printed.
    /// - Parameter option: the option that names it, with its value.
    case failure(option: String)
  }

  private var sentinel: [UInt8]?
  private var event: [UInt8]?
  private var match: Condition?
  private var failEvents: [[UInt8]] = []
  private var failMatches: [Condition] = []

  package init() {}

  /// The rows of a tool.
  /// - Parameters:
  ///   - hasData: whether the data of an event can be a mark without a meaning of its own.
  ///   - hasEvents: whether events have types.
  @OptionRows<EndMarks> package static func rows(
    hasData: Bool = true, hasEvents: Bool = true
  ) -> OptionRows<EndMarks>.OptionPart {
    if hasData { Option("until", .text("TEXT"), \.sentinel, "end at an event with exactly this data, such as [DONE]") }
    if hasEvents { Option("until-event", .text("NAME"), \.event, "end after an event of this type") }
    Option("until-match", .condition, \.match, "end after the first one with this value")
    if hasEvents { Option("fail-event", .text("NAME"), \.failEvents, "fail after an event of this type; repeatable") }
    Option("fail-match", .condition, \.failMatches, "fail after the first one with this member or value; repeatable")
  }

  /// Whether there are none.
  package var isEmpty: Bool { self == EndMarks() }

  /// Whether the data must be parsed to see what it means.
  package var looksInside: Bool { match != nil || !failMatches.isEmpty }

  /// The awaited end, for messages: `data '[DONE]' (--until)`; nil if none is awaited.
  package var awaited: String? {
    let ends = [
      sentinel.map { "data '\(shortened($0))' (--until)" }, event.map { "event '\(shortened($0))' (--until-event)" },
      match.map { "\(shortened($0.text)) (--until-match)" },
    ].compactMap(\.self)
    return ends.isEmpty ? nil : ends.joined(separator: " or ")
  }

  /// What an event means. A failure counts before an end.
  /// - Parameters:
  ///   - type: its type.
  ///   - data: its data as received.
  ///   - document: the data as JSON, if `looksInside`; nil if it is not JSON.
  package func meaning(type: [UInt8], data: [UInt8], _ document: JSONDocument?) -> Meaning {
    if failEvents.contains(type) { return .failure(option: "--fail-event \(shortened(type))") }
    if let failure = failMatches.first(where: { $0.namesFailure(for: data, document) }) {
      return .failure(option: "--fail-match \(shortened(failure.text))")
    }
    if data == sentinel { return .sentinel }
    if type == event { return .end }
    if let match, match.holds(for: data, document) { return .end }
    return .nothing
  }

  /// The failure of a stream that brought one.
  /// - Parameters:
  ///   - option: as in `Meaning.failure`.
  ///   - data: what the message quotes.
  package static func failure(
    _ option: String, _ data: [UInt8], source: String?, record: String? = nil
  ) -> ToolFailure {
    .failed(.remote, "failed with '\(shortened(data))' (\(option))", source: source, record: record)
  }
}

extension ToolFailure {
  /// A stream ended before the end that was awaited.
  /// - Parameters:
  ///   - status: `.remote` if the other end ended it, `.no` if a file or pipe did.
  ///   - awaited: by `EndMarks.awaited`.
  package static func ended(_ status: ExitStatus, before awaited: String, source: String?) -> ToolFailure {
    .failed(status, (status == .no ? "the input ended" : "ended") + " before \(awaited)", source: source)
  }

  /// Something did not come in time.
  /// - Parameters:
  ///   - status: `.tryAgain`, unless a request was sent that may have taken effect.
  ///   - seconds: of `--max-time`.
  ///   - awaited: what was awaited, without the word "no".
  package static func outOfTime(
    _ status: ExitStatus, _ seconds: Double, awaiting awaited: String, source: String?, _ reason: String = ""
  ) -> ToolFailure {
    .failed(status, "no \(awaited) within \(secondsText(seconds)) s" + reason, source: source)
  }
}
