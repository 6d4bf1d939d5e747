// deliver's options: the table, and the settings that they make.

import FeedCore

let deliver = ToolSpec(
  "deliver", "Pass records to a command in batches, and lose none",
  synopsis: ["[options] [--] COMMAND [ARG ...]"], operands: .command, options: Flag.self)

enum Flag: ToolOption {
  case recordsIn, raw
  case batch, batchBytes, batchTime
  case refused, timeout, grace, maxBackoff, retries, dead, maxDead
  case checkpoint, wait
  case silent, verbose
  case maxSize

  var group: OptionGroup {
    switch self {
    case .recordsIn, .raw: OptionGroup("Input")
    case .batch, .batchBytes, .batchTime: OptionGroup("Batches")
    case .refused, .timeout, .grace, .maxBackoff, .retries, .dead, .maxDead:
      OptionGroup("Refusals and retries")
    case .checkpoint, .wait: OptionGroup("Checkpoint")
    case .silent, .verbose: OptionGroup("Messages")
    case .maxSize: .limits
    }
  }

  var spec: OptionSpec {
    switch self {
    case .recordsIn: OptionSpec("records-in", "read event records instead of lines")
    case .raw:
      OptionSpec("raw", "r", "give COMMAND only the data of the records").needs("records-in", "checkpoint")

    case .batch: OptionSpec("batch", .integer(1...Int(Int32.max)), "the most records in a batch").default("100")
    case .batchBytes:
      OptionSpec("batch-bytes", .size, "the most bytes in a batch; a longer record goes alone").default("1M")
    case .batchTime:
      OptionSpec("batch-time", .seconds, "wait this long after the first record of a batch").default("1")

    case .refused:
      OptionSpec("refused", .exitStatuses, "exit statuses that mean: do not try this again").default("65,100")
    case .timeout: OptionSpec("timeout", .seconds, "end COMMAND if it takes longer; 0 means never").default("300")
    case .grace: OptionSpec("grace", .seconds, "how long COMMAND may continue when it must end").default("10")
    case .maxBackoff: OptionSpec("max-backoff", .duration, "the longest wait between two tries").default("60")
    case .retries: OptionSpec("retries", .integer(0...Int.max), "give up a batch after N retries in a row")
    case .dead: OptionSpec("dead", .appended, "append refused records to FILE, and continue")
    case .maxDead:
      OptionSpec("max-dead", .integer(0...Int.max), "end if more than N records in a row are refused")
        .default("100").needs("dead")

    case .checkpoint: OptionSpec("checkpoint", .wholeFile, "keep the ID of the last record taken in FILE")
    case .wait:
      OptionSpec("wait", .seconds, "wait this long for the lock of the checkpoint").default("30").needs("checkpoint")

    case .silent: OptionSpec("silent", "s", "report only the error that ends the program").excludes("verbose")
    case .verbose: OptionSpec("verbose", "v", "report each batch and each failed try")

    case .maxSize: OptionSpec("max-size", .size, "the most bytes of a line").default("64M")
    }
  }
}

extension OptionType {
  /// Exit statuses of a program, a `Set<Int32>`; not those that say that it cannot be run.
  fileprivate static let exitStatuses = OptionType("LIST") { bytes throws(OptionRefusal) in
    var statuses: Set<Int32> = []
    for part in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      guard let status = Int32(decimal: part), 1...255 ~= status, status != 126, status != 127 else {
        throw .expected("statuses from 1 to 255 such as 65,100, without 126 and 127", found: bytes)
      }
      statuses.insert(status)
    }
    return statuses
  }

  /// A file to append to.
  fileprivate static let appended = text("FILE", "a file", .file) { !$0.isEmpty && $0 != [UInt8(ascii: "-")] }
}

/// The settings of a command line. Times, in seconds, and limits that have a default get it from the table.
struct Options {
  var command: [[UInt8]]
  /// Whether each line is an event record.
  var readsRecords = false
  var isRaw = false
  var batchCount = 0
  var batchBytes = 0
  var batchTime = 0.0
  var refused: Set<Int32> = []
  /// In seconds; 0 for no limit.
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

  init(_ invocation: Invocation) throws(ToolFailure) {
    command = invocation.operands
    if command.first?.isEmpty ?? true { throw .usage("no COMMAND given") }
    for (flag, value) in try invocation.options(Flag.self) { try set(flag, value) }
    if checkpoint != nil { readsRecords = true }
    if let dead, let checkpoint, LockFile.realPath(dead) == LockFile.realPath(checkpoint) {
      throw .usage("--\(Flag.dead.spec.name) and --\(Flag.checkpoint.spec.name) name the same file")
    }
  }

  private mutating func set(_ flag: Flag, _ value: OptionValue) throws(ToolFailure) {
    switch flag {
    case .recordsIn: readsRecords = true
    case .raw: isRaw = true
    case .batch: batchCount = try value.get()
    case .batchBytes: batchBytes = try value.get()
    case .batchTime: batchTime = try value.get()
    case .refused: refused = try value.get()
    case .timeout: timeout = try value.get()
    case .grace: grace = try value.get()
    case .maxBackoff: maxBackoff = try value.get()
    case .retries: retries = try value.get()
    case .dead: dead = value.bytes
    case .maxDead: maxDead = try value.get()
    case .checkpoint: checkpoint = value.bytes
    case .wait: wait = try value.get()
    case .silent: isSilent = true
    case .verbose: isVerbose = true
    case .maxSize: maxSize = try value.get()
    }
  }
}
