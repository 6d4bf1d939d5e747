extension JSONPatch {
  /// Writes the patch as JSON: an array with one operation a line, or all on one line.
  package func write(compact: Bool, to output: inout ByteWriter) {
    output.append(UInt8(ascii: "["))
    for (index, operation) in operations.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      if !compact { output.append("\n  ") }
      operation.write(to: &output)
    }
    if !compact && !operations.isEmpty { output.append(UInt8(ascii: "\n")) }
    output.append(UInt8(ascii: "]"))
  }
}

extension JSONPatch.Operation {
  func write(to output: inout ByteWriter) {
    func pointer(_ member: StaticString, _ pointer: JSONPointer) {
      output.append(member)
      JSONString.write(pointer.text.span, to: &output)
    }
    output.append("{\"op\":\"" + name + "\"")
    switch self {
    case .move(let from, _), .copy(let from, _): pointer(",\"from\":", from)
    case .add, .remove, .replace, .test: break
    }
    pointer(",\"path\":", path)
    switch self {
    case .add(let value, _), .replace(_, let value), .test(_, let value):
      output.append(",\"value\":")
      JSONWriter.writeCompact(value, to: &output)
    case .remove, .move, .copy: break
    }
    output.append(UInt8(ascii: "}"))
  }
}
