// The operand of a tool that reads a feed: where the feed is.

import FeedCore

/// A URL to connect to, or a file with recorded data.
package enum FeedSource: Sendable {
  case url(HTTPURL)
  case file(InputFile)

  /// - Parameter operands: all operands; none means standard input.
  /// - Throws: a usage error. It quotes nothing: a URL may contain a password, and an unquoted word may be a token.
  package init(_ operands: [[UInt8]]) throws(ToolFailure) {
    if operands.count > 1 { throw .usage("expected one URL or file, found \(operands.count)") }
    guard let operand = operands.first else {
      self = .file(.standardInput)
      return
    }
    if HTTPURL.isURL(operand) {
      self = .url(try HTTPURL(operand: operand))
    } else if let scheme = HTTPURL.scheme(of: operand) {
      throw .usage(HTTPURL.refused(scheme).message)
    } else {
      self = .file(InputFile(operand))
    }
  }

  /// Whether the operands name a URL, even with a scheme that is refused.
  package static let isURL: @Sendable ([[UInt8]]) -> Bool = { operands in
    operands.first.map { HTTPURL.isURL($0) || HTTPURL.scheme(of: $0) != nil } ?? false
  }
}

extension InputFile {
  /// Opens an operand that was taken for a file because it does not begin like a URL.
  package func openFeed(_ streams: StandardStreams) throws(ToolFailure) -> Descriptor {
    do { return try open(streams) } catch {
      guard seemsToBeAHost else { throw error }
      throw error.adding(" (a URL begins with http:// or https://)")
    }
  }

  /// Whether this looks like `example.com/feed` or `localhost:8000`.
  private var seemsToBeAHost: Bool {
    let authority = name.prefix { $0 != "/" && $0 != "?" }
    let host = authority.prefix { $0 != ":" }
    let port = authority.dropFirst(host.count)
    let isLikeAHost = host.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" }
    guard isLikeAHost, !host.isEmpty, host.first != "." else { return false }
    if !port.isEmpty { return port.dropFirst().allSatisfy(\.isNumber) }
    // A single word may be the name of any file.
    return host == "localhost" || (host.contains(".") && authority.count < name.count) || host.hasPrefix("www.")
  }
}

extension HTTPURL {
  /// Parses a URL from the command line.
  /// - Throws: a usage error.
  package init(operand: [UInt8]) throws(ToolFailure) {
    do { self = try HTTPURL(typed: operand) } catch { throw .usage(error.message) }
  }

  fileprivate init(typed text: [UInt8]) throws(OptionRefusal) {
    do { self = try HTTPURL(text) } catch {
      switch error {
      case .scheme(let name): throw Self.refused(name)
      case .malformed(let why): throw OptionRefusal("the URL is malformed: \(why)")
      }
    }
  }

  fileprivate static func refused(_ scheme: String) -> OptionRefusal {
    OptionRefusal("cannot connect to a URL of scheme '\(scheme)'")
  }
}

extension OptionType<HTTPURL> {
  /// A URL of http or https. Messages quote nothing: it may hold a password.
  package static let httpURL = Self("URL") { bytes throws(OptionRefusal) in try HTTPURL(typed: bytes) }
}
