// One line on a terminal that says how far a tool is, drawn again and again in the same place.
//
// The cursor rests at its beginning. So a message, a prompt or what somebody types covers it; and when the terminal
// becomes narrower than the line, which some terminals fold then, erasing still begins where the line does.
//
// A process has one such line, as it has one terminal. A signal that kills or stops the tool erases it first.

package enum StatusLine {
  /// Erases from the cursor to the end of the screen, from the beginning of its line on (ECMA-48 §8.3.39).
  private static let erasing: StaticString = "\r\u{1B}[J"

  /// Where the line is shown; -1 while there is none.
  nonisolated(unsafe) private static var terminal: Int32 = -1

  /// Shows a line in place of the one before, if it is this process that has the terminal.
  /// - Parameter text: printable ASCII; what does not fit is cut off.
  package static func draw(_ text: String, on terminal: Descriptor) {
    guard terminal.isOfForeground else { return }
    Signals.eraseStatusLineFirst()
    // A signal that comes from here on finds the line.
    unsafe Self.terminal = terminal.number
    // A character in the last column would take the cursor to the next line.
    terminal.write(Array("\r\(text.prefix(terminal.columns - 1))\u{1B}[J\r".utf8).span)
  }

  /// Erases the line, if there is one. A handler of a signal may call it.
  package static func erase() {
    guard unsafe terminal >= 0 else { return }
    _ = unsafe write(terminal, erasing.utf8Start, erasing.utf8CodeUnitCount)
    unsafe terminal = -1
  }
}
