// The request for one page, as a value: it can be compared, stored and made again. What all pages share (credentials,
// other headers, the proxy) is not in it, but comes from the command line.

import FeedCore

/// A request for a page.
package struct PageRequest: Equatable, Sendable {
  /// A header field that is not the same for all pages.
  package struct PageHeader: Equatable, Sendable {
    package let name: [UInt8]
    package let value: [UInt8]

    package init(name: [UInt8], value: [UInt8]) { (self.name, self.value) = (name, value) }
  }

  /// As in `HTTPRequest`.
  package var method: String
  /// Absolute, without user information and fragment, like `HTTPURL.text`.
  package var url: [UInt8]
  package var body: [UInt8]?
  /// The headers that hold a cursor.
  package var headers: [PageHeader]

  package init(url: [UInt8], method: String = "GET", body: [UInt8]? = nil, headers: [PageHeader] = []) {
    (self.method, self.url, self.body, self.headers) = (method, url, body, headers)
  }

  /// Whether the body looks like JSON.
  package var hasJSONBody: Bool { body.map(Self.isJSON) ?? false }

  /// Whether a body begins like an object or an array.
  package static func isJSON(_ body: [UInt8]) -> Bool {
    let first = body.first { !$0.isWhiteSpace }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Sets a header and replaces any other of this name.
  package mutating func setHeader(_ name: [UInt8], to value: [UInt8]) {
    let header = PageHeader(name: name, value: value)
    let lowered = String(decoding: name, as: UTF8.self).lowercased()
    if let index = headers.firstIndex(where: { String(decoding: $0.name, as: UTF8.self).lowercased() == lowered }) {
      headers[index] = header
    } else {
      headers.append(header)
    }
  }

  /// The same for two requests exactly if they ask for the same.
  package var identity: [UInt8] {
    var bytes: [UInt8] = []
    let parts = [Array(method.utf8), url, body ?? []] + headers.flatMap { [$0.name, $0.value] }
    for part in parts { bytes += Array("\(part.count):".utf8) + part }
    return bytes
  }
}

// MARK: As JSON, to be stored

extension PageRequest {
  /// `{"method":"POST","url":"…","headers":[["Name","value"]],"body":"…"}`, without empty members. A body that is not
  /// UTF-8 is in `bodyHex`.
  package var json: [UInt8] {
    var output = ByteWriter()
    func write(_ before: StaticString, _ text: [UInt8]) {
      output.append(before)
      JSONString.write(text, to: &output)
    }
    write("{\"method\":", Array(method.utf8))
    write(",\"url\":", url)
    for (index, header) in headers.enumerated() {
      write(index == 0 ? ",\"headers\":[[" : ",[", header.name)
      write(",", header.value)
      output.append("]")
    }
    if !headers.isEmpty { output.append("]") }
    if let body {
      if body.isUTF8 { write(",\"body\":", body) } else { write(",\"bodyHex\":", body.flatMap(\.hexDigits)) }
    }
    output.append("}")
    return output.take()
  }

  /// - Parameter json: the result of `json`; nil for anything else.
  package init?(json: [UInt8]) {
    guard let root = try? JSONDocument(parsing: json).root,
      let method = root.member("method")?.string, let url = root.member("url")?.string,
      !method.isEmpty, method.allSatisfy(\.isTokenByte), let target = try? HTTPURL(url), target.user == nil
    else { return nil }
    self.init(url: url, method: String(decoding: method, as: UTF8.self))
    if let list = root.member("headers") {
      for child in list.children {
        let parts = child.value.children.compactMap(\.value.string)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenByte), isSendable(parts[1]) else {
          return nil
        }
        headers.append(PageHeader(name: parts[0], value: parts[1]))
      }
    }
    if let text = root.member("body") {
      body = text.string
      if body == nil { return nil }
    } else if let digits = root.member("bodyHex") {
      body = digits.string.flatMap([UInt8].init(hex:))
      if body == nil { return nil }
    }
  }
}
