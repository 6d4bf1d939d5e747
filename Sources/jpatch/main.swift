import FeedCore

jpatch.main(run)

func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  let options = try Options(invocation)
  switch options.mode {
  case .one: return try OneDocument(options: options, streams: streams).run()
  case .each: return try EachDocument(options: options, streams: streams).run()
  case .compose, .invert: return try Algebra(options: options, streams: streams).run()
  case .threeWay: return try ThreeDocuments(options: options, streams: streams).run()
  case .follow:
    var follow = PatchFollow(options, streams)
    return try follow.run()
  }
}
