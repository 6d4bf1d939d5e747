import Foundation
import TestSupport
import Testing

@testable import xml_split

/// What the tool takes out, held against what others read in the same documents (Tests/Fixtures/xml/oracle.py).
@Suite struct OracleTests {
  static let drafts = 300
  /// The documents of the suite that must have been compared; no fewer, or the test would test nothing.
  static func floor(_ suite: Int) -> Int { drafts + (Repository.conformance == nil ? 0 : suite) }

  /// The root's record is what stands from the start to the end that expat gives; for one in UTF-16, that as UTF-8.
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
