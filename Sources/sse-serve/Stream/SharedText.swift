// Text that several connections send, such as a document. Each change makes a new one, and slow clients keep the old ones in
// memory.

/// It is freed when the last connection has sent it.
final class SharedText {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }
}

/// The texts of one kind that are in memory, from the oldest to the newest.
struct HeldTexts {
  private struct HeldText { weak var text: SharedText? }

  private var entries: [HeldText] = []

  /// How many bytes of old texts are allowed, besides a few times the newest.
  private static let spare = 64 << 20

  mutating func add(_ text: SharedText) { entries.append(HeldText(text: text)) }

  /// The oldest, if there are too many bytes.
  mutating func excess() -> SharedText? {
    entries.removeAll { $0.text == nil }
    guard entries.count > 2 else { return nil }
    let texts = entries.compactMap(\.text)
    let total = texts.reduce(0) { $0 + $1.bytes.count }
    return total > Self.spare + 4 * (texts.last?.bytes.count ?? 0) ? texts[0] : nil
  }
}
