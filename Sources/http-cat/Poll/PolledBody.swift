// A body that has come as a whole, has been checked, and can be printed.

import FeedCore
import FeedHTTP

struct PolledBody {
  let form: BodyForm
  /// What is printed: JSON on one line, without white space between its tokens; lines without blank ones; bytes.
  let text: [UInt8]
  /// The documents in it: one of JSON, one a line; none of bytes.
  let documents: [JSONDocument]

  /// - Parameter asRecord: whether the body must be text, which a record can hold.
  /// - Throws: what is wrong with the body, status 3.
  init(_ answer: HTTPAnswer, as form: BodyForm, maxDepth: Int, asRecord: Bool) throws(ToolFailure) {
    self.form = form
    switch form {
    case .json:
      let document: JSONDocument
      do { document = try JSONDocument(parsing: answer.body, maxDepth: maxDepth) } catch {
        throw Self.failure(error, in: answer)
      }
      documents = [document]
      text = Self.compact(document)
    case .lines: (text, documents) = try Self.lines(answer, maxDepth)
    case .bytes:
      if asRecord, let offset = UTF8Check.firstInvalid(answer.body.span) {
        let text = "no record can hold this body: invalid UTF-8 at byte \(offset + 1)"
        throw .failed(.otherEnd, text, source: answer.url.display)
      }
      text = answer.body
      documents = []
    }
  }

  /// What makes it equal to another body.
  var digest: [UInt8] { SHA256.digest(text).flatMap(\.hexDigits) }

  func holds(_ condition: Condition) -> Bool { documents.contains { condition.holds(for: $0) } }

  /// Prints the body.
  func write(to output: inout ByteWriter) {
    output.append(text)
    if form == .json { output.endLine() } else { output.markRecord() }
  }

  /// Prints the body as the `data` of a record: a document, an array of those on the lines, or a string.
  func writeData(to output: inout ByteWriter) {
    switch form {
    case .json: output.appendDocument(JSONTree(documents[0].root))
    case .lines:
      for (index, document) in documents.enumerated() {
        output.append(index == 0 ? "[" : ",")
        JSONWriter.writeCompact(JSONTree(document.root), to: &output)
      }
      output.append(documents.isEmpty ? "[]" : "]")
    case .bytes: JSONString.write(text.span, to: &output)
    }
  }

  static func compact(_ document: JSONDocument) -> [UInt8] {
    if document.isCompact { return document.root.text }
    var output = ByteWriter()
    JSONWriter.writeCompact(JSONTree(document.root), to: &output)
    return output.take()
  }

  private static func lines(
    _ answer: HTTPAnswer, _ maxDepth: Int
  ) throws(ToolFailure) -> (text: [UInt8], documents: [JSONDocument]) {
    var text: [UInt8] = []
    var documents: [JSONDocument] = []
    text.reserveCapacity(answer.body.count)
    for line in answer.body.split(separator: UInt8(ascii: "\n")) {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      if line.allSatisfy(\.isWhiteSpace) { continue }
      do { documents.append(try JSONDocument(parsing: Array(line), maxDepth: maxDepth)) } catch {
        throw failure(JSONError(error.kind, at: line.startIndex + error.offset), in: answer)
      }
      text += line
      text.append(UInt8(ascii: "\n"))
    }
    return (text, documents)
  }

  private static func failure(_ error: JSONError, in answer: HTTPAnswer) -> ToolFailure {
    let source = answer.url.display
    let failure: ToolFailure =
      AnswerForm.name(of: answer.body).map { .failed(.otherEnd, "expected JSON, found \($0)", source: source) }
      ?? .malformed(error, in: answer.body, of: source, status: .otherEnd)
    return failure.saying { $0.hidingSecrets(of: answer.request, and: []) }
  }
}
