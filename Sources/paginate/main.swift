import FeedCore

paginate.main(run)

package func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  let options = try Options(invocation, streams)
  if let store = options.store, store.action != .walk {
    let view = try StoredView(store, options, streams)
    return try view.run()
  }
  switch options.source {
  case .url(let url):
    if let store = options.store {
      if let interval = store.interval {
        var poll = try StoredPoll(url, store, every: interval, options, streams)
        return try poll.run()
      }
      let walk = try StoredWalk(.url(url), store, options, streams)
      var state = try PollState(options)
      return try walk.run(&state)
    }
    var walk = try ServerWalk(url, options, streams)
    return try walk.run()
  case .file(let file):
    if let store = options.store { return try StoredWalk.run(file, store, options, streams) }
    var walk = try LocalWalk(file, options, streams)
    return try walk.run()
  }
}
