// A writer on standard output: an error of it ends the tool.

extension ByteWriter {
  /// Writes out what is buffered. A tool does so before it waits and before it ends.
  package mutating func flushOutput() throws(ToolFailure) {
    do { try flush() } catch { throw .output(error) }
  }

  /// For a tool that would go on for long without a flush.
  /// - Throws: the first error of any write so far, which must end the tool.
  package func checkOutput() throws(ToolFailure) {
    do { try check() } catch { throw .output(error) }
  }
}
