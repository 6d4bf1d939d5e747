import Foundation
import TestSupport
import Testing

@testable import xml_split

/// Compares the tool's output with that of other programs for the same documents (Tests/Fixtures/xml/oracle.py).
@Suite struct OracleTests {
  static let drafts = 300
  /// How many documents of the suite must have been compared, so that the test cannot pass without testing.
  static func floor(_ suite: Int) -> Int { drafts + (Repository.conformance == nil ? 0 : suite) }

  /// The root's record is the text between the start and end that expat reports; for UTF-16, that text in UTF-8.
  @Test(.enabled(if: Oracle.expat != nil, "there is no python3"))
  func theRootIsWhereExpatFindsIt() throws {
    let documents = Oracle.documents(drafts: Self.drafts)
    let records = try Oracle.records(of: documents, "--no-inherit -0", end: 0)
    let compared = try Oracle.compare(Oracle.expat, "roots", Array(zip(documents, records)))
    #expect(compared >= Self.floor(630))
  }

  @Test(.enabled(if: Oracle.xmltodict != nil, "python3 has no module xmltodict"))
  func jsonIsThatOfXmltodict() throws {
    let documents = Oracle.documents(drafts: Self.drafts)
    let records = try Oracle.records(of: documents, "-j --entities literal", end: UInt8(ascii: "\n"))
    let compared = try Oracle.compare(Oracle.xmltodict, "json", Array(zip(documents, records)))
    #expect(compared >= Self.floor(550))
  }

  @Test(.enabled(if: Oracle.expat != nil, "there is no python3"))
  func orderedJSONLosesNothing() throws {
    let documents = Oracle.documents(drafts: Self.drafts)
    let records = try Oracle.records(of: documents, "-j --ordered --entities literal", end: UInt8(ascii: "\n"))
    let compared = try Oracle.compare(Oracle.expat, "ordered", Array(zip(documents, records)))
    #expect(compared >= Self.floor(355))
  }
}
