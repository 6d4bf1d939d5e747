// Secrets in a request: many APIs expect their key there. A store must not contain them: their values are removed from
// what is stored, and put back from the command line of the next run.
//
// A parameter whose value is on the command line keeps its place, with an empty value. One that only the server puts
// into its links is removed, because nothing could put it back. (Some do that with the token of a header.) Some APIs
// also call a cursor `key` or `token`, so these names count only if they are on the command line.
//
// A body that is neither a form nor JSON cannot be searched. It is not stored at all: it is always that of the command
// line, and cannot contain a cursor.

import FeedCore
import FeedHTTP

/// The secrets of a walk, by the names of their parameters and members.
struct SecretParameters: Sendable {
  /// Names that only secrets have.
  static let certain: Set<String> = [
    "app_key", "appid", "authorization", "access_key", "authkey", "bearer", "credentials", "csrf", "hapikey",
    "id_token", "jwt", "login_token", "oauth_signature", "oauth_token", "personal_token", "private_key",
    "private_token",
    "refresh_token", "session_token", "sessionid", "subscription-key", "ocp-apim-subscription-key", "subscription_key",
    "user_key", "x-amz-credential", "x-amz-security-token", "x-amz-signature", "$$app_token",
  ]
  /// Parts of names that only secrets have.
  static let certainParts = [
    "password", "passwd", "secret", "apikey", "api_key", "api-key", "apitoken", "api_token", "api-token", "accesstoken",
    "access_token", "access-token", "authtoken", "auth_token", "auth-token",
  ]
  /// Names of a secret or of a cursor.
  static let likely: Set<String> = [
    "apicode", "auth", "code", "key", "pass", "pwd", "sas", "session", "sid", "sig", "signature", "token",
  ]

  /// A word of a header may also occur in a link; only words at least this long, in bytes, count as keys.
  private static let shortestCredential = 12

  private let first: PageRequest
  private let given: Set<String>
  private let firstNames: Set<String>
  /// Secrets from elsewhere that may appear in a link.
  private let credentials: Set<[UInt8]>
  /// What the rules set; that is not a secret, whatever its name.
  private let exempt: Set<String>

  /// - Parameters:
  ///   - names: the values of `--secret-param`, as typed.
  ///   - first: the request of the command line, with its secrets.
  ///   - rules: `--next`; nil if it is not known yet.
  ///   - credentials: secrets that are not in the request itself.
  init(_ names: [[UInt8]], of first: PageRequest, next rules: NextRules?, credentials: [[UInt8]] = []) {
    self.credentials = Set(credentials.filter { $0.count >= Self.shortestCredential })
    self.first = first
    exempt = Set((rules?.rules ?? []).filter(\.moves).compactMap(\.name).map(Self.lowercased))
    given = Set(names.map { Self.key($0[...]) })
    firstNames = Set(QueryString(first.url).names.map(Self.lowercased))
  }

  /// The request without secrets, to be stored.
  func redacted(_ request: PageRequest) -> PageRequest {
    var result = request
    var url = QueryString(request.url)
    url.remove { name, value in
      let key = Self.key(name)
      return !firstNames.contains(key) && (isCertain(key) || credentials.contains(value.percentDecoded))
    }
    url.edit { name, _ in isRedacted(Self.key(name)) ? [] : nil }
    result.url = url.text
    result.body = request.body.flatMap(redacted)
    return result
  }

  /// The request with its secrets, from the command line.
  func restored(_ request: PageRequest) -> PageRequest {
    var result = request
    var url = QueryString(request.url)
    var values = Self.queues(QueryString(first.url).rawPairs)
    url.edit { name, value in
      guard isRedacted(Self.key(name)), let known = values[name.percentDecoded]?.popLast() else { return nil }
      return value.isEmpty ? known : nil
    }
    result.url = url.text
    if let given = first.body { result.body = request.body.map { restored($0, from: given) } ?? given }
    return result
  }

  /// The secret values, decoded: no message may quote them.
  var values: [[UInt8]] {
    let found = QueryString(first.url).pairs.filter { isRedacted(Self.lowercased($0.name)) }.map(\.value)
    guard let body = first.body else { return found }
    if let places = places(in: body) {
      let values = places.compactMap { try? JSONDocument(parsing: Array(body[$0.range])).root }
      return found + values.compactMap(JSONText.scalar)
    }
    return found + QueryString(body, isForm: true).pairs.filter { isSecret($0.name) }.map(\.value)
  }

  // MARK: Names

  private static func lowercased(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self).lowercased() }

  private static func key(_ name: ArraySlice<UInt8>) -> String { lowercased(name.percentDecoded) }

  private func isCertain(_ key: String) -> Bool {
    !exempt.contains(key)
      && (given.contains(key) || Self.certain.contains(key) || Self.certainParts.contains { key.contains($0) })
  }

  private func isLikely(_ key: String) -> Bool { !exempt.contains(key) && Self.likely.contains(key) }

  /// Whether a parameter of the command line's URL is a secret.
  private func isRedacted(_ key: String) -> Bool { firstNames.contains(key) && (isCertain(key) || isLikely(key)) }

  /// Whether a parameter of a body is a secret. Bodies always come from the command line.
  private func isSecret(_ name: [UInt8]) -> Bool {
    let key = Self.lowercased(name)
    return isCertain(key) || isLikely(key)
  }

  /// Values by name, to be taken with `popLast`: if a name occurs several times, its first lookup gets the first value.
  private static func queues<Name: Hashable>(_ pairs: [(name: Name, value: [UInt8])]) -> [Name: [[UInt8]]] {
    Dictionary(grouping: pairs.reversed()) { $0.name }.mapValues { $0.map(\.value) }
  }

  // MARK: Bodies

  /// A body without secrets; nil if it cannot be searched for them.
  func redacted(_ body: [UInt8]) -> [UInt8]? {
    if let places = places(in: body) { return Self.edited(body, places) { _ in Array("\"\"".utf8) } }
    var form = QueryString(body, isForm: true)
    guard form.isWellFormed else { return nil }
    form.edit { name, _ in isSecret(name.percentDecoded) ? [] : nil }
    return form.text
  }

  private func restored(_ body: [UInt8], from given: [UInt8]) -> [UInt8] {
    if let places = places(in: body), let known = self.places(in: given) {
      var values = Self.queues(known.map { ($0.path, Array(given[$0.range])) })
      return Self.edited(body, places) { values[$0]?.popLast() }
    }
    var form = QueryString(body, isForm: true)
    var values = Self.queues(QueryString(given, isForm: true).rawPairs)
    form.edit { name, _ in
      let name = name.percentDecoded
      return isSecret(name) ? values[name]?.popLast() : nil
    }
    return form.text
  }

  /// The names and indices on the way to a string, number or boolean that is a secret, and its place in the body.
  /// Members with the same name have the same path.
  private typealias SecretPlace = (path: [[UInt8]], range: Range<Int>)

  /// The secrets of a JSON body: members with a secret name, and everything in them.
  /// - Returns: the places in the order of the text; nil if the body is not JSON, in one document or several.
  private func places(in body: [UInt8]) -> [SecretPlace]? {
    var stream = JSONStream()
    stream.append(body)
    var places: [SecretPlace] = []
    var offset = 0
    do {
      while let found = try stream.next(isLast: true) {
        while body[offset].isWhiteSpace { offset += 1 }
        var open = [(value: found.document.root, path: [Array(String(found.number).utf8)], isSecret: false)]
        while let (value, path, isInSecret) = open.popLast() {
          for (index, child) in value.children.enumerated() {
            let name = child.key?.string
            let path = path + [name ?? Array(String(index).utf8)]
            let isSecret = isInSecret || name.map(isSecret) == true
            if child.value.kind.isContainer {
              open.append((child.value, path, isSecret))
            } else if isSecret, !child.value.isNull {
              let range = child.value.range
              places.append((path, (range.lowerBound + offset)..<(range.upperBound + offset)))
            }
          }
        }
        offset += found.document.bytes.count
      }
    } catch { return nil }
    return places.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// - Parameter text: the new text of the place with a path; nil keeps it.
  private static func edited(_ body: [UInt8], _ places: [SecretPlace], _ text: ([[UInt8]]) -> [UInt8]?) -> [UInt8] {
    var result: [UInt8] = []
    var copied = 0
    for (path, range) in places {
      guard let text = text(path) else { continue }
      result += body[copied..<range.lowerBound] + text
      copied = range.upperBound
    }
    return result + body[copied...]
  }
}
