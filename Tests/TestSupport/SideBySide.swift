import Foundation
import Synchronization

/// Work that waits for other processes. Swift's own pool has only as many threads as there are processors.
public enum SideBySide {
  /// Calls `work` with each item, on `width` threads.
  /// - Returns: the results, in the order of the items.
  public static func map<Item: Sendable, Output: Sendable>(
    _ items: [Item], width: Int, _ work: @escaping @Sendable (Item) -> Output
  ) -> [Output] {
    let queue = Queue<Output>()
    let group = DispatchGroup()
    for _ in 0..<width {
      group.enter()
      Thread.detachNewThread {
        while let index = queue.take(below: items.count) { queue.finish(index, work(items[index])) }
        group.leave()
      }
    }
    group.wait()
    return queue.outputs
  }

  /// The items that are taken, by their places, and what came of them.
  private final class Queue<Output: Sendable>: Sendable {
    private let state = Mutex<(next: Int, done: [Int: Output])>((0, [:]))

    var outputs: [Output] { state.withLock { $0.done.sorted { $0.key < $1.key }.map(\.value) } }

    func take(below count: Int) -> Int? {
      state.withLock { state in
        guard state.next < count else { return nil }
        defer { state.next += 1 }
        return state.next
      }
    }

    func finish(_ index: Int, _ output: Output) { state.withLock { $0.done[index] = output } }
  }
}
