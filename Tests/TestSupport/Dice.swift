import Foundation

/// How often tests repeat what is random, or the same for many places. `make test` does a tenth; `.ci/run` does all, with
/// FEEDUTILS_DICE=1. A larger number is for a long search: 30 rolls thirty times as often as CI.
public enum Dice {
  private static let share = ProcessInfo.processInfo.environment["FEEDUTILS_DICE"].flatMap { Double($0) } ?? 0.1

  /// Whether the tests are those of CI.
  public static let isWhole = share >= 1

  /// - Parameter count: how many there are in CI; also a floor that the test expects of them.
  public static func rolls(_ count: Int) -> Int { max(1, Int(Double(count) * share)) }

  /// All of the items, or every tenth.
  public static func some<Items: Collection>(_ items: Items) -> [Items.Element] {
    items.enumerated().filter { isWhole || $0.offset % Int(1 / share) == 0 }.map(\.element)
  }
}
