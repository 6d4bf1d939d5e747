import FeedCore

jpatch.main(run)

package func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  let options = try Options(invocation)
  let command = PatchCommand(options: options, streams: streams)
  switch options.mode {
  case .one: return try command.patchOne()
  case .each: return try command.patchEach()
  case .compose, .invert: return try command.combine()
  case .threeWay: return try command.merge()
  case .follow:
    var follow = PatchFollow(options, streams)
    return try follow.run()
  }
}
