import Foundation
import TestSupport
import Testing

/// A tool trusts nothing in its surroundings: it looks for no library, helper or configuration in the current folder,
/// beside the binary or relative to argv[0], and it reads argv without /proc.
@Suite struct PlaceTests {
  /// The file name in a line of strace, with its system call.
  private static func names(in log: String) -> [(call: String, name: String)] {
    log.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.count > 2, let call = parts[0].split(separator: " ").last?.split(separator: "(").first else {
        return nil
      }
      return (String(call), String(parts[1]))
    }
  }

  /// Names that are looked up in the current folder or beside the tool, except for the tool itself.
  private static func untrusted(_ log: String, tool: String) -> [String] {
    let own = Repository.binaries + "/" + tool
    return names(in: log).filter { call, name in
      guard name.hasPrefix("/") else { return !name.isEmpty }  // an empty name means the descriptor's own file
      return name.hasPrefix(Repository.binaries + "/") && !(call == "execve" && name == own)
    }.map { "\($0.call) \($0.name)" }
  }

  @Test(.enabled(if: Repository.areReleased && Repository.hasOnLinux("strace")), arguments: Sample.all)
  func nothingRelativeIsLookedUp(_ sample: Sample) throws {
    let scratch = try ScratchFolder()
    try Self.plant(in: scratch)
    let trace = "strace -f -qq -e trace=%file -o \(scratch.file("log"))"
    let result = try Command.shell(
      sample.command(with: trace), input: sample.input, in: scratch.path, environment: Command.bare)
    let whole = try sample.run()
    #expect(result.status == sample.status && result.output == whole.output && result.error == whole.error)
    let log = try scratch.read("log")
    #expect(Self.names(in: log).contains { $0.name.hasPrefix("/") }, "an empty log proves nothing")
    // A socket that the command line names, and its folder.
    let own = sample.command.split(separator: " ").filter { $0.hasPrefix("unix:") }.flatMap {
      [String($0.dropFirst(5)), "."]
    }
    #expect(Self.untrusted(log, tool: sample.tool).filter { !own.contains(String($0.split(separator: " ")[1])) } == [])
  }

  /// In a static executable, glibc would still load files of the system for locales, character sets and names of hosts.
  @Test(
    .enabled(if: Repository.areReleased && Repository.hasOnLinux("strace")),
    arguments: Sample.all.filter { Repository.staticTools.contains($0.tool) })
  func aStaticToolOpensNoFileOfTheSystem(_ sample: Sample) throws {
    let scratch = try ScratchFolder()
    // Without what COMMAND of deliver opens.
    let command = sample.command(with: "strace -qq -e trace=%file -o \(scratch.file("log"))")
    let environment = ["LC_ALL": "de_DE.ISO-8859-1", "LANGUAGE": "de", "LD_LIBRARY_PATH": "/usr/lib"]
    let result = try Command.shell(
      command, input: sample.input, environment: Command.bare.merging(environment) { $1 })
    #expect(result.status == sample.status && result.error.isEmpty)
    let names = Self.names(in: try scratch.read("log")).filter { call, name in
      name.hasPrefix("/") && call != "execve" && !name.hasPrefix("/proc/self/") && !sample.command.contains(name)
    }
    #expect(names.map(\.name) == [])
  }

  /// The Swift runtime would look for a helper that prints a backtrace.
  @Test(.enabled(if: Repository.areReleased && Repository.hasOnLinux("python3")), arguments: Sample.all)
  func aCrashRunsNothing(_ sample: Sample) throws {
    let scratch = try ScratchFolder()
    try Self.plant(in: scratch)
    // Without the variable that the tests set, because users do not have it.
    let command = "unset SWIFT_BACKTRACE; crash-on-terminal \(sample.tool) " + sample.command
    let result = try Command.shell(command, in: scratch.path, environment: Command.bare)
    #expect(result.status == 0 && result.text.hasSuffix("signal 11\n"), "\(result.text) \(result.error)")
    #expect(!FileManager.default.fileExists(atPath: scratch.file("mark")))
  }

  /// Files that leave a mark or stop the tool if it uses them.
  private static func plant(in scratch: ScratchFolder) throws {
    for folder in ["bin", "libexec/swift/linux", "libexec/swift"] {
      try FileManager.default.createDirectory(atPath: scratch.file(folder), withIntermediateDirectories: true)
    }
    for place in ["", "bin/", "libexec/swift/linux/", "libexec/swift/"] {
      let path = try scratch.write(place + "swift-backtrace", "#!/bin/sh\n: >\(Command.quote(scratch.file("mark")))\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    for library in ["libcurl.so.4", "libsqlite3.so.0", "libz.so.1", "libstdc++.so.6", "libc.so.6", ".netrc", ".curlrc"]
    {
      try scratch.write(library, "no library")
    }
  }

  /// Tools must not load libraries from a folder that others can write to, such as one for downloads.
  @Test(.enabled(if: Repository.areReleased), arguments: Sample.firsts)
  func librariesBesideTheToolAreNotLoaded(_ sample: Sample) throws {
    let scratch = try ScratchFolder()
    try Self.plant(in: scratch)
    // Copied by another process: if this one had the file open for writing, a child of another test could inherit it.
    let copy = try Command.shell("cp \(Command.quote(Repository.binaries + "/" + sample.tool)) .", in: scratch.path)
    #expect(copy.status == 0)
    let whole = try sample.run()
    let path = "PATH=\(Command.quote(scratch.path)):$PATH "
    for command in [sample.command, sample.command.replacingOccurrences(of: sample.tool, with: "./" + sample.tool)] {
      let result = try Command.shell(path + command, input: sample.input, in: scratch.path)
      #expect(result.status == sample.status && result.output == whole.output && result.error == whole.error)
    }
  }

  /// A chroot, a jail, an early boot. Only root can hide /proc.
  @Test(.enabled(if: canHideProc), arguments: Sample.all)
  func noToolNeedsProc(_ sample: Sample) throws {
    let whole = try sample.run()
    let script = "umount -l /proc && ! test -e /proc/self && exec \"$@\""
    let command = sample.command(with: "unshare -m sh -c \(Command.quote(script)) sh")
    let result = try Command.shell(command, input: sample.input, environment: Command.bare)
    #expect(result.status == sample.status && result.output == whole.output && result.error == whole.error)
  }

  private static let canHideProc: Bool = {
    #if os(Linux)
      return (try? Command.shell("unshare -m sh -c 'umount -l /proc'").status) == 0
    #else
      return false
    #endif
  }()

  /// Such a constructor moves `environ`, by which some runtimes find argv.
  @Test(arguments: Sample.all)
  func aLibraryMaySetVariables(_ sample: Sample) throws {
    guard let library = try Preload.library("setenv") else { return }
    let whole = try sample.run()
    let result = try sample.run(environment: Preload.environment(library, into: sample.tool))
    #expect(result.status == sample.status && result.output == whole.output && result.error == whole.error)
  }
}
