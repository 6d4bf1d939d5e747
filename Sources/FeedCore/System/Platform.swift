// The C library, for all files of all modules, and where it is not the same everywhere. No other file asks which one there
// is; what only one kernel has, such as epoll(7), is chosen by `os`.

#if canImport(Darwin)
  @_exported import Darwin
#elseif canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#else
  #error("feedutils needs a C library with POSIX: Darwin, Glibc or Musl")
#endif

enum Platform {
  #if canImport(Glibc)
    // Glibc has enumerations where the others have numbers.
    static let streamSocket = Int32(SOCK_STREAM.rawValue)
    static let shutWrite = Int32(SHUT_WR)
    static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    static let streamSocket = SOCK_STREAM
    static let shutWrite = SHUT_WR
    static let openFiles = RLIMIT_NOFILE
  #endif

  #if os(Linux)
    /// No network at all: only Linux tells it apart.
    static let noNetwork = ENONET
  #else
    static let noNetwork = ENETDOWN
  #endif
}

extension stat {
  /// When somebody last wrote to the file.
  var modified: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
