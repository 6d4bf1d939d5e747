import FeedCore

paginate.main { (invocation, streams) throws(ToolFailure) in
  let settings = try Options(invocation, streams)
  if let store = settings.store, store.action != .walk {
    let view = try StoredView(store, settings, streams)
    return try view.run()
  }
  switch settings.source {
  case .url(let url):
    if let store = settings.store {
      let walk = try StoredWalk(url, store, settings, streams)
      return try walk.run()
    }
    var walk = try ServerWalk(url, settings, streams)
    return try walk.run()
  case .file(let file):
    var walk = try LocalWalk(file, settings, streams)
    return try walk.run()
  }
}
