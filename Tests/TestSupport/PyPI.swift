import Foundation

/// What tests need of PyPI. It comes once to a machine, into a folder of the user's cache.
public enum PyPI {
  /// A folder for a version of python3, in the user's cache.
  private static let cache: String = {
    let variables = ProcessInfo.processInfo.environment
    let top = variables["XDG_CACHE_HOME"] ?? (variables["HOME"] ?? "/tmp") + "/.cache"
    let version = (try? Command.shell("python3 -c 'import sys; print(*sys.version_info[:2], sep=\".\")'"))?.text ?? ""
    return "\(top)/feedutils-tests/\(version.trimmingCharacters(in: .whitespacesAndNewlines))"
  }()

  /// A module, for python3.
  /// - Returns: the value of PYTHONPATH; nil without a network or without pip. In CI there are both.
  public static func path(of module: String) throws -> String? {
    try folder(module, of: "python3 -m pip install -q --no-compile --target new \(module)")
  }

  /// The source distribution of a version of a package, unpacked.
  /// - Returns: its folder; nil as above.
  public static func sources(of package: String, _ version: String) throws -> String? {
    let command = "python3 -m pip download -q --no-deps --no-binary :all: -d new \(package)==\(version)"
    let unpack = "tar -xzf new/\(package)-\(version).tar.gz -C new"
    return try folder("\(package)-sources", of: "\(command) && \(unpack)").map { "\($0)/\(package)-\(version)" }
  }

  /// - Parameter command: fills the folder `new`.
  private static func folder(_ name: String, of command: String) throws -> String? {
    let folder = "\(cache)/\(name)"
    if FileManager.default.fileExists(atPath: folder) { return folder }
    let made = try Command.shell("\(command) && mkdir -p \(Command.quote(cache)) && mv -T new \(Command.quote(folder))")
    if FileManager.default.fileExists(atPath: folder) { return folder }
    precondition(!Repository.isCI, "\(name) is missing, and CI=true: \(made.error)")
    return nil
  }
}
