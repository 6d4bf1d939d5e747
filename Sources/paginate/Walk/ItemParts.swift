import FeedCore
import FeedHTTP

/// The items of a MediaWiki batch (https://www.mediawiki.org/wiki/API:Continue). As long as a response has no
/// `batchcomplete`, the next response has more members of the same items, and more elements of their arrays.
enum ItemParts {
  private static let place = JSONPointer(tokens: ["query", "pages"].map { Array($0.utf8) })

  /// Whether a response is only a part of a batch.
  /// - Parameter items: the place of the items.
  static func isPart(_ root: JSONValue, items: JSONPointer) -> Bool {
    items == place && root.member("continue")?.member("continue") != nil && root.member("batchcomplete") == nil
  }

  /// The last response of a batch, with the items of all of them. Each item has an id.
  /// - Parameter items: the place of the items.
  static func joined(_ parts: [Page], items: JSONPointer) throws(PointerError) -> JSONDocument {
    var tree = JSONTree(parts[0].root)
    var places: [[UInt8]: JSONPointer] = [:]
    for part in parts {
      let isFirst = places.isEmpty
      let isObject = part.root.value(at: items)?.kind == .object
      for item in part.items {
        guard let id = item.id else { continue }
        if let known = places[id] {
          try join(item.value, to: known, in: &tree)
          continue
        }
        places[id] = items.appending(isObject ? id : DecimalText(places.count).text)
        if !isFirst {
          let new = items.appending(isObject ? id : Array("-".utf8))
          _ = try tree.add(JSONTree(item.value), at: new, makingParents: true)
        }
      }
    }
    var whole = JSONTree(parts[parts.count - 1].root)
    _ = try whole.add(try tree.value(at: items), at: items, makingParents: true)
    return JSONDocument(known: whole.bytes)
  }

  /// Adds the members of an object that are not known. Of those that are known, arrays get the new elements.
  private static func join(_ object: JSONValue, to place: JSONPointer, in tree: inout JSONTree) throws(PointerError) {
    var open = [(object, place)]
    while let (object, place) = open.popLast() {
      for child in object.children {
        guard let name = child.key?.string else { continue }
        let inner = place.appending(name)
        switch ((try? tree.value(at: inner))?.kind, child.value.kind) {
        case (nil, _): _ = try tree.add(JSONTree(child.value), at: inner)
        case (.array, .array):
          for element in child.value.children {
            _ = try tree.add(JSONTree(element.value), at: inner.appending(Array("-".utf8)))
          }
        case (.object, .object): open.append((child.value, inner))
        default: break
        }
      }
    }
  }
}
