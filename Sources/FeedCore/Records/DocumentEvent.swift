/// An event that brings a document or a patch, and where that is in its data: `--data-event NAME[=POINTER]`. Protocols
/// that give each event a type, such as AG-UI, have it in a member.
package struct DocumentEvent: Equatable, Sendable {
  package let name: [UInt8]
  /// Nil for all of the data.
  package let pointer: JSONPointer?

  package init(_ name: [UInt8], at pointer: JSONPointer? = nil) {
    self.name = name
    self.pointer = pointer
  }
}

extension OptionType<DocumentEvent> {
  package static let documentEvent = Self("NAME[=POINTER]") { bytes throws(OptionRefusal) in
    let mark = Array("=/".utf8)
    let end = bytes.indices.first { bytes[$0...].starts(with: mark) } ?? bytes.count
    let name = Array(bytes[..<end])
    guard !name.isEmpty, !name.contains(where: \.isLineEnd) else { throw .expected("a name on one line", found: bytes) }
    let pointer = try end < bytes.count ? JSONPointer(typed: Array(bytes[(end + 1)...]), suchAs: "/snapshot") : nil
    return DocumentEvent(name, at: pointer)
  }
}
