import FeedCore

/// The places of secrets in a JSON body, so that they can be removed and put back without changing anything else.
enum SecretMembers {
  /// A string, number or boolean that is a secret.
  struct SecretPlace {
    /// The names and indices on the way to it. Members with the same name have the same path.
    let path: [[UInt8]]
    let range: Range<Int>
  }

  /// - Parameter isSecret: whether a member with this decoded name is secret, with everything in it.
  /// - Returns: the places in the order of the text; nil if the body is not JSON, in one document or several.
  static func places(in body: [UInt8], _ isSecret: ([UInt8]) -> Bool) -> [SecretPlace]? {
    var stream = JSONStream()
    stream.append(body)
    var places: [SecretPlace] = []
    var offset = 0
    do {
      while let found = try stream.next(isLast: true) {
        while body[offset].isWhiteSpace { offset += 1 }
        places += self.places(in: found.document.root, at: offset, [Array(String(found.number).utf8)], isSecret)
        offset += found.document.bytes.count
      }
    } catch {
      return nil
    }
    return places
  }

  private static func places(
    in root: JSONValue, at offset: Int, _ path: [[UInt8]], _ isSecret: ([UInt8]) -> Bool
  ) -> [SecretPlace] {
    var places: [SecretPlace] = []
    var open = [(value: root, path: path, isSecret: false)]
    while let (value, path, isInSecret) = open.popLast() {
      for (index, child) in value.children.enumerated() {
        let name = child.key?.string
        let isOne = name.map(isSecret) ?? isInSecret
        let path = path + [name ?? Array(String(index).utf8)]
        switch child.value.kind {
        case .object, .array: open.append((child.value, path, isOne || isInSecret))
        case .null: break
        case .true, .false, .number, .string, .escapedString:
          let range = child.value.range
          guard isOne || isInSecret else { continue }
          places.append(SecretPlace(path: path, range: (range.lowerBound + offset)..<(range.upperBound + offset)))
        }
      }
    }
    return places.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// - Parameter text: the new text of a place; nil keeps it.
  static func edited(_ body: [UInt8], _ places: [SecretPlace], _ text: (SecretPlace) -> [UInt8]?) -> [UInt8] {
    var result: [UInt8] = []
    var copied = 0
    for place in places {
      guard let text = text(place) else { continue }
      result += body[copied..<place.range.lowerBound] + text
      copied = place.range.upperBound
    }
    return result + body[copied...]
  }
}
