// The one operand of a tool that reads a feed: where the feed is.

import FeedCore

/// A URL to connect to, or a file with what a server would send.
public enum FeedSource: Sendable {
  case url(HTTPURL)
  case file(InputFile)

  /// - Parameter operands: all that were given; none is standard input.
  /// - Throws: a usage error. It quotes nothing: a URL may hold a password, and a word that lost its quotes a token.
  public init(_ operands: [[UInt8]]) throws(ToolError) {
    if operands.count > 1 { throw .usage("expected one URL or file, found \(operands.count)") }
    guard let operand = operands.first else {
      self = .file(.standardInput)
      return
    }
    if HTTPURL.isURL(operand) {
      self = .url(try HTTPURL(operand: operand))
    } else if let scheme = HTTPURL.scheme(of: operand) {
      throw HTTPURL.refused(scheme)
    } else {
      self = .file(InputFile(operand))
    }
  }
}

extension HTTPURL {
  /// The URL that a person has typed.
  /// - Throws: a usage error.
  public init(operand: [UInt8]) throws(ToolError) {
    do { self = try HTTPURL(operand) } catch {
      switch error {
      case .scheme(let name): throw Self.refused(name)
      case .malformed(let why): throw .usage("the URL is malformed: \(why)")
      }
    }
  }

  fileprivate static func refused(_ scheme: String) -> ToolError {
    .usage("cannot connect to a URL of scheme '\(scheme)'")
  }
}
