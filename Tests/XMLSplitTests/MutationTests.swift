import Foundation
import TestSupport
import Testing

/// Mutations of real documents, against expat and libxml2: a sample of what Tests/Mutations does.
@Suite(.enabled(if: Oracle.lxml != nil, "python3 has no module lxml"))
struct MutationTests {
  static let count = Dice.rolls(500)

  @Test func verdictsAndElementsAreThoseOfOthers() throws {
    let result = try run("--count \(Self.count)")
    #expect(result.status == 0, "\(result.text)\(result.error)")
    let summary = try #require(result.text.split(separator: "\n").last)
    let numbers = summary.split { !$0.isNumber }.compactMap { Int($0) }
    // Documents, those that they were made of, those that were split, and the elements.
    #expect(numbers.count == 5 && numbers[2] > Self.count / 5 && numbers[3] > Self.count / 2, "\(summary)")
  }

  @Test func faultsAreFound() throws {
    let result = try run("--must-fail --count 200")
    #expect(result.status == 1 && result.text.contains(" alone is ") && result.text.contains("; libxml2: "))
  }

  private func run(_ options: String) throws -> Result {
    let script = Command.quote(Repository.path("Tests/Mutations/mutations"))
    return try Command.shell("\(try #require(Oracle.lxml)) \(script) \(options)")
  }
}
