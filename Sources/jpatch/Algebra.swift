import FeedCore

// Patches without a document.

extension PatchCommand {
  /// `--compose` makes one patch of several, `--invert` makes the one that takes them back.
  func combine() throws(ToolFailure) -> ExitStatus {
    let patches = try NamedPatch.read(options, streams)
    if options.mode == .compose { try requireOneType(patches) }
    let result =
      if options.mode == .invert { try invert(patches) } else if patches.contains(where: \.isMerge) {
        try composeMergePatches(patches)
      } else { composeJSONPatches(patches) }
    var output = ByteWriter(streams.output, records: .filter)
    write(result, to: &output)
    output.endLine()
    try output.flushOutput()
    return .yes
  }

  /// The message is about the first file that differs from those before it: it may be there by mistake.
  private func requireOneType(_ patches: [NamedPatch]) throws(ToolFailure) {
    guard let first = patches.first, let other = patches.first(where: { $0.isMerge != first.isMerge }) else { return }
    let (type, before) = other.isMerge ? ("merge patch", "JSON Patch") : ("JSON Patch", "merge patch")
    throw .failed(.no, "a \(type) cannot be joined with the \(before) in \(first.source)", source: other.source)
  }

  private func composeJSONPatches(_ patches: [NamedPatch]) -> PatchInput {
    var composition = PatchComposition(maxDepth: options.maxDepth)
    for case .operations(let patch) in patches.map(\.patch) { composition.append(patch) }
    return .operations(composition.patch)
  }

  private func composeMergePatches(_ patches: [NamedPatch]) throws(ToolFailure) -> PatchInput {
    var composition = MergeComposition()
    for item in patches {
      guard case .merge(let patch) = item.patch else { continue }
      do { try composition.append(patch) } catch { throw .failed(.error, error.message(), source: item.source) }
    }
    let text: [UInt8]
    do { text = try composition.text() } catch {
      throw .failed(.no, error.message, source: patches[error.patch - 1].source)
    }
    return .merge(JSONDocument(known: text).root)
  }

  private func invert(_ patches: [NamedPatch]) throws(ToolFailure) -> PatchInput {
    var inversion = PatchInversion()
    for item in patches {
      guard case .operations(let patch) = item.patch else {
        throw .failed(.no, "a merge patch cannot be inverted: it does not have the old values", source: item.source)
      }
      do { try inversion.append(patch) } catch { throw .failed(.no, error.message(), source: item.source) }
    }
    return .operations(inversion.patch)
  }

  /// Without a layout option: a line for each operation, or for each member of a merge patch.
  private func write(_ patch: PatchInput, to output: inout ByteWriter) {
    switch patch {
    case .operations(let patch):
      guard let layout = options.layout else { return patch.write(compact: false, to: &output) }
      var text = ByteWriter()
      patch.write(compact: true, to: &text)
      JSONWriter.write(text.take().span, in: layout, to: &output)
    case .merge(let value): JSONWriter.write(JSONTree(value), in: options.layout ?? .indented(2), to: &output)
    }
  }
}
