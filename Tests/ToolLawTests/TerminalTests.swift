import TestSupport
import Testing

/// The status line of a long run on a terminal (Cases/all/terminal.cases has the rest). Each read takes 0.6 s here.
@Suite(.enabled(if: Repository.has("strace"))) struct TerminalTests {
  private func slowly(_ command: String, reading file: String, columns: Int = 80) throws -> String {
    let slow = "strace -o /dev/null -P \"$PWD/\(file)\" -e trace=read -e inject=read:delay_enter=600000 "
    let content = "printf '<a>%70000s<b/>%70000s</a>' >\(file)"
    let run = "on-terminal --columns \(columns) \(Command.quote(slow + command))"
    let result = try Command.shell("\(content); \(run); cat found", environment: Command.bare)
    #expect(result.status == 0)
    return result.text.replacing(#/[0-9.]+ k?B/s/#, with: "RATE")
  }

  @Test func theShareOfAFileThatIsRead() throws {
    let lines =
      "^Mxml-split: 131 kB of 140 kB, 93 %, RATE^[[J^M^Mxml-split: 140 kB of 140 kB, 100 %, RATE^[[J^M^M^[[J<b/>\n"
    #expect(try slowly("xml-split /a/b in.xml >found", reading: "in.xml") == lines)
    // A file that the shell opens has a size too.
    #expect(try slowly("xml-split /a/b <in.xml >found", reading: "in.xml") == lines)
  }

  @Test func anIgnoredSignalStaysIgnored() throws {
    let hangUp = "strace -o /dev/null -e trace=rt_sigaction -e inject=rt_sigaction:signal=HUP"
    let run = "trap '' HUP; { sleep 1.1; printf '<a><b/></a>'; } >fifo & \(hangUp) xml-split /a/b fifo >found"
    let result = try Command.shell(
      "mkfifo fifo; on-terminal \(Command.quote(run)) >seen; grep -c B/s seen; cat found", environment: Command.bare)
    #expect(result.text == "1\n<b/>\n")
  }

  @Test func aLineIsCutToTheWidth() throws {
    let text = try slowly("xml-split /a/b in.xml >found", reading: "in.xml", columns: 16)
    #expect(text == "^Mxml-split: 131 ^[[J^M^Mxml-split: 140 ^[[J^M^M^[[J<b/>\n")
  }
}
