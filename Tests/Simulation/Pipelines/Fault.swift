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

  static let all: [Fault] = [
    Fault(
      name: "early-checkpoint", pipeline: "follow", promise: "a checkpoint covers only what was printed"),
  ]
}
