import Foundation
import TestSupport
import Testing

@testable import xml_split

/// Other XML readers: a python with expat and xmltodict, and the documents for it.
enum Oracle {
  /// A python that has the module: the user's, else the system's, for which packages exist. In CI there must be one.
  static func python(with module: String) -> String? {
    let found = ["python3", "/usr/bin/python3"].first {
      (try? Command.shell("\($0) -c 'import \(module)'"))?.status == 0
    }
    precondition(found != nil || !Repository.isCI, "python has no module \(module), and CI=true")
    return found
  }

  static let expat = python(with: "pyexpat")
  static let lxml = python(with: "lxml")
  static let xmltodict = python(with: "xmltodict")

  struct Document {
    let name: String
    let bytes: [UInt8]
  }

  /// The well-formed documents of the W3C suite, and the given number of random ones.
  static func documents(drafts: Int) -> [Document] {
    let suite = Repository.conformance == nil ? [] : ConformanceTests.cases.filter(\.isAccepted)
    return suite.map { Document(name: $0.path, bytes: $0.bytes) }
      + (0..<drafts).map { Document(name: "draft \($0)", bytes: Array(XMLDraft(seed: $0).text.utf8)) }
  }

  /// The tool's output for each document: one record, ended by `end`.
  static func records(of documents: [Document], _ options: String, end: UInt8) throws -> [Data] {
    let scratch = try ScratchFolder()
    for (number, document) in documents.enumerated() {
      try Data(document.bytes).write(to: URL(fileURLWithPath: scratch.file("\(number).xml")))
    }
    let names = documents.indices.map { "\($0).xml" }.joined(separator: " ")
    let result = try Command.shell("xml-split --single \(options) '/*' \(names)", in: scratch.path)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    let records = result.output.split(separator: end, omittingEmptySubsequences: false).dropLast()
    try #require(records.count == documents.count, "\(records.count) records of \(documents.count) documents")
    return Array(records)
  }

  /// Runs `Tests/Fixtures/xml/oracle.py`.
  /// - Parameter items: the items to compare: name, document, and our output.
  /// - Returns: how many were compared.
  static func compare(_ python: String?, _ question: String, _ items: [(Document, Data)]) throws -> Int {
    let lines = items.map { document, ours in
      "\(document.name)\t\(Data(document.bytes).base64EncodedString())\t\(ours.base64EncodedString())\n"
    }
    let result = try Command.shell(
      "\(try #require(python)) \(Command.quote(Repository.path("Tests/Fixtures/xml/oracle.py"))) \(question)",
      input: Data(lines.joined().utf8), environment: ["PYTHONUTF8": "1"])
    return try compared(result, question)
  }

  /// What a script has compared: the number in its last line. The lines before that are differences.
  static func compared(_ result: Result, _ question: String) throws -> Int {
    #expect(result.status == 0, "\(result.error)")
    var reports = result.text.split(separator: "\n")
    let count = reports.popLast().flatMap { $0.hasPrefix("compared ") ? Int($0.dropFirst(9)) : nil }
    for report in reports.prefix(20) { Issue.record("\(question): \(report)") }
    #expect(reports.count <= 20, "and \(reports.count - 20) more")
    return try #require(count)
  }
}
