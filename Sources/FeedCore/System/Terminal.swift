// What a terminal can do, the few control sequences that the tools send, and the line that shows progress.

extension Descriptor {
  package var isTerminal: Bool { isatty(number) == 1 }

  /// Whether it is a terminal that understands control sequences, by the variable TERM.
  package var takesControlSequences: Bool {
    isTerminal && Self.terminalTakesControlSequences
  }

  private static var terminalTakesControlSequences: Bool {
    guard let kind = Process.environment("TERM") else { return false }
    return kind != Array("dumb".utf8)
  }

  /// Whether to use colour: on a terminal that has it, unless NO_COLOR (no-color.org) is set.
  package var wantsColor: Bool { isTerminal && Self.terminalHasColor }

  /// The same for data that git may show through its pager. If the pager reads it, git says so by a variable.
  package var wantsColorOrFeedsPager: Bool {
    (isTerminal || Process.environment("GIT_PAGER_IN_USE") != nil) && Self.terminalHasColor
  }

  private static var terminalHasColor: Bool {
    terminalTakesControlSequences && Process.environment("NO_COLOR") == nil
  }

  /// The number of columns of the terminal; 80 if it does not say.
  var columns: Int { size.ws_col > 0 ? Int(size.ws_col) : 80 }

  /// The number of rows; 24 if it does not say.
  var rows: Int { size.ws_row > 0 ? Int(size.ws_row) : 24 }

  private var size: winsize {
    var size = winsize()
    _ = unsafe ioctl(number, UInt(TIOCGWINSZ), &size)
    return size
  }

  /// Whether this process may write to the terminal now. A background job would write into what the user types.
  /// Signal handlers may ask.
  var isOfForeground: Bool {
    let group = tcgetpgrp(number)
    return group < 0 || group == getpgrp()
  }

  /// Whether a short text goes out at once. One that ^S has stopped would hold up the tool. A handler of a signal may
  /// ask.
  var hasRoom: Bool {
    var asked = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&asked, 1, 0) > 0
  }
}

/// How text looks on a terminal: Select Graphic Rendition (ECMA-48 §8.3.117).
package enum Rendition: String, Sendable {
  case bold = "1"
  case boldGreen = "1;32"
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"
  case redReversed = "31;7"
  case greenReversed = "32;7"

  /// - Returns: the text between the sequence that begins this rendition and the one that ends all.
  package func applied(to text: [UInt8]) -> [UInt8] {
    Array("\u{1B}[\(rawValue)m".utf8) + text + Array("\u{1B}[0m".utf8)
  }
}

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
