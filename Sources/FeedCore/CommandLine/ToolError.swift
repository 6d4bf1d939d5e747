// The name that `ToolFailure` had; the tables of options still use it.

public typealias ToolError = ToolFailure

extension ToolFailure {
  public init(_ status: ExitStatus, _ text: String, source: String? = nil, place: TextPlace? = nil) {
    self = .failed(status, text, source: source, place: place)
  }

  public var source: String? { diagnostic.source }
  public var place: TextPlace? { diagnostic.place }
}
