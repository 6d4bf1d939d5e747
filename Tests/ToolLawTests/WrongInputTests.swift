import Foundation
import TestSupport
import Testing

/// Input that none of the tools reads.
struct ForeignInput: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: Data

  var testDescription: String { name }

  static let all = [
    ForeignInput(
      name: "HTML", bytes: Data("<!DOCTYPE html>\n<html><body>\n<p>It works</body></html>\n".utf8)),
    ForeignInput(name: "binary", bytes: Data([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 10, 0xFF, 0xFE, 10])),
    ForeignInput(
      name: "gzip", bytes: Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 10])),
    ForeignInput(name: "UTF-16", bytes: Data("{\"a\":1}\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })),
    ForeignInput(name: "prose", bytes: Data("Dear Sir or Madam,\n\nthis is a letter.\n".utf8)),
  ]
}

/// No silent nothing: input that is not empty but has nothing that the tool reads is reported, and is no success.
@Suite struct WrongInputTests {
  /// Without http-cat, whose samples accept lines and bytes of any kind: what it refuses is in its cases.
  static let samples = Sample.all.filter { $0.tool != "http-cat" }

  @Test func thereAreSamples() { #expect(Self.samples.count >= 20) }

  @Test(arguments: samples, ForeignInput.all)
  func isReported(_ sample: Sample, _ foreign: ForeignInput) throws {
    let result = try sample.run(input: foreign.bytes)
    #expect(result.status == 1 || result.status == 2)
    #expect(result.error.hasPrefix("\(sample.tool): "), "\(result.error)")
    #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
    #expect(result.output.isEmpty)
  }

  /// Empty input and white space are not wrong input.
  @Test(arguments: Sample.all.filter(\.isLive), ["\n", "\n \n"])
  func whiteSpaceIsNoReason(_ sample: Sample, _ text: String) throws {
    let result = try sample.run(input: Data(text.utf8))
    #expect(result.error.isEmpty || result.status == 2, "\(result.status) \(result.error)")
  }
}
