import TestSupport
import Testing

@testable import FeedCore

/// Three-way merges of random documents: the laws (MergeLaws).
@Suite struct ThreeWayTests {
  @Test(arguments: 1...4) func madeUpDocuments(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    for round in 0..<120 {
      let base = JSONDraft.random(depth: 4, pick)
      var (ours, theirs) = (base, base)
      for _ in 0...pick(4) { ours.mutate(pick) }
      for _ in 0...pick(4) { theirs.mutate(pick) }
      let texts = [base, ours, theirs].map { MergeLaws.text(Array($0.text.utf8), layout: round % 3) }
      do { try MergeLaws().check(texts[0], texts[1], texts[2], pick) } catch {
        Issue.record("seed \(seed), round \(round): \(error)")
        return
      }
    }
  }

  /// Lists of records with ids, against a merge of dictionaries: which records and members there are, and whether there
  /// is a conflict.
  @Test(arguments: 1...2) func recordsWithIDs(_ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    for round in 0..<150 {
      let base = Records((0..<pick(6)).map { id in (id, ["a": pick(2), "b": pick(2)]) })
      let (ours, theirs) = (base.changed(newID: 10, pick), base.changed(newID: 20 - 10 * pick(2), pick))
      let merged = try MergeLaws.Merged(base.text, ours.text, theirs.text)
      let expected = Records.merged(base, ours, theirs)
      let texts = [base, ours, theirs].map { String(decoding: $0.text, as: UTF8.self) }
      let result = String(decoding: merged.text, as: UTF8.self)
      // Both may have changed the order, which dictionaries do not have.
      let isOrder = merged.conflicts.contains { $0.pointer.tokens.isEmpty }
      if isOrder { continue }
      #expect(merged.conflicts.isEmpty == (expected != nil), "round \(round): \(texts) give \(result)")
      if let expected, merged.conflicts.isEmpty {
        #expect(try Records(merged.text) == expected, "round \(round): \(texts) give \(result)")
      }
      try MergeLaws().check(base.text, ours.text, theirs.text, pick)
    }
  }
}

/// Lists whose items no usual name tells apart. A merge must not make a record that nobody wrote: the members of each
/// record are those of the record with its name in one of the three lists.
@Suite struct FoundIdentityTests {
  private typealias List = [[String: String]]

  @Test(arguments: ["email", "iban", "user", "login", "sku", "uid"]) func noRecordIsMadeUp(_ name: String) throws {
    var random = SeededGenerator(seed: 7)
    let pick: JSONDraft.Pick = { Int.random(in: 0..<$0, using: &random) }
    var cleanMerges = 0
    for round in 0..<75 {
      let base = (0...pick(6)).map { number in made(name, number, pick) }
      var (ours, theirs) = (base, base)
      for number in 0...pick(3) { change(&ours, name, 10 + number, pick) }
      for number in 0...pick(3) { change(&theirs, name, 20 + number, pick) }
      let merged = try MergeLaws.Merged(text(base), text(ours), text(theirs))
      let what = [base, ours, theirs].map { String(decoding: text($0), as: UTF8.self) }.joined(separator: " ")
      let found = try list(merged.text)
      for record in found {
        let sources = [base, ours, theirs].compactMap { list in list.first { $0[name] == record[name] } }
        #expect(!sources.isEmpty, "round \(round): \(record) of \(what)")
        for (member, value) in record {
          #expect(sources.contains { $0[member] == value }, "round \(round): \(member) in \(record) of \(what)")
        }
      }
      guard merged.conflicts.isEmpty else { continue }
      cleanMerges += 1
      let names = Set(found.map { $0[name] })
      for record in ours where theirs.contains(where: { $0[name] == record[name] }) {
        #expect(names.contains(record[name]), "round \(round): \(record) is lost: \(what)")
      }
    }
    #expect(cleanMerges > 20)
  }

  private func made(_ name: String, _ number: Int, _ pick: JSONDraft.Pick) -> [String: String] {
    [name: "n\(number)", "role": "r\(pick(3))", "team": "t\(pick(2))"]
  }

  private func change(_ list: inout List, _ name: String, _ number: Int, _ pick: JSONDraft.Pick) {
    if list.isEmpty { return list.append(made(name, number, pick)) }
    let place = pick(list.count)
    switch pick(6) {
    case 0: list[place]["role"] = "r\(pick(3))"
    case 1: list[place]["admin"] = "yes"
    case 2: list.remove(at: place)
    case 3: list.insert(made(name, number, pick), at: place)
    case 4: list[place][name] = "n\(number)"
    default: list.append(list.remove(at: place))
    }
  }

  private func text(_ list: List) -> [UInt8] {
    let items = list.map { record in
      "{" + record.sorted { $0.key < $1.key }.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
    }
    return Array("[\(items.joined(separator: ", "))]".utf8)
  }

  private func list(_ text: [UInt8]) throws -> List {
    try JSONDocument(parsing: text).root.children.map { item in
      Dictionary(
        uniqueKeysWithValues: item.value.children.map { member in
          (
            String(decoding: member.key?.string ?? [], as: UTF8.self),
            String(decoding: member.value.string ?? [], as: UTF8.self)
          )
        })
    }
  }
}

/// A list of objects with different ids.
private struct Records: Equatable {
  var order: [Int] = []
  var members: [Int: [String: Int]] = [:]

  static func == (one: Records, other: Records) -> Bool { one.members == other.members }

  init(_ records: [(Int, [String: Int])]) {
    for (id, values) in records {
      order.append(id)
      members[id] = values
    }
  }

  init(_ text: [UInt8]) throws {
    for item in try JSONDocument(parsing: text).root.children {
      var values: [String: Int] = [:]
      for member in item.value.children {
        values[String(decoding: member.key?.string ?? [], as: UTF8.self)] = Int(decimal: member.value.text)
      }
      let id = values.removeValue(forKey: "id") ?? -1
      #expect(members.updateValue(values, forKey: id) == nil, "two items have the id \(id)")
    }
  }

  var text: [UInt8] {
    let items = order.map { id in
      "{\"id\":\(id)" + (members[id] ?? [:]).sorted { $0.key < $1.key }.map { ",\"\($0)\":\($1)" }.joined() + "}"
    }
    return Array("[\(items.joined(separator: ", "))]".utf8)
  }

  func changed(newID: Int, _ pick: JSONDraft.Pick) -> Records {
    var result = self
    var newID = newID
    for _ in 0..<pick(4) {
      let place = pick(result.order.count + 1)
      let id = place < result.order.count ? result.order[place] : -1
      switch pick(6) {
      case 0:
        result.order.insert(newID, at: place)
        result.members[newID] = ["a": pick(2)]
        newID += 1
      case 1 where id >= 0:
        result.order.remove(at: place)
        result.members[id] = nil
      case 2 where id >= 0: result.order.swapAt(place, 0)
      case 3 where id >= 0: result.members[id]?["a"] = pick(4)
      case 4 where id >= 0: result.members[id]?["b"] = nil
      case 5 where id >= 0: result.members[id]?["c"] = pick(2)
      default: break
      }
    }
    return result
  }

  /// - Returns: nil if there is a conflict.
  static func merged(_ base: Records, _ ours: Records, _ theirs: Records) -> Records? {
    var result = base
    result.members = [:]
    for id in Set(base.order + ours.order + theirs.order) {
      let (old, mine, other) = (base.members[id], ours.members[id], theirs.members[id])
      if mine == other || old == other {
        result.members[id] = mine
      } else if old == mine {
        result.members[id] = other
      } else {
        guard let mine, let other else { return nil }
        var values: [String: Int] = [:]
        for name in Set(mine.keys).union(other.keys).union((old ?? [:]).keys) {
          let value = (old?[name], mine[name], other[name])
          if value.1 != value.2, value.0 != value.1, value.0 != value.2 { return nil }
          values[name] = value.0 == value.1 ? value.2 : value.1
        }
        result.members[id] = values
      }
    }
    return result
  }
}
