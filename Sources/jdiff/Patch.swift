// A patch as it will be printed, and the proof that it is right.

import FeedCore

enum Patch {
  case operations(JSONPatch)
  /// A merge patch as compact JSON.
  case merge([UInt8])

  /// Writes it on one line, or with one operation or member a line.
  func write(compact: Bool, to output: inout ByteWriter) {
    switch self {
    case .operations(let patch): patch.write(compact: compact, to: &output)
    case .merge(let text) where compact: output.append(text)
    case .merge(let text):
      JSONWriter.writeIndented(JSONTree(JSONDocument(known: text).root), by: 2, to: &output)
    }
  }

  /// As compact JSON.
  var document: JSONDocument {
    var writer = ByteWriter()
    write(compact: true, to: &writer)
    return JSONDocument(known: writer.take())
  }

  /// What the patch makes of a document.
  func applied(to document: JSONDocument) throws(PatchFailure) -> JSONDocument {
    var options = PatchOptions()
    options.maxSize = .max
    options.maxDepth = .max
    var tree = JSONTree(document.root)
    var undo: UndoLog?
    switch self {
    case .operations(let patch): try patch.apply(to: &tree, options, undo: &undo)
    case .merge(let text): try MergePatch.apply(JSONDocument(known: text).root, to: &tree, options, undo: &undo)
    }
    var writer = ByteWriter()
    JSONWriter.writeCompact(tree, to: &writer)
    return JSONDocument(known: writer.take())
  }

  /// Reads the patch back from its text, applies it, and compares.
  /// - Throws: when it does not lead from one to the other.
  func verify(from old: Side, to new: Side, _ scope: Scope) throws(ToolFailure) {
    let problem: String
    do throws(Defect) {
      let result = try reread().applied(to: old.whole, scope)
      var sides = Sides(old: result, new: new)
      if sides.areEqual(0, 0) { return }
      problem = "the result is another document"
    } catch {
      problem = error.message
    }
    throw .failed(.trouble, Self.defect + problem)
  }

  static let defect = "the patch is wrong, which is a defect of jdiff: "

  private struct Defect: Error {
    let message: String
  }

  private func reread() throws(Defect) -> Patch {
    let text = document
    guard case .operations = self else { return .merge(text.bytes) }
    do { return .operations(try JSONPatch(text.root, maxOperations: .max)) } catch {
      throw Defect(message: error.message)
    }
  }

  private func applied(to document: JSONDocument, _ scope: Scope) throws(Defect) -> Side {
    let result: JSONDocument
    do { result = try applied(to: document) } catch { throw Defect(message: error.message) }
    do { return try Side(result, scope) } catch { throw Defect(message: error.message) }
  }
}
