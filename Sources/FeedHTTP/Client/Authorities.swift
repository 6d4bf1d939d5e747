import FeedCore

/// Which certificates are trusted, by the rules of curl(1): an option, else environment variables, else the defaults of
/// libcurl's build.
struct Authorities: Equatable {
  /// Certificates in PEM.
  var file: [UInt8]?
  /// A folder of certificates, named as c_rehash(1) does.
  var folder: [UInt8]?
  /// Whether the system's certificates are no longer trusted.
  var excludesSystem = false

  /// - Parameters:
  ///   - option: the file of `--cacert`.
  ///   - variable: an environment variable; nil if it is empty or not set.
  init(option: [UInt8]?, variable: (String) -> [UInt8]? = Process.environment) {
    if let option {
      file = option
      // Some systems have a certificate file and a folder. This option replaces only the file.
      excludesSystem = true
    } else if let bundle = variable("CURL_CA_BUNDLE") {
      file = bundle
    } else {
      folder = variable("SSL_CERT_DIR")
      file = variable("SSL_CERT_FILE")
    }
  }
}
