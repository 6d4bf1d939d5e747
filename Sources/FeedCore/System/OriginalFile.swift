/// A file as it was before it is replaced, to restore it if a later step fails. Nothing remains on the disk, because
/// only the open file is kept.
package struct OriginalFile: ~Copyable {
  private let path: [UInt8]
  private let file: Descriptor?
  private let wasThere: Bool

  package init(_ path: [UInt8]) {
    self.path = path
    wasThere = Descriptor.status(of: path) != nil
    let isFile = Descriptor.status(of: path).map { $0.st_mode & S_IFMT == S_IFREG } == true
    file = isFile ? try? Descriptor.open(reading: path) : nil
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
