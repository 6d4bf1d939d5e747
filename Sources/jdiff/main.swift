import FeedCore

jdiff.main(run)

package func run(_ invocation: Invocation, _ streams: StandardStreams) throws(ToolFailure) -> ExitStatus {
  let options = try Options(invocation)
  if options.follows {
    var follow = try DiffFollow(options, streams)
    return try follow.run()
  }
  return try DocumentPair(options: options, streams: streams).run()
}
