import FeedCore
import Foundation

@testable import paginate

/// One run of a scenario: what it printed, said and ended with.
final class ScenarioRun {
  private let options: [String: Any]
  private var output: [UInt8] = []
  private(set) var notes: [String] = []
  private(set) var status = 0

  /// - Parameter options: the member `run` of a step.
  init(_ options: [String: Any]) { self.options = options }

  func run(_ store: some FeedStorage, _ feed: FeedOptions, _ fetcher: some PageFetcher) throws {
    var printer = FeedPrinter { [self] bytes, _ in write(bytes) }
    printer.chunkLines = options["chunk"] as? Int ?? 1
    printer.remaining = options["max_items"] as? Int
    let kill = options["kill"] as? [String: Any]
    let interrupted = InterruptedStorage(store) { moment in
      let (at, key) = (kill?["at"] as? String, kill?["key"])
      return switch moment {
      case .beforeCommit(let page): at == "before_commit" && key as? Int == page
      case .afterCommit(let page): at == "after_commit" && key as? Int == page
      case .afterIntent(let id): at == "after_intent" && key as? String == String(decoding: id, as: UTF8.self)
      case .beforeRelease: false
      case .afterWrite(let id): at == "after_write" && key as? String == String(decoding: id, as: UTF8.self)
      }
    }
    var session = FeedSession(interrupted, feed, fetcher, printer)
    session.redelivers = options["redeliver"] as? Bool ?? false
    session.note = { [self] note in
      switch note {
      case .gapLost: notes.append("lost-gap")
      case .sinceReplaced: notes.append("since-replaced")
      case .tailForgotten: notes.append("forgotten")
      case .sinceForgotten: notes.append("since-forgotten")
      case .uncertain(let count): notes.append("uncertain:\(count)")
      case .totalUnsteady: notes.append("total-unsteady")
      case .shrunk: notes.append("shrunk")
      case .looksSorted: notes.append("looks-sorted")
      }
    }
    do {
      let outcome = try session.run()
      if let failure = outcome.failure { notes.append(failure.message) }
      status = Int(outcome.status.rawValue)
      if let error = outcome.outputError { status = error.isBrokenPipe ? 141 : 2 }
    } catch {
      guard error == InterruptedStorage.interruption else { throw error }
      status = 137
    }
  }

  /// Accepts a number of lines or of bytes.
  private func write(_ bytes: borrowing Span<UInt8>) -> (accepted: Int, error: SystemError?) {
    var accepted = 0
    while accepted < bytes.count {
      if let limit = options["epipe_after"] as? Int, output.count(where: { $0 == 10 }) >= limit {
        return (accepted, .brokenPipe)
      }
      if let limit = options["full_after"] as? Int, output.count >= limit {
        return (accepted, SystemError(code: ENOSPC))
      }
      output.append(bytes[accepted])
      accepted += 1
    }
    return (accepted, nil)
  }

  /// The ids of the whole lines.
  var lines: [String] {
    String(decoding: output, as: UTF8.self).split(separator: "\n").filter { $0.hasSuffix("}") }.map { line in
      let object = (try? JSONSerialization.jsonObject(with: Data(line.utf8))) as? [String: Any] ?? [:]
      return object["id"] as? String ?? "?"
    }
  }
}
