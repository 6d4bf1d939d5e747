/// An option's value as typed, and the result of parsing it by the type of its row.
package struct OptionValue: Sendable {
  package let bytes: [UInt8]
  /// The row of the option.
  package let row: OptionSpec
  /// Whether it is the default of the row, and was not typed.
  package let isDefault: Bool
  private let parsed: any Sendable

  /// - Throws: a usage error that names the option.
  package init(_ bytes: [UInt8], of row: OptionSpec, isDefault: Bool = false) throws(ToolFailure) {
    self.bytes = bytes
    self.isDefault = isDefault
    self.row = row
    do { parsed = try row.type?.parse(bytes) ?? bytes } catch {
      throw .usage("option '--\(row.name)': \(error.message)")
    }
  }

  /// The parsed value.
  /// - Throws: if the tool expects another type than the row has, which is a mistake in the tool.
  package func get<Value>() throws(ToolFailure) -> Value {
    guard let value = parsed as? Value else { throw .usage("option '--\(row.name)': no \(Value.self) by its row") }
    return value
  }
}
