// A writer on standard output: its errors are those that end a tool.

extension ByteWriter {
  /// Writes out what is buffered, as a tool does before it waits and before it ends.
  package mutating func flushOutput() throws(ToolFailure) {
    do { try flush() } catch { throw .output(error) }
  }

  /// - Throws: the first error of any write so far, which must end a tool that would go on for long without a flush.
  package func checkOutput() throws(ToolFailure) {
    do { try check() } catch { throw .output(error) }
  }
}
