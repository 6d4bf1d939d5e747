// How each element is printed. A form holds only what it needs.

import FeedCore

enum Form {
  /// The unchanged text of each, then the terminator.
  case verbatim(terminator: UInt8)
  case oneLine(terminator: UInt8)
  /// A line of JSON for each.
  case json(JSONForm)
  /// A row of values for each, separated by tabs.
  case table([Field], hasHeader: Bool)
  /// An event record for each.
  case records(id: Field?, data: RecordData, RecordStamp)
  /// Only the names of the files that were written.
  case files(FileForm, terminator: UInt8)
}

extension Form {
  /// Whether each record has the text of the element as it is, but without the declarations of the document.
  var copiesText: Bool {
    if case .records(_, .xml, _) = self { true } else { false }
  }

  /// The depth of the outermost element whose namespace declarations an element inherits. If elements are put into a
  /// root element again, that has the declarations of the root.
  var outermostInherited: Int {
    if case .files(let form, _) = self, case .wrapped = form.content { 2 } else { 1 }
  }
}

/// An element as a JSON value.
enum JSONForm {
  /// The whole element.
  case whole(ElementJSON)
  /// An object of these fields.
  case fields([Field])
}

/// The `data` of an event record.
enum RecordData {
  /// The text of the element.
  case xml
  case json(JSONForm)
}

/// How elements are written to files (--files).
struct FileForm {
  enum Content {
    /// One element, as a document.
    case document
    /// This many elements, in a root element like the one that they came from.
    case wrapped(Int)
    /// This many elements, without a root element.
    case bare(Int)
  }

  let pattern: FileNamePattern
  let content: Content

  /// How many elements are in a file.
  var size: Int {
    switch content {
    case .document: 1
    case .wrapped(let size), .bare(let size): size
    }
  }
}
