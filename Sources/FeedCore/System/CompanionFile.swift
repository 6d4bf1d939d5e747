/// A file that is replaced together with another: for example, the patch that undoes the change of a document. Two
/// renames cannot be atomic, so there is an order:
///
///     1. the new companion is written and synced beside the old one      .undo.json.PID.tmp
///     2. the new document is written and synced too                     .doc.json.PID.tmp
///     3. the old companion gets a second name                            .undo.json.PID.old
///     4. the new companion takes its name                                undo.json
///     5. the new document takes its name                                 doc.json
///     6. the second name is removed
///
/// All that can fail for lack of space is done before anything changes. An error at 5 puts the old companion back. After
/// kill -9 or a power cut between 4 and 5, the document is the old one, and its companion exists under the second name.
/// The other order, 5 before 4, would leave a changed document with the wrong companion. An error at 4 would then come
/// with half of the work done.
package final class CompanionFile {
  private let path: [UInt8]
  private let content: (inout ByteWriter) throws(SystemError) -> Void
  private let calls: SystemCalls
  private var temporary: [UInt8]?
  private var substitution: Substitution?
  /// The error, if it concerns this file; nil if it concerns the other.
  package private(set) var failure: SystemError?

  package init(
    _ path: [UInt8], calls: SystemCalls = .libc, content: @escaping (inout ByteWriter) throws(SystemError) -> Void
  ) {
    (self.path, self.content, self.calls) = (path, content, calls)
  }

  /// Writes the content to a temporary file. A device or pipe is written to at once, because that cannot be undone.
  func prepare() throws(SystemError) {
    do throws(SystemError) {
      if ![nil, S_IFREG].contains(Descriptor.fileType(of: path)) {
        return try AtomicFile(path, calls: calls).replace(with: content)
      }
      let target = AtomicFile.resolved(path)
      let (name, file) = try AtomicFile.write(beside: target, mode: 0o666, calls, content)
      temporary = name
      try file.close()
    } catch {
      discard()
      failure = error
      throw error
    }
  }

  func putInPlace() throws(SystemError) {
    guard let temporary else { return }
    do throws(SystemError) {
      substitution = try Substitution(temporary, for: AtomicFile.resolved(path), calls)
      self.temporary = nil
    } catch {
      failure = error
      throw error
    }
  }

  /// The other file has been replaced.
  func commit() { substitution?.commit() }

  /// The other file could not be replaced.
  func rollBack() {
    substitution?.rollBack()
    discard()
  }

  private func discard() {
    if let temporary { _ = unsafe withPath(temporary) { unsafe unlink($0) } }
    temporary = nil
  }
}

/// A file that has replaced another. The old one is kept until the replacement is final.
struct Substitution {
  private let target: [UInt8]
  /// The second name of the old file; nil if there was none.
  private let aside: [UInt8]?
  private let calls: SystemCalls

  init(_ new: [UInt8], for target: [UInt8], _ calls: SystemCalls) throws(SystemError) {
    self.target = target
    self.calls = calls
    if Descriptor.isFolder(target) { throw SystemError(code: EISDIR) }
    let name = TemporaryFiles.name(beside: target, suffix: ".old")
    _ = unsafe withPath(name) { unsafe unlink($0) }  // left by a killed process that had our process ID
    var aside: [UInt8]? = name
    do throws(SystemError) {
      try AtomicFile.addName(name, of: target, calls)
    } catch {
      if error.code == ENOENT {
        aside = nil
      } else {
        // A file system without hard links: for a moment, no file has the name.
        try AtomicFile.move(target, to: name, calls)
      }
    }
    self.aside = aside
    do throws(SystemError) {
      try AtomicFile.move(new, to: target, calls)
      try AtomicFile.syncFolder(of: target, calls)
    } catch {
      rollBack()
      throw error
    }
  }

  func commit() {
    if let aside { _ = unsafe withPath(aside) { unsafe unlink($0) } }
  }

  func rollBack() {
    guard let aside else {
      _ = unsafe withPath(target) { unsafe unlink($0) }
      return
    }
    // If both names are the same file, rename(2) does nothing, and the second name must be removed.
    do { try AtomicFile.move(aside, to: target, calls) } catch { return }
    commit()
  }
}

/// A file as it was before it is replaced, to restore it if a later step fails. Nothing remains on the disk, because
/// only the open file is kept.
package struct OriginalFile: ~Copyable {
  private let path: [UInt8]
  private let file: Descriptor?
  private let wasThere: Bool

  /// Opens the file as it is now; a path without a file is remembered as such.
  package init(_ path: [UInt8]) {
    self.path = path
    let type = Descriptor.fileType(of: path)
    wasThere = type != nil
    file = type == S_IFREG ? try? Descriptor.open(reading: path) : nil
  }

  deinit { file?.closeQuietly() }

  /// Restores the file, as far as possible.
  package func restore() {
    if let file {
      do {
        try AtomicFile(path).replace { output throws(SystemError) in
          var reader = ByteReader(file)
          while try reader.next() { output.append(reader.chunk) }
        }
      } catch {}
    } else if !wasThere {
      _ = unsafe withPath(AtomicFile.resolved(path)) { unsafe unlink($0) }
    }
  }
}
