// Where a reader of a store is that keeps its own place, by a checkpoint that the end of its pipeline writes.

import FeedCore

extension Options.Store {
  /// The number of the release up to which the reader has everything: 0 where it has nothing yet, nil without
  /// `--resume-from`.
  func place(in store: FeedStore) throws(ToolFailure) -> Int? {
    guard let checkpoint else { return nil }
    let id = try Checkpoint.read(checkpoint)?.id ?? []
    if id.isEmpty { return 0 }
    guard let number = try stored(store.releaseNumber(of: id)) else {
      throw .failed(.trouble, "the store has no item '\(shortened(id))'", source: quoted(checkpoint))
    }
    return number
  }
}
