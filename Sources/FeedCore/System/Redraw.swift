/// `--redraw`: what is printed takes the place of what was printed before, on a terminal. Elsewhere it does nothing.
package struct Redraw {
  /// Nil: print one after the other.
  private let terminal: Descriptor?
  private static let home: StaticString = "\u{1B}[H"
  private static let eraseLine: StaticString = "\u{1B}[K"
  private static let eraseBelow: StaticString = "\u{1B}[J"
  /// Whether a line that is too long goes on in the next one.
  private static let wraps: StaticString = "\u{1B}[?7h"
  private static let cuts: StaticString = "\u{1B}[?7l"

  package init(_ isWanted: Bool, on output: Descriptor) {
    terminal = isWanted && output.takesControlSequences ? output : nil
  }

  /// Prints what `write` writes: whole lines. It writes over the old ones, which are erased only behind the new ones, so
  /// that nothing flickers. What does not fit is cut. The last row stays free for messages.
  package func print<Failure: Error>(
    to output: inout ByteWriter, _ write: (inout ByteWriter) throws(Failure) -> Void
  ) throws(Failure) {
    guard let terminal else { return try write(&output) }
    var page = ByteWriter()
    try write(&page)
    output.append(Self.home)
    output.append(Self.cuts)
    for line in page.take().split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
      .prefix(terminal.rows - 1)
    {
      output.append(Array(line))
      output.append(Self.eraseLine)
      output.append("\r\n" as StaticString)
    }
    output.append(Self.eraseBelow)
    output.append(Self.wraps)
    output.markRecord()
  }
}
