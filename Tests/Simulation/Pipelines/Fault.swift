// Faults that are planted, to prove that the models would find them: one for each promise. A fault is in the machine, or in
// a wrapper of a tool, and never in Sources.

struct Fault: Equatable {
  let name: String
  let pipeline: String
  /// What it breaks, for people.
  let promise: String

  /// The fault of the history that is being played.
  nonisolated(unsafe) static var planted: Fault?

  static func isPlanted(_ name: String) -> Bool { planted?.name == name }

  static let all = [
    Fault(name: "early-checkpoint", pipeline: "follow", promise: "a checkpoint covers only what was printed"),
    Fault(name: "torn-pair", pipeline: "follow", promise: "document and ID of a checkpoint belong together"),
    Fault(name: "no-sync", pipeline: "follow", promise: "a checkpoint survives a power cut"),
    Fault(name: "late-id", pipeline: "follow", promise: "a connection resumes after the last event"),
    Fault(name: "id-twice", pipeline: "serve", promise: "an ID never names two things"),
    Fault(name: "stale-id", pipeline: "serve", promise: "a client with an ID of another time gets the document"),
    Fault(name: "lost-change", pipeline: "serve", promise: "each client has the document at the end"),
    Fault(name: "early-end", pipeline: "paginate", promise: "no gap is closed before it was read"),
    Fault(name: "lost-commit", pipeline: "paginate", promise: "no item is printed twice"),
    Fault(name: "lost-status", pipeline: "deliver", promise: "a retry forgets no record"),
    Fault(name: "lost-line", pipeline: "deliver", promise: "COMMAND gets each record"),
    Fault(name: "free-lock", pipeline: "deliver", promise: "COMMAND never runs twice at a time"),
    Fault(name: "early-save", pipeline: "poll", promise: "each change that was seen is printed"),
    Fault(name: "amnesia", pipeline: "poll", promise: "each change is printed once"),
    Fault(name: "in-front", pipeline: "next", promise: "what is in the pipe when all is killed comes again"),
    Fault(name: "skipped-item", pipeline: "next", promise: "a connection goes on after the last value"),
    Fault(name: "quiet-gap", pipeline: "next", promise: "what the server has forgotten is reported"),
  ]
}
