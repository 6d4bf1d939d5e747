import Foundation
import TestSupport
import Testing

/// A pipe whose writer stops anywhere: a record is printed as soon as its final `>` is read, and not before.
@Suite struct LiveTests {
  /// The options, the input, and the output that must be there then. The last byte of each input is the `>`.
  static let cases: [(options: String, input: [UInt8], output: String)] = [
    (
      "a", bytes("<r> <a b='>'>1\u{E9}\u{1F600}<![CDATA[</a>]]></a\n >"),
      "<a b='>'>1\u{E9}\u{1F600}<![CDATA[</a>]]></a\n >\n"
    ),
    ("a", bytes("<r><a/>"), "<a/>\n"),
    (
      "a", bytes("<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e ']>'>]><r><!-- </a> --><a>&e;&lt;</a>"),
      "<a>&e;&lt;</a>\n"
    ),
    ("-j a", bytes("<r><a>\u{E9}</a>"), "{\"a\":\"\u{E9}\"}\n"),
    ("-f .,@b a", bytes("<a b='\u{1F600}'>x</a>"), "x\t\u{1F600}\n"),
    ("--records a", bytes("<a>x</a>"), "{\"event\":\"a\",\"data\":\"<a>x</a>\"}\n"),
    ("/a", utf16("<a>\u{E9}\u{1F600}</a>", isBigEndian: true), "<a>\u{E9}\u{1F600}</a>\n"),
    ("/a", utf16("<a>\u{E9}\u{1F600}</a>", isBigEndian: false), "<a>\u{E9}\u{1F600}</a>\n"),
  ]

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
    "\u{FEFF}\(text)".utf16.flatMap {
      isBigEndian ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
    }
  }

  /// Byte by byte, so that characters, references and tags are cut at every place between two reads.
  @Test(arguments: cases.indices)
  func aRecordIsOutWithItsLastByte(_ number: Int) throws {
    let (options, input, expected) = Self.cases[number]
    let scratch = try ScratchFolder()
    let (source, sink) = (Child.pipe(), Child.pipe())
    let child = try Child(
      "exec xml-split \(options) 2>/dev/null", in: scratch.path, input: source.read, output: sink.write, error: 2)
    close(sink.write)
    for byte in input.dropLast() {
      try Self.put(byte, into: source)
      #expect(!Self.isReadable(sink.read, milliseconds: 0), "something is out too early")
    }
    try Self.put(input[input.count - 1], into: source)
    // Nothing more is written before the record is complete.
    var found = Data()
    while found.count < expected.utf8.count, Self.isReadable(sink.read, milliseconds: 20_000) {
      let part = FileHandle(fileDescriptor: sink.read).availableData
      if part.isEmpty { break }
      found += part
    }
    #expect(String(decoding: found, as: UTF8.self) == expected)
    close(source.write)
    close(source.read)
    child.wait()
    close(sink.read)
  }

  /// Writes a byte, and waits until it has been read.
  private static func put(_ byte: UInt8, into pipe: (read: Int32, write: Int32)) throws {
    try FileHandle(fileDescriptor: pipe.write).write(contentsOf: [byte])
    for _ in 0..<20_000 where isReadable(pipe.read, milliseconds: 0) { usleep(1000) }
    #expect(!isReadable(pipe.read, milliseconds: 0), "the tool reads no more")
  }

  private static func isReadable(_ descriptor: Int32, milliseconds: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, milliseconds) > 0
  }

  /// An input cut anywhere gives the complete records and no incomplete one. It gives an error, unless it ended between
  /// two documents.
  @Test func cutAnywhereNoUnfinishedRecordComesOut() throws {
    let text =
      "<?xml version='1.0'?>\n<!DOCTYPE r [<!ENTITY e '>'>]><r><a b=\"1>\">x<c/>&e;</a><!-- <a> --><a/>\u{E9}</r>\r\n<a>]]<?p?></a ><r/>"
    let input = Array(text.utf8)
    let records = ["<a b=\"1>\">x<c/>&e;</a>", "<a/>", "<a>]]<?p?></a >"]
    let between = ["?>", "</r>", "</a >", "<r/>"]
    for cut in 0...input.count {
      let prefix = String(decoding: input[..<cut], as: UTF8.self)
      let result = try Command.shell("xml-split a", input: Data(input[..<cut]))
      let complete = records.filter { prefix.contains($0) }.map { $0 + "\n" }.joined()
      #expect(result.text == complete, "cut at \(cut)")
      let isBetween =
        cut == 0 || between.dropFirst().contains { prefix.hasSuffix($0) } || prefix.hasSuffix("\r")
        || prefix.hasSuffix("</r>\r\n")
      let isError =
        result.status == 2 && (result.error.contains("the input ends") || result.error.contains("invalid UTF-8"))
      #expect(isBetween ? result.status != 2 && result.error.isEmpty : isError, "cut at \(cut): \(result)")
    }
  }
}
