import FeedCore

/// The file of --dump-header, which has the head of the latest response.
package struct HeaderDump: Sendable {
  private enum DumpTarget: Sendable {
    /// Replaced as a whole by each head.
    case file([UInt8])
    /// A pipe or a device, or our standard error: each head is added.
    case open(Descriptor)
  }

  private let target: DumpTarget
  private let name: String

  /// Opens a pipe or a device; a FIFO waits for its reader, as in a shell.
  /// - Throws: a usage error for standard output, which is for data; status 2 if a pipe or a device cannot be opened.
  package init(_ path: [UInt8], _ streams: StandardStreams) throws(ToolFailure) {
    name = quoted(path)
    let isOutput = path == [UInt8(ascii: "-")] || (streams.output.isShared && streams.output.isOpen(on: path))
    if streams.error.isOpen(on: path) {
      target = .open(streams.error)
    } else if isOutput {
      throw .usage("option '--dump-header': standard output is for data, so expected a file, such as /dev/stderr")
    } else if Descriptor.isSpecialFile(path) {
      target = .open(try naming(name, Descriptor.open(writing: path)))
    } else {
      target = .file(path)
    }
  }

  /// Writes a head.
  package func write(_ head: HTTPHead) throws(HTTPError) {
    do throws(SystemError) {
      switch target {
      case .file(let path):
        try AtomicFile(path, mode: 0o600).replace { output throws(SystemError) in output.append(head.text) }
      case .open(let file): if let error = file.write(head.text.span).error { throw error }
      }
    } catch {
      throw HTTPError(.local, "cannot write '\(name)': \(error.message) (--dump-header)")
    }
  }
}
