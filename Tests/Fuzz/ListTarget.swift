// Compares the persistent list with an array. Each byte pair is a step; no earlier list may ever change.

func fuzzList(_ bytes: [UInt8]) {
  guard let first = bytes.first else { return }
  // Sizes around the limits of one node, two levels and three.
  let size = [0, 1, 31, 32, 33, 100, 767, 1100][Int(first % 8)]
  var model = Array(0..<size)
  var list = PersistentList(model)
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
      list = list.inserting(value, at: end)
      model.insert(value, at: end)
    case 2:
      list = list.appending(value)
      model.append(value)
    case 3, 4:
      guard !model.isEmpty else { continue }
      list = list.removing(index)
      model.remove(at: index)
    case 5:
      guard !model.isEmpty else { continue }
      list = list.replacing(index, with: value)
      model[index] = value
    case 6:
      // A series of removals, to get empty nodes.
      for _ in 0..<min(low, model.count) {
        let index = min(index, model.count - 1)
        list = list.removing(index)
        model.remove(at: index)
      }
    default:
      if kept.count < 8 { kept.append((list, model)) } else { (list, model) = kept[low % 8] }
    }
    promise(list.count == model.count, "count \(list.count), not \(model.count)")
    if !model.isEmpty { promise(list[index % model.count] == model[index % model.count], "wrong element at \(index)") }
  }
  kept.append((list, model))
  for (list, model) in kept {
    promise(Array(list) == model, "the elements differ")
    for index in model.indices { promise(list[index] == model[index], "wrong element at \(index)") }
    let sorted = PersistentList(model.sorted())
    promise(sorted.partition { $0 < size } == model.filter { $0 < size }.count, "partition")
  }
  // Freeing the parts that only this list holds must not touch shared ones.
  var last = list
  list = PersistentList()
  last.visitUnshared { $0 = -1 }
  for (list, model) in kept { promise(Array(list) == model, "a shared element was visited") }
}
