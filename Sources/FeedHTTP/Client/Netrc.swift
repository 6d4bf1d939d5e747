import FeedCore

extension HTTPRequest {
  /// Takes name and password for the host from `~/.netrc`, as `--netrc` asks, unless the request has credentials.
  package mutating func takeNetrc() {
    guard route.usesNetrc, credentials.user == nil, let home = Process.environment("HOME"),
      let file = try? Descriptor.open(reading: home + Array("/.netrc".utf8))
    else { return }
    defer { file.closeQuietly() }
    // The origin always has a port, but entries there do not.
    let origin = Array(url.origin.utf8)
    let host = Array(origin[..<(origin.lastIndex(of: UInt8(ascii: ":")) ?? 0)].split(separator: UInt8(ascii: "/"))[1])
    guard let text = try? ByteReader.readAll(file, limit: 1 << 20), let entry = Netrc.entry(for: host, in: text)
    else { return }
    (credentials.user, credentials.password) = (entry.login, entry.password)
  }
}

/// ~/.netrc, for connections on which libcurl does no HTTP, because libcurl does not return what it reads there. The
/// keywords are those of ftp(1); as in curl(1), a word may be in double quotes, with backslashes.
enum Netrc {
  /// The entry of a host, or the default one; without a name, `login` is empty.
  static func entry(for host: [UInt8], in text: [UInt8]) -> (login: [UInt8], password: [UInt8]?)? {
    var words = Words(text)
    var entry: (login: [UInt8], password: [UInt8]?)?
    var isOurs = false
    while let word = words.next() {
      let keyword = String(decoding: word, as: UTF8.self)
      switch keyword {
      case "machine", "default":
        if entry != nil { return entry }
        isOurs = keyword == "default" || words.next()?.lowercased == host.lowercased
        if isOurs { entry = ([], nil) }
      case "login":
        if let login = words.next(), isOurs { entry?.login = login }
      case "password":
        if let password = words.next(), isOurs { entry?.password = password }
      case "account": _ = words.next()
      // A macro ends at the next blank line.
      case "macdef": words.skipParagraph()
      default: continue
      }
    }
    return entry
  }

  private struct Words {
    private let text: [UInt8]
    private var index = 0

    init(_ text: [UInt8]) { self.text = text }

    mutating func next() -> [UInt8]? {
      while index < text.count, text[index].isSpaceOrControl || text[index] == UInt8(ascii: "#") {
        if text[index] == UInt8(ascii: "#") { skipLine() } else { index += 1 }
      }
      guard index < text.count else { return nil }
      var word: [UInt8] = []
      let isQuoted = text[index] == UInt8(ascii: "\"")
      if isQuoted { index += 1 }
      while index < text.count, isQuoted ? text[index] != UInt8(ascii: "\"") : !text[index].isSpaceOrControl {
        if isQuoted, text[index] == UInt8(ascii: "\\"), index + 1 < text.count {
          index += 1
          word.append(Self.escaped(text[index]))
        } else {
          word.append(text[index])
        }
        index += 1
      }
      if isQuoted { index += 1 }
      return word
    }

    mutating func skipParagraph() {
      skipLine()
      while index < text.count, text[index] != UInt8(ascii: "\n") { skipLine() }
    }

    private mutating func skipLine() {
      while index < text.count, text[index] != UInt8(ascii: "\n") { index += 1 }
      index += 1
    }

    private static func escaped(_ letter: UInt8) -> UInt8 {
      switch letter {
      case UInt8(ascii: "n"): UInt8(ascii: "\n")
      case UInt8(ascii: "r"): UInt8(ascii: "\r")
      case UInt8(ascii: "t"): UInt8(ascii: "\t")
      default: letter
      }
    }
  }
}
