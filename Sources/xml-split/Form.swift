// What is printed of each element. A form holds what it needs, and nothing else.

import FeedCore

enum Form {
  /// Each as it is, then the terminator.
  case verbatim(terminator: UInt8)
  case oneLine(terminator: UInt8)
  /// A line of JSON each.
  case json(JSONForm)
  /// A row of values each, with tabs between.
  case table([Field], hasHeader: Bool)
  /// An event record each.
  case records(id: Field?, data: RecordData, RecordStamp)
  /// Nothing but the names of the files that were written.
  case files(FileForm, terminator: UInt8)
}

extension Form {
  /// The depth of the outermost element whose namespace declarations an element takes along: where it is put into a root
  /// element again, it has those of the root.
  var outermostInherited: Int {
    if case .files(let form, _) = self, case .wrapped = form.content { 2 } else { 1 }
  }
}

/// An element as a JSON value.
enum JSONForm {
  /// All that is in it.
  case whole(ElementJSON)
  /// An object of these.
  case fields([Field])
}

/// The `data` of an event record.
enum RecordData {
  /// The text of the element.
  case xml
  case json(JSONForm)
}

/// What becomes of elements in files (--files).
struct FileForm {
  enum Content {
    /// One element, which is a document.
    case document
    /// This many elements, in a root element like the one that they came in.
    case wrapped(Int)
    /// This many elements, and nothing around them.
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
