import Foundation
import TestSupport

/// A command that does not end by itself, and gets a signal after it has printed the awaited text.
struct Interrupted {
  /// All that it and its children printed, on standard output and standard error.
  let text: String
  let status: Int32

  /// - Parameter meanwhile: what to do before the signal.
  init(
    _ command: String, by signal: Int32, after sign: String, in folder: String, environment: [String: String],
    meanwhile: () throws -> Void = {}
  ) throws {
    let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let (read, write) = Child.pipe()
    defer { for descriptor in [input, read] { close(descriptor) } }
    let child = try Child(
      "exec " + command, in: folder, input: input, output: write, error: write, environment: environment)
    close(write)
    let output = FileHandle(fileDescriptor: read)
    var bytes = Data()
    while !String(decoding: bytes, as: UTF8.self).contains(sign) {
      let more = output.availableData
      guard !more.isEmpty else { break }
      bytes += more
    }
    try meanwhile()
    child.send(signal)
    // The pipe ends when the last process that could write to it has ended: servers, curl, sleep and all.
    bytes += output.readDataToEndOfFile()
    text = String(decoding: bytes, as: UTF8.self)
    status = child.wait()
  }
}
