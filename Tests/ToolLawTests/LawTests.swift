import Foundation
import TestSupport
import Testing

/// What holds for every tool, tried on each.
@Suite struct LawTests {
  @Test func everyToolIsTried() throws {
    #expect(Repository.tools.count >= 9)
    #expect(try Sample.all.count == Fixtures.lines("laws/samples.txt", atLeast: 25).count, "a line is malformed")
    for tool in Repository.tools { #expect(Sample.all.contains { $0.tool == tool }, "no sample for \(tool)") }
    for sample in Sample.all { #expect(!sample.input.isEmpty, "\(sample.command): no input") }
  }

  @Test(arguments: Sample.all)
  func wordsOnlyWhenSomethingIsWrong(_ sample: Sample) throws {
    let result = try sample.run()
    #expect(result.status == sample.status && result.output.isEmpty != sample.prints && result.error.isEmpty)
  }

  @Test(arguments: Sample.all.filter(\.prints))
  func aFullDiskIsTrouble(_ sample: Sample) throws {
    let result = try sample.run(">/dev/full")
    #expect(result.status == 2)
    #expect(result.error == "\(sample.tool): standard output: no space left on device\n")
  }

  @Test(arguments: Sample.all.filter(\.prints))
  func aClosedOutputIsTrouble(_ sample: Sample) throws {
    let result = try sample.run(">&-")
    #expect(result.status == 2)
    #expect(result.error == "\(sample.tool): standard output: bad file descriptor\n")
  }

  @Test(arguments: Sample.all)
  func aClosedInputIsTrouble(_ sample: Sample) throws {
    let result = try sample.run("<&-")
    #expect(result.status == 2 && result.output.isEmpty)
    #expect(result.error == "\(sample.tool): -: bad file descriptor\n")
  }

  /// With the signal at its default, and ignored, as systemd and some languages start their children.
  @Test(arguments: Sample.all.filter(\.prints), ["", "trap '' PIPE; "])
  func aReaderThatHasGoneIsNoMessage(_ sample: Sample, _ trap: String) throws {
    // The reader is gone before the tool starts: the shell writes until it notices.
    let gone = "(trap '' PIPE; while printf x; do sleep 0.01; done) 2>/dev/null"
    let script = "{ \(gone); \(trap)\(sample.command) <in; echo $? >status; } | :"
    let scratch = try ScratchFolder()
    try sample.input.write(to: URL(fileURLWithPath: scratch.file("in")))
    let result = try Command.shell(
      script + "; while [ ! -e status ]; do sleep 0.01; done; cat status", in: scratch.path)
    #expect(result.text == "141\n")
    #expect(result.error.isEmpty)
  }

  @Test(arguments: Sample.all, [SIGINT, SIGTERM, SIGHUP])
  func aSignalKillsByItself(_ sample: Sample, _ signal: Int32) throws {
    let scratch = try ScratchFolder()
    let input = Child.pipe()  // held open by us, so the tool waits
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { for descriptor in [input.read, input.write, null] { close(descriptor) } }
    let child = try Child("exec " + sample.command, in: scratch.path, input: input.read, output: null, error: null)
    // Otherwise the signal would kill the shell, as it kills any program.
    #expect(child.waits(as: sample.tool))
    child.send(signal)
    #expect(child.wait() == 128 + signal)
  }

  // MARK: Input that ends early

  /// In this process: 6000 runs, half of them with a system that moves one byte at a time.
  @Test(arguments: Sample.all.filter(\.runsHere))
  func inputMayEndAtEveryByte(_ sample: Sample) throws {
    let whole = try sample.run()
    #expect(try sample.runHere() == whole, "a process does otherwise")
    #expect(try sample.runHere(.shortAndInterrupted) == whole)
    for cut in 0..<sample.input.count {
      let input = sample.input.prefix(cut)
      let result = try sample.runHere(input: input)
      expectLawfulEnd(result, of: sample, cutAt: cut, whole: whole.output)
      #expect(try sample.runHere(input: input, .shortAndInterrupted) == result, "\(sample.command), cut at \(cut)")
    }
  }

  /// The same with processes: cut at three bytes if the tool has run above, and at every seventh if it cannot
  /// (`runsHere`).
  @Test(arguments: Sample.all)
  func aProcessSaysTheSameOfInputThatEnds(_ sample: Sample) throws {
    let whole = try sample.run().output
    for cut in stride(from: 0, to: sample.input.count, by: sample.runsHere ? sample.input.count / 3 : 7) {
      let result = try sample.run(input: sample.input.prefix(cut))
      expectLawfulEnd(result, of: sample, cutAt: cut, whole: whole)
      if sample.runsHere { #expect(try sample.runHere(input: sample.input.prefix(cut)) == result) }
    }
  }

  private func expectLawfulEnd(_ result: Result, of sample: Sample, cutAt cut: Int, whole: Data) {
    let comment: Comment = "\(sample.command), cut at \(cut): \(result.status) \(result.error)"
    // An event that is cut is dropped; this must be reported.
    let isInside = result.status == 1 && result.error.hasSuffix(": the input ends inside an event\n")
    // If the input is cut before the first match, the response may be no, or none.
    let mayBeNo = result.status == 1 && (result.output.isEmpty || result.output == Data("0\n".utf8)) || isInside
    #expect(result.status == sample.status || result.status == 2 || mayBeNo, comment)
    // A cut line may be dropped; this must be reported.
    let hasDropped = result.status == 1 && result.error.contains(": dropped: ")
    #expect(result.error.isEmpty == (result.status != 2 && !hasDropped && !isInside), comment)
    #expect(result.error.split(separator: "\n").count <= 1, comment)
    if result.status == 2 { #expect(result.error.hasPrefix("\(sample.tool): -:"), comment) }
    // Everything complete before the end has been printed, and nothing else.
    if sample.isLive { #expect(whole.starts(with: result.output), comment) }
    if !sample.isLive && result.status == 2 { #expect(result.output.isEmpty, comment) }
  }

  /// In this process: the disk is full after each byte of the output.
  @Test(arguments: Sample.all.filter { $0.runsHere && $0.prints })
  func aDiskMayFillUpAtEveryByte(_ sample: Sample) throws {
    let whole = try sample.runHere().output
    for room in 0..<whole.count {
      let result = try sample.runHere(Faults(room: room))
      #expect(result.status == 2 && result.output == whole.prefix(room), "room for \(room)")
      #expect(result.error == "\(sample.tool): standard output: no space left on device\n")
    }
  }

  /// With processes: reads and writes of one byte, every second one interrupted, and a disk that fills up.
  @Test(arguments: Sample.all)
  func badReadsAndWritesChangeNothing(_ sample: Sample) throws {
    guard let library = try Preload.library("faults") else { return }
    let whole = try sample.run()
    let result = try sample.run(environment: Preload.environment(library, into: sample.tool, ["FAULTS": "short eintr"]))
    #expect(result == whole && result.status == sample.status && result.error.isEmpty)
    guard sample.prints else { return }
    let room = whole.output.count - 1
    let full = try sample.run(
      environment: Preload.environment(library, into: sample.tool, ["FAULTS": "enospc=\(room)"]))
    #expect(full.status == 2 && full.output == whole.output.prefix(room))
    #expect(full.error == "\(sample.tool): standard output: no space left on device\n")
  }

  // MARK: Output that is live

  /// Every record is printed before the next one is read.
  @Test(arguments: Sample.all.filter(\.isLive))
  func outputDoesNotWaitForMoreInput(_ sample: Sample) throws {
    let whole = try sample.run().output
    let scratch = try ScratchFolder()
    let (input, output) = (Child.pipe(), Child.pipe())
    let child = try Child("exec " + sample.command, in: scratch.path, input: input.read, output: output.write, error: 2)
    close(input.read)
    close(output.write)
    try FileHandle(fileDescriptor: input.write).write(contentsOf: sample.input)
    // All of the input is there, without its end: all of the output must come.
    var found = Data()
    while found.count < whole.count {
      let part = FileHandle(fileDescriptor: output.read).availableData
      if part.isEmpty { break }
      found += part
    }
    #expect(found == whole)
    close(input.write)
    #expect(child.wait() == 0)
    close(output.read)
  }
}
