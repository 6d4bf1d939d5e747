// Compares the list of slots with an array. Each byte pair is a step; no earlier list may ever change.

func fuzzList(_ bytes: [UInt8]) {
  guard let first = bytes.first else { return }
  // Sizes around the limits of one node, two levels and three.
  let size = [0, 1, 31, 32, 33, 100, 767, 1100][Int(first % 8)]
  var model = Array(0..<size)
  // The list begins with slots of its own, or as a document has them.
  let text = "[" + model.map(String.init).joined(separator: ",") + "]"
  let read = parsed(Array(text.utf8)).root
  var list = first & 8 == 0 ? SlotList(model.map(slot), of: read) : SlotList(of: read)
  var kept = [(list, model)]
  var value = size
  var place = 1
  while place + 1 < bytes.count, place < 4000 {
    let (step, low) = (bytes[place], Int(bytes[place + 1]))
    place += 2
    value += 1
    let index = model.isEmpty ? 0 : low * 37 % model.count
    switch step % 8 {
    case 0, 1:
      let end = low * 37 % (model.count + 1)
      list.insert(slot(value), at: end)
      model.insert(value, at: end)
    case 2:
      list.append(slot(value))
      model.append(value)
    case 3, 4:
      guard !model.isEmpty else { continue }
      promise(number(list.remove(at: index)) == model.remove(at: index), "another element was removed")
    case 5:
      guard !model.isEmpty else { continue }
      let old = list.replace(index, with: slot(value).value)
      promise(number(old) == model[index], "another element was replaced")
      model[index] = value
    case 6:
      // A series of removals, to get empty nodes.
      for _ in 0..<min(low, model.count) {
        let index = min(index, model.count - 1)
        list.remove(at: index)
        model.remove(at: index)
      }
    default:
      if kept.count < 8 { kept.append((list, model)) } else { (list, model) = kept[low % 8] }
    }
    promise(list.count == model.count, "count \(list.count), not \(model.count)")
    if !model.isEmpty {
      promise(number(list[index % model.count]) == model[index % model.count], "wrong element at \(index)")
    }
  }
  kept.append((list, model))
  for (list, model) in kept {
    promise(list.map(number) == model, "the elements differ")
    for index in model.indices { promise(number(list[index]) == model[index], "wrong element at \(index)") }
  }
}

private func slot(_ number: Int) -> JSONNode.Slot {
  JSONNode.Slot(key: nil, value: JSONTree(JSONDocument(known: Array(String(number).utf8)).root), place: -1)
}

private func number(_ slot: JSONNode.Slot) -> Int { number(slot.value) }
private func number(_ value: JSONTree) -> Int { Int(String(decoding: value.origin.text, as: UTF8.self)) ?? 0 }
