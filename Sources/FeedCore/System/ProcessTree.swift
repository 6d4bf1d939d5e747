// The processes below ours, from the system's table of all processes. On Linux, those whose parent has ended come to us
// (PR_SET_CHILD_SUBREAPER, prctl(2)), so that none escapes by a process group or a session of its own.

#if os(Linux)
  import CLinux
#endif

/// A process that runs.
package struct RunningProcess: Sendable {
  package let identifier: pid_t
  let group: pid_t
  /// The name of its program, as ps(1) shows it.
  package let name: [UInt8]
}

enum ProcessTree {
  #if os(Linux)
    static let adoptsOrphans = true
    static func adoptOrphans() { _ = feed_adopt_orphans() }

    /// The processes that run below ours, parents first.
    /// - Parameter others: those of our children that are left out, with everything below them.
    /// - Returns: nil if the system's table cannot be read.
    static func descendants(except others: Set<pid_t> = []) -> [RunningProcess]? {
      let children = children
      var found = (children[Process.identifier] ?? []).filter { !others.contains($0.identifier) }
      var next = 0
      while next < found.count {
        found += children[found[next].identifier] ?? []
        next += 1
      }
      return children.isEmpty ? nil : found
    }

    /// The processes that run, by their parents (proc_pid_stat(5)).
    private static var children: [pid_t: [RunningProcess]] {
      var children: [pid_t: [RunningProcess]] = [:]
      Descriptor.forEachName(in: Array("/proc".utf8)) { name in
        guard let identifier = pid_t(decimal: name),
          let line = contents(of: Array("/proc/".utf8) + name + Array("/stat".utf8)),
          // The name of the program may contain anything.
          let open = line.firstIndex(of: UInt8(ascii: "(")), let close = line.lastIndex(of: UInt8(ascii: ")"))
        else { return }
        let fields = line[(close + 1)...].split(separator: UInt8(ascii: " "), maxSplits: 3)
        guard fields.count > 3, !"ZX".utf8.contains(fields[0][fields[0].startIndex]),
          let parent = pid_t(decimal: fields[1]), let group = pid_t(decimal: fields[2])
        else { return }
        children[parent, default: []].append(
          RunningProcess(identifier: identifier, group: group, name: Array(line[(open + 1)..<close])))
      }
      return children
    }

    /// The first bytes of a small file; nil if it cannot be read.
    private static func contents(of path: [UInt8]) -> [UInt8]? {
      guard let file = try? Descriptor.open(reading: path) else { return nil }
      defer { file.closeQuietly() }
      var bytes: [UInt8] = []
      return (try? file.read(upTo: 4096, into: &bytes)).map { _ in bytes }
    }
  #else
    static let adoptsOrphans = false
    static func adoptOrphans() {}
    static func descendants(except others: Set<pid_t> = []) -> [RunningProcess]? { nil }
  #endif
}
