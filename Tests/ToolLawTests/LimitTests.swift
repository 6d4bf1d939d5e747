import Foundation
import TestSupport
import Testing

/// Limits set by a caller: descriptors, memory, disk space. A tool works without, or reports what is missing.
@Suite struct LimitTests {
  @Test(arguments: Sample.all)
  func closedStreamsAreNoOtherFiles(_ sample: Sample) throws {
    let whole = try sample.run()
    let mute = try sample.run("2>&-")
    #expect(mute.status == sample.status && mute.output == whole.output)
    let none = try sample.run("<&- >&- 2>&-")
    #expect(none.status == 2)
  }

  /// Too few: the loader itself needs one more than the three streams.
  @Test(arguments: Sample.all)
  func fewDescriptors(_ sample: Sample) throws {
    let whole = try sample.run()
    // A file that another thread of this test had open for a moment may be inherited, and would count.
    let others = (3...9).map { "\($0)>&-" }.joined(separator: " ")
    for count in 4...12 {
      let limit = "exec \(others); ulimit -n \(count)"
      let result = try Command.shell(sample.command(after: limit, patience: 20), input: sample.input)
      let comment: Comment = "\(count) descriptors: \(result.status) \(result.error)"
      if result.status == sample.status {
        #expect(result.output == whole.output, comment)
      } else {
        #expect([2, 3, 4].contains(result.status) && result.error.hasPrefix(sample.tool + ": "), comment)
      }
    }
  }

  /// The kernel would kill it (SIGXFSZ); it must report a full disk.
  @Test(arguments: Sample.all.filter(\.prints))
  func aLargestFileIsAFullDisk(_ sample: Sample) throws {
    let scratch = try ScratchFolder()
    try sample.input.write(to: URL(fileURLWithPath: scratch.file("in")))
    // The messages go to a pipe, which has no size limit.
    let command = sample.command(after: "ulimit -f 0")
    let result = try Command.shell("{ \(command) <in 2>&1 >out; echo $?; } | cat", in: scratch.path)
    #expect(result.text == "\(sample.tool): standard output: file too large\n2\n")
  }

  /// Input larger than any limit, and useless to every tool, in 1.5 GB of address space.
  @Test(.enabled(if: Repository.areReleased), arguments: Sample.all)
  func muchOfNothingEndsWithWords(_ sample: Sample) throws {
    let result = try Command.shell("head -c 1200000000 /dev/zero | " + sample.command(after: "ulimit -v 1500000"))
    #expect([1, 2].contains(result.status), "\(result.status) \(result.error)")
    #expect(result.error.hasPrefix(sample.tool + ": ") && result.error.split(separator: "\n").count == 1)
  }
}
