// Which certificates are trusted, by the rules of curl(1): an option, else variables of the environment, else what libcurl
// was built with.

import FeedCore

struct Authorities: Equatable {
  /// Certificates in PEM.
  var file: [UInt8]?
  /// A folder of certificates, named as c_rehash(1) does.
  var folder: [UInt8]?
  /// Whether those of the system are not trusted any more.
  var excludesSystem = false

  /// - Parameters:
  ///   - option: the file of `--cacert`.
  ///   - variable: of the environment, nil when it is empty or not set.
  init(option: [UInt8]?, variable: (String) -> [UInt8]? = Process.environment) {
    if let option {
      file = option
      // Some systems have a file and a folder of them, and the file alone is what this takes the place of.
      excludesSystem = true
    } else if let bundle = variable("CURL_CA_BUNDLE") {
      file = bundle
    } else {
      folder = variable("SSL_CERT_DIR")
      file = variable("SSL_CERT_FILE")
    }
  }
}
