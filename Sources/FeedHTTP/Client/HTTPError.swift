// The errors of a transfer, grouped by what a client can do about them.

import CCurl
import FeedCore

/// A transfer that failed for another reason than the status of its response.
package struct HTTPError: Error, Equatable, Sendable {
  /// What a client can do about it.
  package enum Kind: Equatable, Sendable {
    /// It may work later: refused, unreachable, not resolved, cut off.
    case transient
    /// The time ran out.
    case timedOut
    /// It will fail again: a certificate that is not accepted, a wrong proxy, an endless redirect.
    case permanent
    /// The proxy answered with this HTTP status instead of connecting.
    case proxy(Int)
    /// The request was sent, and no response came, or not all of it. It must not be repeated: it may have taken effect.
    case unanswered
    /// The error is on our side: a file or value of an option.
    case local
  }

  /// What a client can do about it.
  package let kind: Kind
  /// Lower case, without secrets and without a full stop.
  package let message: String

  /// - Parameter message: lower case, without secrets and without a full stop.
  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

extension HTTPError {
  /// The failure of a tool that ends with this error.
  package func failure(_ source: String) -> ToolFailure {
    let status: ExitStatus =
      switch kind {
      case .local: .error
      case .timedOut: .tryAgain
      case .transient, .permanent, .proxy, .unanswered: .remote
      }
    return .failed(status, message, source: source)
  }

  /// poll(2) or libcurl's form of it has failed.
  package static func cannotWait(_ error: SystemError) -> HTTPError {
    HTTPError(.local, "cannot wait: " + error.message)
  }

  /// What a message adds if a request was sent that must not be repeated without need.
  package static let effect = "; the request may have taken effect"

  /// Nothing has come for too long (`--idle-timeout`).
  /// - Parameter isOpen: whether there has been a response.
  package static func idle(_ seconds: Double, isOpen: Bool) -> HTTPError {
    let what = isOpen ? "nothing received" : "no response"
    return HTTPError(.timedOut, "\(what) for \(secondsText(seconds)) s (--idle-timeout)")
  }

  /// The error for libcurl's result of a transfer.
  /// - Parameters:
  ///   - systemError: the `errno` of a failed connection; 0 for none.
  ///   - detail: libcurl's error buffer. Used if it has more detail and is known to quote no option.
  static func make(_ code: CURLcode, systemError: Int32, detail: String) -> HTTPError {
    switch code {
    case CURLE_COULDNT_CONNECT where detail.hasPrefix("Unsupported proxy"):
      return HTTPError(.permanent, "the proxy's URL has a scheme that this libcurl does not know")
    case CURLE_COULDNT_CONNECT: return connection(systemError, else: "could not connect")
    case CURLE_COULDNT_RESOLVE_HOST: return HTTPError(.transient, "could not resolve the host")
    case CURLE_COULDNT_RESOLVE_PROXY: return HTTPError(.permanent, "could not resolve the proxy")
    case CURLE_OPERATION_TIMEDOUT: return HTTPError(.timedOut, "timed out connecting")
    case CURLE_PARTIAL_FILE: return HTTPError(.transient, "connection closed before the end of the response")
    case CURLE_GOT_NOTHING: return HTTPError(.transient, "connection closed without a response")
    case CURLE_RECV_ERROR where detail.hasPrefix("Too large response headers"):
      return HTTPError(.permanent, "the headers of the response are too large")
    // libcurl's limit is 100 KiB; newer versions have an error code of their own for it.
    case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100):
      return HTTPError(.permanent, "a header of the response is too large")
    case CURLE_RECV_ERROR where detail.contains("chunk"): return ChunkedBody.malformed
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR: return connection(systemError, else: "connection lost")
    case CURLE_UNSUPPORTED_PROTOCOL where detail.contains("HTTP/0.9"):
      return HTTPError(.permanent, "the response is not HTTP")
    case CURLE_SSL_CERTPROBLEM:
      return HTTPError(.local, "the client certificate or its key cannot be used (--cert, --key)")
    case CURLE_SSL_CACERT_BADFILE:
      return HTTPError(.local, "the certificates to trust cannot be used (--cacert, CURL_CA_BUNDLE, SSL_CERT_FILE)")
    case CURLE_SETOPT_OPTION_SYNTAX:
      return HTTPError(.local, "libcurl cannot use the value of an option (--resolve, --unix-socket)")
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CLIENTCERT:
      return HTTPError(.permanent, detail.isEmpty ? name(of: code) : detail.lowercasedFirst)
    case CURLE_SSL_CONNECT_ERROR:
      return HTTPError(.transient, detail.isEmpty ? name(of: code) : detail.lowercasedFirst)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_ENGINE_NOTFOUND, CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION,
      CURLE_LOGIN_DENIED, CURLE_FAILED_INIT:
      return HTTPError(.permanent, name(of: code))
    default: return HTTPError(.transient, name(of: code))
    }
  }

  /// The error of a connection, by its `errno` if there is one.
  private static func connection(_ systemError: Int32, else text: String) -> HTTPError {
    if systemError == 0 { return HTTPError(.transient, text) }
    let error = SystemError(code: systemError)
    return HTTPError(error.isExhaustion ? .local : .transient, error.message)
  }

  private static func name(of code: CURLcode) -> String {
    unsafe String(cString: curl_easy_strerror(code)).lowercasedFirst
  }
}
