import Foundation
import TestSupport

/// A command that does not end by itself, and is sent a signal when it has printed what is waited for.
struct Interrupted {
  /// All that it and its children ever printed, on standard output and standard error.
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
    // The end of the pipe comes when the last process that could write to it is gone: servers, curl, sleep and all.
    bytes += output.readDataToEndOfFile()
    text = String(decoding: bytes, as: UTF8.self)
    status = child.wait()
  }
}
