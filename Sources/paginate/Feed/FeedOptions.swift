// What the command line says about deciding.

import FeedCore

struct FeedOptions: Sendable {
  enum Command: Sendable {
    /// From the top to known ground, then what is missing below.
    case refresh
    /// On from the tail.
    case more
    /// From the top to the end.
    case full
  }

  /// How a page is asked for whose place in the feed is a number, so that what is inserted above shifts it.
  enum Numbering: Sendable {
    /// The first page is 0.
    case pages
    /// By the index of its first item, from 0.
    case offsets
  }

  var command = Command.refresh
  /// Nil for no limit.
  var maxPages: Int?
  /// How many known items at the end of a page make it join.
  var overlap = 1
  /// `--on-gap drop`.
  var forgetsBelowGaps = false
  /// `--changed`.
  var printsChanged = false
  /// The request for page 1.
  var firstRequest: [UInt8]
  /// Nil where the next request follows from the page before.
  var numbering: Numbering?
  /// The request for the page of a number.
  var numberedRequest: @Sendable (Int) -> [UInt8] = { _ in [] }

  init(firstRequest: [UInt8]) { self.firstRequest = firstRequest }
}

/// What is worth a line on standard error.
enum FeedNote: Equatable, Sendable {
  /// Items between two runs can no longer be had.
  case gapLost
  /// So many items may or may not have been printed by a run that was killed.
  case uncertain(Int)
}

/// How it ended.
struct FeedOutcome: Equatable, Sendable {
  /// Why it ended early, if it did.
  var failure: FeedFailure?
  /// Whether items are missing in the middle that a later run can still get.
  var hasOpenGap: Bool

  var status: ExitStatus { failure?.status ?? (hasOpenGap ? .no : .yes) }
}
