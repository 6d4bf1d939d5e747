// Secrets that stand in a request, where many an API wants its key. A store must not hold them: their values are cut
// out of what is stored, and put back from the command line of the next run.
//
// A parameter whose value the command line has keeps its place, with an empty value; one that only the server has put
// into its links (as some do with the token that came in a header) is taken out, since nothing could put it back.
// `key` and `token` are also what some APIs call a cursor, so these names count only where the command line has them.

import FeedCore

/// The secrets of a walk, by the names of their parameters.
struct SecretParameters: Sendable {
  /// Nothing else is called so.
  static let certain: Set<String> = [
    "access-token", "access_token", "accesstoken", "api-key", "api_key", "api-token", "api_token", "apikey", "apitoken",
    "app_key", "appid", "app_secret", "auth_token", "authorization", "client_secret", "oauth_token", "passwd",
    "password",
    "private_token", "secret", "session_token", "sessionid", "subscription-key", "user_key", "x-amz-credential",
    "x-amz-security-token", "x-amz-signature", "x-api-key", "$$app_token", "access_key", "api_secret", "apisecret",
    "authkey", "bearer", "consumer_secret", "credentials", "csrf", "hapikey", "id_token", "jwt", "login_token",
    "oauth_signature", "ocp-apim-subscription-key", "personal_token", "private_key", "refresh_token", "secret_key",
    "subscription_key",
  ]
  /// A secret, or a cursor.
  static let likely: Set<String> = [
    "apicode", "auth", "code", "key", "pass", "pwd", "sas", "session", "sid", "sig", "signature", "token",
  ]

  private let first: PageRequest
  private let given: Set<String>
  private let firstNames: Set<String>
  /// What the rule sets, which is no secret whatever its name.
  private let exempt: String?

  /// - Parameters:
  ///   - names: those of `--secret-param`, as typed.
  ///   - first: the request of the command line, with its secrets.
  ///   - cursor: the parameter that `--next` sets.
  init(_ names: [[UInt8]], of first: PageRequest, except cursor: [UInt8]? = nil) {
    self.first = first
    exempt = cursor.map { String(decoding: $0, as: UTF8.self).lowercased() }
    given = Set(names.map { Self.key($0[...]) })
    firstNames = Set(QueryString(first.url).names.map { String(decoding: $0, as: UTF8.self).lowercased() })
  }

  /// The request as it may be stored.
  func cut(_ request: PageRequest) -> PageRequest {
    var result = request
    var url = QueryString(request.url)
    url.remove { name in
      let key = Self.key(name)
      return key != exempt && !firstNames.contains(key) && (Self.certain.contains(key) || given.contains(key))
    }
    url.edit { name, _ in isCut(Self.key(name)) ? [] : nil }
    result.url = url.text
    if let body = request.body { result.body = editedBody(body) { _ in [] } }
    return result
  }

  /// The request as it was before `cut`, with the secrets of the command line.
  func putBack(_ request: PageRequest) -> PageRequest {
    var result = request
    let source = QueryString(first.url)
    var url = QueryString(request.url)
    url.edit { name, value in
      value.isEmpty && isCut(Self.key(name)) ? source.rawValue(of: QueryString.decoded(name)) : nil
    }
    result.url = url.text
    guard let body = request.body, let firstBody = first.body else { return result }
    if let root = Self.object(firstBody) {
      result.body = editedBody(body) { root.member($0)?.string }
    } else {
      let source = QueryString(firstBody, isForm: true)
      result.body = editedBody(body) { source.value(of: $0) }
    }
    return result
  }

  /// Whether a parameter of the command line's URL is a secret.
  private func isCut(_ key: String) -> Bool {
    key != exempt && firstNames.contains(key)
      && (Self.certain.contains(key) || Self.likely.contains(key) || given.contains(key))
  }

  private static func key(_ name: ArraySlice<UInt8>) -> String {
    String(decoding: QueryString.decoded(name), as: UTF8.self).lowercased()
  }

  // MARK: Bodies

  /// - Parameter value: what a secret becomes, by its name; nil leaves it.
  private func editedBody(_ body: [UInt8], _ value: ([UInt8]) -> [UInt8]?) -> [UInt8] {
    func isSecret(_ name: [UInt8]) -> Bool {
      let key = String(decoding: name, as: UTF8.self).lowercased()
      return key != exempt && (Self.certain.contains(key) || Self.likely.contains(key) || given.contains(key))
    }
    guard let root = Self.object(body) else {
      var form = QueryString(body, isForm: true)
      form.edit { name, _ in
        let name = QueryString.decoded(name)
        return isSecret(name) ? value(name).map(QueryString.encoded) : nil
      }
      return form.text
    }
    var tree = JSONTree(root)
    for child in root.children where child.value.kind.isString {
      guard let name = child.key?.string, isSecret(name), let new = value(name) else { continue }
      _ = try? tree.replace(at: JSONPointer(tokens: [name]), with: JSONText.string(new))
    }
    return JSONText.edited(tree, of: root.document)
  }

  /// The members of a JSON body; nil for any other.
  private static func object(_ body: [UInt8]) -> JSONValue? {
    guard let root = try? JSONDocument(parsing: body).root, root.kind == .object else { return nil }
    return root
  }
}
