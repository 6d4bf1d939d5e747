// Diffs: laws for any two documents (Tests/JDiffTests/DiffLaws.swift). Three bytes choose the mode; then comes the old
// document. After 0xFF comes the new one, or changes that turn the old into the new. So the fuzzer finds pairs with
// much in common, which random texts never have.

func fuzzDiff(_ bytes: [UInt8]) {
  guard bytes.count > 3 else { return }
  let (how, first, second) = (bytes[0], bytes[1], bytes[2])
  guard let (old, new) = documents(bytes[3...], isMadeUp: how & 64 != 0, isChanged: how & 32 != 0) else { return }

  var laws = DiffLaws()
  laws.options.addsTests = how & 1 != 0
  laws.options.isFine = how & 128 != 0
  laws.digestMask = [.max, 0, 1, 7][Int(how >> 2) & 3]
  for choice in [first, second] where choice != 0 { addRule(choice, to: &laws.scope) }
  hold { try laws.check(old, new) }
  hold { try DiffLaws.checkIgnored(["/a", "/a/b", "/b/id", "/b/a/id"][Int(first) & 3], old, new) }

  let (a, b) = (parsed(old), parsed(new))
  if !hasHugeNumber(old + new) {
    let isSame = JSONTree.equal(JSONTree(a.root), JSONTree(b.root))
    promise((Model(JSONTree(a.root)) == Model(JSONTree(b.root))) == isSame, "equality: \(shown(old)) and \(shown(new))")
    promise(
      !isSame || JSONDigests.of(a.root)[0] == JSONDigests.of(b.root)[0], "digests: \(shown(old)) and \(shown(new))")
  }
  let other = Array(JSONDraft(a.root).respelled.text.utf8)
  promise(
    JSONDigests.of(a.root)[0] == JSONDigests.of(parsed(other).root)[0], "not equal: \(shown(old)) \(shown(other))")
  hold { try laws.check(old, other) }
}

private func hold(_ laws: () throws -> Void, line: UInt = #line) {
  do { try laws() } catch { promise(false, "\(error)", line: line) }
}

/// - Parameter bytes: two texts, or one text and changes to it, or only choices.
private func documents(_ bytes: ArraySlice<UInt8>, isMadeUp: Bool, isChanged: Bool) -> ([UInt8], [UInt8])? {
  let separator = isMadeUp ? bytes.startIndex - 1 : bytes.firstIndex(of: 0xFF)
  guard let separator else { return nil }
  var rest = bytes[(separator + 1)...]
  let pick: JSONDraft.Pick = { bound in
    let high = bound > 256 ? Int(rest.popFirst() ?? 0) : 0
    return (high << 8 | Int(rest.popFirst() ?? 0)) % bound
  }
  let old: JSONDraft
  if isMadeUp {
    old = .random(depth: 4, pick)
  } else {
    guard let document = try? JSONDocument(parsing: Array(bytes[..<separator]), maxDepth: 100) else { return nil }
    if !isChanged {
      guard let other = try? JSONDocument(parsing: Array(rest), maxDepth: 100) else { return nil }
      return (document.bytes, other.bytes)
    }
    old = JSONDraft(document.root)
  }
  var new = old
  var changes = 0
  while !rest.isEmpty, changes < 12 {
    new.mutate(pick)
    changes += 1
  }
  return (Array(old.text.utf8), Array(new.text.utf8))
}

/// Made anew each time: in a global variable, what an enumeration holds would look like a leak.
private var purposes: [Scope.ScopePurpose] {
  [.ignore, .only, .unordered, .identity([Array("id".utf8)]), .identity(["a", "b"].map { Array($0.utf8) })]
    + ["1", "0.5", "50%"].compactMap { NumberTolerance(Array($0.utf8)).map(Scope.ScopePurpose.tolerance) }
}

private func addRule(_ choice: UInt8, to scope: inout Scope) {
  let pointers = [
    "", "/a", "/*", "/*/id", "/a/*", "/*/*", "/a/*/b", "/*/*/id", "/**", "/**/a", "/a/**", "/**/a/**/id", "/**/*/b",
    "/*/**/id", "/**/**/a", "/**/0",
  ]
  let text = pointers[Int(choice) & 15]
  guard let pointer = try? JSONPointer(Array(text.utf8)) else { return }
  scope.add(Scope.Rule(purpose: purposes[Int(choice >> 4) & 7], pointer: pointer, text: text))
}

/// Whether there is a number whose exponent is too large for the model.
private func hasHugeNumber(_ bytes: [UInt8]) -> Bool {
  var digits = 0
  for byte in bytes {
    digits = byte &- UInt8(ascii: "0") < 10 ? digits + 1 : 0
    if digits > 17 { return true }
  }
  return false
}

extension JSONDraft {
  fileprivate init(_ value: JSONValue) {
    func text(_ value: JSONValue) -> String { String(decoding: value.text, as: UTF8.self) }
    switch value.kind {
    case .array: self = .array(value.children.map { JSONDraft($0.value) })
    case .object:
      self = .object(value.children.map { Member(name: $0.key.map(text) ?? "", value: JSONDraft($0.value)) })
    default: self = .scalar(text(value))
    }
  }
}
