// Makes an RFC 6902 patch of changes.

extension Differ {
  /// The changes as operations, each after a `test` if that was asked for.
  package func patch() -> JSONPatch {
    var patch = JSONPatch()
    for change in changes {
      let path = pointer(change.parent, change.token)
      if options.addsTests, change.kind == .remove || change.kind == .replace {
        patch.operations.append(.test(path, equals: JSONTree(old.value(change.old))))
      }
      switch change.kind {
      case .add: patch.operations.append(.add(JSONTree(new.value(change.new)), at: path))
      case .remove: patch.operations.append(.remove(path))
      case .replace: patch.operations.append(.replace(path, with: JSONTree(new.value(change.new))))
      case .move: patch.operations.append(.move(pointer(change.parent, .index(change.from)), to: path))
      }
    }
    return patch
  }

  private func pointer(_ parent: Int, _ token: ReferenceToken) -> JSONPointer {
    JSONPointer(tokens: (paths.way(to: parent).map(\.token) + [token]).compactMap(referenceToken))
  }

  private func referenceToken(_ token: ReferenceToken) -> [UInt8]? {
    switch token {
    case .root: nil
    case .oldName(let name): JSONString.decoded(old.value(name))
    case .newName(let name): JSONString.decoded(new.value(name))
    case .index(let index): Array(String(index).utf8)
    }
  }

  /// The last token of the pointer to a container in the old document; nil for the whole document.
  package func oldToken(_ path: Int) -> [UInt8]? {
    if case .index = paths[path].token { return Array(String(paths[path].oldIndex).utf8) }
    return referenceToken(paths[path].token)
  }
}
