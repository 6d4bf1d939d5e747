// Three-way merges. The input is choices: a document is made up and changed twice, so that both sides have much in
// common. The laws are those of the unit tests (MergeLaws).

func fuzzMerge(_ bytes: [UInt8]) {
  guard let how = bytes.first else { return }
  var rest = bytes.dropFirst()
  let pick: JSONDraft.Pick = { bound in
    let high = bound > 256 ? Int(rest.popFirst() ?? 0) : 0
    return (high << 8 | Int(rest.popFirst() ?? 0)) % bound
  }
  let base = JSONDraft.random(depth: 3, pick)
  var (ours, theirs) = (base, base)
  for _ in 0...(how & 3) { ours.mutate(pick) }
  for _ in 0...(how >> 2 & 3) { theirs.mutate(pick) }
  let texts = [base, ours, theirs].map { MergeLaws.text(Array($0.text.utf8), layout: Int(how >> 4) % 3) }
  do { try MergeLaws().check(texts[0], texts[1], texts[2], pick) } catch { promise(false, "\(error)") }
}
