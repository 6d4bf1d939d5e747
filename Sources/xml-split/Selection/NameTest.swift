import FeedCore

extension XMLPath.Name {
  /// Whether a name in the input is this one. An attribute without a prefix is in no namespace.
  /// - Parameter namespaces: what is in scope.
  /// - Returns: nil if its prefix is not declared, so that this cannot be decided.
  func matches(
    _ bytes: borrowing Span<UInt8>, _ name: Range<Int>, _ namespaces: borrowing Namespaces, isAttribute: Bool
  ) -> Bool? {
    switch self {
    case .any: return !isAttribute || !Namespaces.isDeclaration(bytes, name)
    case .written(let written): return isName(bytes, name, written)
    case .anyWithPrefix(let wanted):
      guard let prefix = XMLName.prefix(bytes, name) else { return false }
      return isName(bytes, prefix, wanted)
    case .inNamespace(let uri, let wanted):
      let prefix = XMLName.prefix(bytes, name)
      let local = (prefix.map { $0.upperBound + 1 } ?? name.lowerBound)..<name.upperBound
      if let wanted, !isName(bytes, local, wanted) { return false }
      guard let prefix else { return (isAttribute ? [] : namespaces.uri([])) == uri }
      return namespaces.uri(array(bytes, prefix)[...]).map { $0 == uri }
    }
  }
}

extension XMLPath.Condition.Test {
  func passes(_ value: () -> [UInt8]) -> Bool {
    switch self {
    case .exists: true
    case .equals(let wanted): value() == wanted
    case .differs(let other): value() != other
    }
  }
}
