/// The status line: one line on a terminal that shows the progress of a tool. Each new one replaces the last.
///
/// The cursor stays at its beginning. So a message, a prompt or typed text covers it. Some terminals fold the line when
/// they become narrower; erasing still begins at the start of the line.
///
/// A process has one such line, as it has one terminal. A signal that kills or stops the tool erases it first.
package enum StatusLine {
  /// Erases from the cursor to the end of the screen, from the beginning of its line on (ECMA-48 §8.3.39).
  private static let erasing: StaticString = "\r\u{1B}[J"

  /// Where the line is shown; -1 while there is none.
  nonisolated(unsafe) private static var terminal: Int32 = -1

  /// Shows a line in place of the one before, if this process is in the foreground of the terminal. It never waits.
  /// - Parameter text: printable ASCII; what does not fit is cut off.
  package static func draw(_ text: String, on terminal: Descriptor) {
    guard terminal.isOfForeground, terminal.hasRoom else { return }
    Signals.eraseStatusLineFirst()
    // From here on, a signal finds the line and erases it.
    unsafe Self.terminal = terminal.number
    // A character in the last column would move the cursor to the next line.
    terminal.write(Array("\r\(text.prefix(terminal.columns - 1))\u{1B}[J\r".utf8).span)
  }

  /// Erases the line, if there is one. A job that SIGSTOP has sent to the background leaves it: it would erase what
  /// somebody types.
  package static func erase() { erase { _ in true } }

  /// The same, but only if that takes no time: for a handler of a signal, which must end the tool also on a terminal
  /// that ^S has stopped.
  static func eraseAtOnce() { erase(if: \.hasRoom) }

  private static func erase(if condition: (Descriptor) -> Bool) {
    guard unsafe terminal >= 0 else { return }
    let shown = unsafe Descriptor(terminal)
    unsafe terminal = -1
    guard shown.isOfForeground, condition(shown) else { return }
    _ = unsafe write(shown.number, erasing.utf8Start, erasing.utf8CodeUnitCount)
  }
}
