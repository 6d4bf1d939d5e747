// The C library, for all files of all modules, and the differences between platforms. No other file asks which platform
// this is. Interfaces that only one kernel has, such as epoll(7), are chosen by `os`.

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
    // Enumerations in Glibc, numbers elsewhere.
    static let streamSocket = Int32(SOCK_STREAM.rawValue)
    static let datagramSocket = Int32(SOCK_DGRAM.rawValue)
    static let shutWrite = Int32(SHUT_WR)
    static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    static let streamSocket = SOCK_STREAM
    static let datagramSocket = SOCK_DGRAM
    static let shutWrite = SHUT_WR
    static let openFiles = RLIMIT_NOFILE
  #endif

  // Arguments of posix_spawn(3). They are pointers on Darwin, and structures elsewhere.
  #if canImport(Darwin)
    static var spawnFiles: posix_spawn_file_actions_t? { nil }
    static var spawnAttributes: posix_spawnattr_t? { nil }
  #elseif canImport(Glibc)
    static var spawnFiles: posix_spawn_file_actions_t { unsafe posix_spawn_file_actions_t() }
    @unsafe static var spawnAttributes: posix_spawnattr_t { posix_spawnattr_t() }
  #else
    static var spawnFiles: posix_spawn_file_actions_t { unsafe posix_spawn_file_actions_t() }
    static var spawnAttributes: posix_spawnattr_t { unsafe posix_spawnattr_t() }
  #endif

  /// The value that makes futimens(2) leave a time unchanged.
  static let sameTime = Int((1 << 30) - 2)

  #if os(Linux)
    /// There is no network: only Linux has an error number for it.
    static let noNetwork = ENONET
  #else
    static let noNetwork = ENETDOWN
  #endif
}

extension stat {
  /// The bits of the mode that say what kind of file it is.
  var type: mode_t { st_mode & S_IFMT }

  /// The time of the last read, if the file system keeps it.
  var accessed: timespec {
    #if canImport(Darwin)
      st_atimespec
    #else
      st_atim
    #endif
  }

  /// The time of the last write.
  var modified: timespec {
    #if canImport(Darwin)
      st_mtimespec
    #else
      st_mtim
    #endif
  }
}
