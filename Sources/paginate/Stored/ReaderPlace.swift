// Where a reader of a store is that keeps its own place, by a checkpoint that the end of its pipeline writes.

import FeedCore

extension Options.Store {
  /// The number of the release up to which the reader has everything: 0 where it has nothing yet, nil without
  /// `--resume-from`.
  func place(in store: FeedStore) throws(ToolFailure) -> Int? {
    guard let checkpoint else { return nil }
    guard let found = try Checkpoint.read(checkpoint), !found.id.isEmpty else { return 0 }
    let id = found.id
    // The sink may have kept this of the record.
    let again = found.extra["seq"].flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard let number = try stored(store.releaseNumber(of: id, again: again)) else {
      throw .failed(.trouble, "the store has no item '\(shortened(id))'", source: quoted(checkpoint))
    }
    return number
  }
}
