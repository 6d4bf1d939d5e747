// Secrets in a JSON body: where they stand, so that they can be cut out and put back without touching anything else.

import FeedCore

enum SecretMembers {
  /// What a member's name says about what is in it.
  enum Suspicion {
    /// Everything in it is secret, however deep.
    case all
    /// It is a secret when it is one value.
    case value
    case none
  }

  /// A string, number or boolean that is a secret.
  struct Place {
    /// The names and indices on the way to it. Members of one name have one path.
    let path: [[UInt8]]
    let range: Range<Int>
  }

  /// - Parameter suspicion: by a member's name, decoded.
  /// - Returns: the places in the order of the text; none where the body is not JSON.
  static func places(in body: [UInt8], _ suspicion: ([UInt8]) -> Suspicion) -> [Place] {
    guard let root = try? JSONDocument(parsing: body).root else { return [] }
    var places: [Place] = []
    var open: [(value: JSONValue, path: [[UInt8]], isSecret: Bool)] = [(root, [], false)]
    while let (value, path, isSecret) = open.popLast() {
      for (index, child) in value.children.enumerated() {
        let name = child.key?.string
        let found = name.map(suspicion) ?? .none
        let path = path + [name ?? Array(String(index).utf8)]
        switch child.value.kind {
        case .object, .array: open.append((child.value, path, isSecret || found == .all))
        case .null: break
        default:
          if isSecret || found != .none { places.append(Place(path: path, range: child.value.range)) }
        }
      }
    }
    return places.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// - Parameter text: what stands at a place from now on; nil leaves it.
  static func edited(_ body: [UInt8], _ places: [Place], _ text: (Place) -> [UInt8]?) -> [UInt8] {
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
