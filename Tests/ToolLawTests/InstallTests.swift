import Foundation
import TestSupport
import Testing

/// The files that `make install` installs.
@Suite(.enabled(if: Repository.areReleased && Repository.hasOnLinux("readelf")))
struct InstallTests {
  @Test func whatIsInstalledIsHardened() throws {
    let scratch = try ScratchFolder()
    // Nothing is built: the tested tools are those that are installed.
    let make = "make -s -C \(Command.quote(Repository.root.path)) install SWIFT=true"
    let result = try Command.shell(
      make + " DESTDIR=\(Command.quote(scratch.path)) PREFIX=/usr BIN=\(Command.quote(Repository.binaries))")
    #expect(result.status == 0, "\(result.error)")
    for tool in Repository.tools { try look(at: scratch.file("usr/bin/" + tool)) }
    // The examples are as they are here, also those bits that let them run; packagers have the source.
    let differences = try Command.shell(
      #"""
      list() { find "$1" -path "$1/packaging" -prune -o -type f -printf '%P %M\n' | sed 's/ -..\(.\).*/ \1/' | sort; }
      list "$0" >here; list usr/share/doc/feedutils/examples >there
      wc -l <here; diff here there && diff -r -x packaging "$0" usr/share/doc/feedutils/examples
      """#.replacing("$0", with: Repository.path("examples")), in: scratch.path)
    #expect(differences.status == 0 && (Int(differences.text.dropLast()) ?? 0) > 40, "\(differences.text)")
  }

  /// The loader takes most of a short run. These need no library at run time, and do without.
  @Test func toolsWithoutLibrariesAreStatic() throws {
    let response = try Command.shell(Repository.path(".ci/static")).text
    #expect(response == "yes\n" || !Repository.isCI, "no static libraries here")
    #expect(Repository.staticTools == (response == "yes\n" ? ["deliver", "jdiff", "jpatch"] : []))
  }

  private func look(at path: String) throws {
    let dynamic = try Command.shell("readelf -W -d \(Command.quote(path))").text
    let isStatic = Repository.staticTools.contains((path as NSString).lastPathComponent)
    #expect(dynamic.contains("(NEEDED)") == !isStatic, "\(path)")
    // No library is searched for in the tool's own folder.
    #expect(!dynamic.contains("RUNPATH") && !dynamic.contains("RPATH"), "\(path) \(dynamic)")
    // Full RELRO: all symbols are bound at the start, and their table is read-only after that. PIE: the address is
    // random.
    let flags = dynamic.split(separator: "\n").filter { $0.contains("FLAGS") }.joined()
    #expect(flags.contains("NOW") && flags.contains("PIE"), "\(path) \(dynamic)")
    let segments = try Command.shell("readelf -W -h -l \(Command.quote(path))").text
    #expect(segments.contains("INTERP") == !isStatic, "\(path) \(segments)")
    #expect(segments.contains("GNU_RELRO") && segments.contains("DYN ("), "\(path) \(segments)")
    let stack = segments.split(separator: "\n").first { $0.contains("GNU_STACK") } ?? ""
    #expect(stack.contains("RW ") && !stack.contains("RWE"), "\(path) \(stack)")
  }
}
