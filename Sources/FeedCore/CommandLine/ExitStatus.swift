/// The exit statuses of every tool; feedutils(7) has the table for users.
package enum ExitStatus: Int32, Sendable {
  /// Yes: done, equal, complete.
  case yes = 0
  /// The answer is no: a patch does not apply, documents differ, events were skipped.
  case no = 1
  /// Trouble here: usage, malformed input from a file or stdin, a file or disk that fails.
  case error = 2
  /// Trouble at the other end: refused, TLS, HTTP status, malformed data on a connection we opened.
  case remote = 3
  /// Try again later: timed out, rate limited, another run is active.
  case tryAgain = 4
}
