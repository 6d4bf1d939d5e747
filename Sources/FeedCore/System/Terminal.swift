// What a terminal can do, and the few control sequences that the tools send.

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
  var columns: Int {
    var size = winsize()
    let answer = unsafe ioctl(number, UInt(TIOCGWINSZ), &size)
    return answer == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
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

  package func applied(to text: [UInt8]) -> [UInt8] {
    Array("\u{1B}[\(rawValue)m".utf8) + text + Array("\u{1B}[0m".utf8)
  }
}
