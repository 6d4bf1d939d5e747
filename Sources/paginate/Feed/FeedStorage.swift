// What is asked of a store beyond knowing: to change, and to keep account of what has been printed.

/// An item that waits to be printed.
struct WaitingItem: Equatable, Sendable {
  /// In the feed; or its number among all that were released, where that is what was asked for.
  let position: Int
  let id: [UInt8]
  let data: [UInt8]
  /// Whether that number is not the first of the item.
  var isAgain = false
}

/// A feed in a store. Each call is one transaction: done whole or not at all, whenever the process ends.
protocol FeedStorage: AnyObject, FeedKnowledge {
  func commit(_ change: FeedChange) throws(StoreError)

  /// The items that wait in a range of positions, from its beginning.
  /// - Parameters:
  ///   - lines: how many at most.
  ///   - bytes: no more items when their data has so many; at least one comes if there is one.
  func waiting(in range: ClosedRange<Int>, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem]
  /// Notes that what waits in `range` is about to be written.
  func recordIntent(_ range: ClosedRange<Int>) throws(StoreError)
  /// Notes what came of it: what waits in `printed` was written; of the item at `torn`, nobody knows; the rest waits on.
  /// - Parameter count: how many items were written.
  func recordPrinted(_ printed: ClosedRange<Int>?, count: Int, torn: Int?) throws(StoreError)
  /// Makes uncertain what was about to be written when the process ended.
  /// - Parameter note: called with how many are uncertain since the last run, the line that it left torn included, if any
  ///   are; before it is noted that they are told, so they are told once more rather than never.
  func recoverInterrupted(_ note: (Int) -> Void) throws(StoreError)
  /// Makes all that is uncertain wait again.
  func redeliver() throws(StoreError)

  /// The items that were released for printing after a number, in that order, with their numbers; each once, at its
  /// newest number. It does not matter what has been printed.
  func released(after number: Int, lines: Int, bytes: Int) throws(StoreError) -> [WaitingItem]
  /// The number that the item was released by first, or `again` where that is another of its numbers; nil where the item
  /// is not known.
  func releaseNumber(of id: [UInt8], again: Int?) throws(StoreError) -> Int?
}
