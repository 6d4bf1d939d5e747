// Elements as files (--files): several in each, with the text around them that makes it a document. A file gets its
// name when it is complete, and then the name is printed.

import FeedCore

struct ElementFiles {
  /// The text before and after the elements of a file.
  struct Wrapper {
    var head: [UInt8] = []
    var tail: [UInt8] = []
  }

  private struct Open {
    let name: [UInt8]
    let tail: [UInt8]
    var count = 0
    var spool: Spool
  }

  private let pattern: FileNamePattern
  /// How many elements are in a file.
  private let size: Int
  private var number = 0
  private var open: Open?
  /// Longer than any file system allows.
  private static let longestName = 255
  /// The names used so far, if numbers alone do not make them unique.
  private var names: Set<[UInt8]> = []
  /// Temporary files of killed runs.
  private var leftovers = TemporaryFiles()
  /// The first system error.
  private(set) var failure: ToolFailure?

  init(_ pattern: FileNamePattern, size: Int) {
    self.pattern = pattern
    self.size = size
  }

  /// Adds an element.
  /// - Parameters:
  ///   - tree: the element, if the pattern uses values.
  ///   - start: its offset, for errors.
  ///   - wrapper: for a file that begins with it.
  /// - Returns: the name of the file that it completes.
  mutating func append(
    _ element: [UInt8], _ tree: ElementTree, at start: Int, wrapper: Wrapper
  ) throws(XMLError) -> [UInt8]? {
    if open == nil { try begin(tree, at: start, wrapper) }
    add(element)
    open?.count += 1
    return open?.count == size ? finish() : nil
  }

  private mutating func begin(_ tree: ElementTree, at start: Int, _ wrapper: Wrapper) throws(XMLError) {
    let name: [UInt8]
    do { name = try pattern.name(number + 1, tree) } catch {
      let what = error.isEmpty ? "an element with an empty" : "an element without"
      throw XMLError("\(what) '\(quoted(error.field))', which the name of its file needs", at: start)
    }
    if pattern.usesValues, !names.insert(name).inserted {
      throw XMLError("a second file '\(shortened(name))'", at: start)
    }
    guard name.count - (name.lastIndex(of: UInt8(ascii: "/")) ?? -1) - 1 <= Self.longestName else {
      throw XMLError("a file name of more than \(Self.longestName) bytes", at: start)
    }
    number += 1
    open = Open(name: name, tail: wrapper.tail, spool: Spool(beside: name))
    add(wrapper.head)
  }

  private mutating func add(_ bytes: [UInt8]) {
    do { try open?.spool.append(bytes) } catch { fail(error) }
  }

  /// Completes the open file.
  /// - Returns: its name; nil if no file is open, or if it could not be written.
  mutating func finish() -> [UInt8]? {
    guard failure == nil, var file = open else { return nil }
    open = nil
    defer { file.spool.close() }
    leftovers.sweep(beside: file.name)
    do throws(SystemError) {
      try AtomicFile.replace(file.name) { (writer) throws(SystemError) in
        try file.spool.copy(to: &writer)
        writer.append(file.tail)
      }
      return file.name
    } catch {
      failure = .system(error, quoted(file.name))
      return nil
    }
  }

  private mutating func fail(_ error: SystemError) {
    if failure == nil, let open { failure = .system(error, quoted(open.name)) }
  }
}
