// deliver's options: the table, and the settings that they make.

import FeedCore

package let deliver = ToolSpec(
  "deliver", "Pass records to a command in batches, and lose none",
  synopsis: ["[options] [--] COMMAND [ARG ...]"], operands: .command, options: Options.self)

/// The settings of a command line. Times are in seconds.
struct Options: OptionTable {
  var command: [[UInt8]] = []
  /// Whether each line is an event record.
  var readsRecords = false
  var isRaw = false
  var batchCount = 0
  var batchBytes = 0
  var batchTime = 0.0
  var refused: Set<Int32> = []
  /// 0 for no limit.
  var timeout = 0.0
  var grace = 0.0
  var maxBackoff = 0.0
  var retries: Int?
  var dead: [UInt8]?
  var maxDead = 0
  var checkpoint: [UInt8]?
  var wait = 0.0
  var isSilent = false
  var isVerbose = false
  var maxSize = 0

  static let rows = OptionRows<Self> {
    OptionGroup("Input")
    Option("records-in", \.readsRecords, "read event records instead of lines")
    Option("raw", letter: "r", \.isRaw, "give COMMAND only the data of the records")
      .needs(anyOf: [\.readsRecords, \.checkpoint])

    OptionGroup("Batches")
    Option("batch", .integer(1...Int(Int32.max)), "the most records in a batch") { $0.batchCount = $1 }.default("100")
    Option("batch-bytes", .size, "the most bytes in a batch; a longer record goes alone") { $0.batchBytes = $1 }
      .default("1M")
    Option("batch-time", .seconds, "wait this long after the first record of a batch") { $0.batchTime = $1 }.default(
      "1")

    OptionGroup("Refusals and retries")
    Option("refused", .exitStatuses, "exit statuses that mean: do not try this again") { $0.refused = $1 }.default(
      "65,100")
    Option("timeout", .seconds, "end COMMAND if it takes longer; 0 means never") { $0.timeout = $1 }.default("300")
    Option("grace", .seconds, "how long COMMAND may continue when it must end") { $0.grace = $1 }.default("10")
    Option("max-backoff", .duration, "the longest wait between two tries") { $0.maxBackoff = $1 }.default("60")
    Option("retries", .integer(0...), \.retries, "give up a batch after N retries in a row")
    Option("dead", .wholeFile, \.dead, "append refused records to FILE, and continue")
    Option("max-dead", .integer(0...), "end if more than N records in a row are refused") { $0.maxDead = $1 }.default(
      "100"
    )
    .needs(\.dead)

    OptionGroup("Checkpoint")
    Option("checkpoint", .wholeFile, \.checkpoint, "keep the ID of the last record taken in FILE")
    Option("wait", .seconds, "wait this long for the lock of the checkpoint") { $0.wait = $1 }.default("30")
      .needs(\.checkpoint)

    OptionGroup("Messages")
    Option("silent", letter: "s", \.isSilent, "report only the error that ends the program").excludes(\.isVerbose)
    Option("verbose", letter: "v", \.isVerbose, "report each batch and each failed try")

    OptionGroup.limits
    Option("max-size", .size, "the most bytes of a line") { $0.maxSize = $1 }.default("64M")
  }
}

extension OptionType<Set<Int32>> {
  /// Exit statuses of a program; not those that say that it cannot be run.
  fileprivate static let exitStatuses = Self("LIST") { bytes throws(OptionRefusal) in
    var statuses: Set<Int32> = []
    for part in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let status = Int32(decimal: part), 1...255 ~= status, status != 126, status != 127 else {
        throw .expected("statuses from 1 to 255 such as 65,100, without 126 and 127", found: bytes)
      }
      statuses.insert(status)
    }
    return statuses
  }
}

extension Options {
  init(_ invocation: Invocation) throws(ToolFailure) {
    self.init()
    command = invocation.operands
    if command.first?.isEmpty ?? true { throw .usage("no COMMAND given") }
    try invocation.fill(&self)
    if checkpoint != nil { readsRecords = true }
    if let dead, let checkpoint, LockFile.realPath(dead) == LockFile.realPath(checkpoint) {
      throw .usage("--dead and --checkpoint name the same file")
    }
  }
}
