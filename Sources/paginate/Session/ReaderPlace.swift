// The place of a reader that keeps its own place, in a checkpoint that the last program of its pipeline writes.

import FeedCore

extension Options.Store {
  /// The release number up to which the reader has everything: 0 if it has nothing yet, nil without `--resume-from`.
  func place(in store: FeedStore) throws(ToolFailure) -> Int? {
    guard let checkpoint else { return nil }
    guard let found = try Checkpoint.read(checkpoint), !found.id.isEmpty else { return 0 }
    let id = found.id
    // The checkpoint may have kept this member of the record.
    let again = found.extra["seq"].flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    guard let number = try stored(store.releaseNumber(of: id, again: again)) else {
      throw .failed(.error, "the store has no item '\(shortened(id))'", source: quoted(checkpoint))
    }
    return number
  }
}
