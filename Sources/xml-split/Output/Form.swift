import FeedCore

/// How each element is printed. A form holds only what it needs.
enum Form {
  /// The unchanged text of each, then the terminator.
  case verbatim(terminator: UInt8)
  case oneLine(terminator: UInt8)
  /// A line of JSON for each.
  case json(JSONForm)
  /// A row of values for each.
  case table(TableForm)
  /// An event record for each, with this form as data, or with its text.
  case records(id: Field?, JSONForm?, RecordStamp)
  /// Only how many there are.
  case count
  /// Only the names of the files that were written.
  case files(FileForm, terminator: UInt8)
}

extension Form {
  /// Whether elements are written as XML, which needs the namespace declarations around them.
  var isXML: Bool {
    switch self {
    case .verbatim, .oneLine, .files, .records(_, nil, _): true
    case .json, .table, .records, .count: false
    }
  }

  /// Whether each record has the text of the element as it is, but without the declarations of the document.
  var copiesText: Bool {
    if case .records(_, nil, _) = self { true } else { false }
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
  /// An object of values.
  case fields([Column], Column.Joining?, limit: Int)
}

/// How elements are written to files (--files).
struct FileForm {
  enum FileContent {
    /// One element, as a document.
    case document
    /// Elements in a root element like the one that they came from.
    case wrapped
    /// Elements without a root element.
    case bare
  }

  let pattern: FileNamePattern
  let content: FileContent
  let limit: FileLimit
  /// Whether each file is synced, with its folder, before the next element is read.
  let isDurable: Bool
}

/// The most that a file holds (--per-file).
enum FileLimit {
  case elements(Int)
  /// The size of the whole file. A single element may be larger.
  case bytes(Int)
}
