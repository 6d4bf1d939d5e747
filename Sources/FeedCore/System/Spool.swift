/// Bytes that are collected until they are complete: in memory while they are few, then in a file without a name, which
/// disappears however the process ends.
package struct Spool {
  /// From this many bytes on, they are kept in a file.
  static let threshold = 1 << 20

  private let path: [UInt8]
  private var writer = ByteWriter()
  private var file: Descriptor?

  /// - Parameter path: the file that the bytes are for. The spool file is made in the same folder, so that both use the
  ///   same disk.
  package init(beside path: [UInt8]) { self.path = path }

  package mutating func append(_ bytes: [UInt8]) throws(SystemError) {
    writer.append(bytes)
    if file == nil, writer.count >= Self.threshold {
      let opened = try Descriptor.createNameless(beside: path)
      let memory = writer.take()
      file = opened
      writer = ByteWriter(opened)
      writer.append(memory)
    }
    try writer.check()
  }

  /// Writes all collected bytes.
  package mutating func copy(to output: inout ByteWriter) throws(SystemError) {
    guard let file else { return output.append(writer.buffer) }
    try writer.flush()
    try file.rewind()
    var chunk: [UInt8] = []
    while try file.read(upTo: ByteReader.chunkSize, into: &chunk) > 0 {
      output.append(chunk)
      try output.check()
      chunk.removeAll(keepingCapacity: true)
    }
  }

  /// Frees the memory and the file.
  package mutating func close() {
    file?.closeQuietly()
    file = nil
    writer = ByteWriter()
  }
}
