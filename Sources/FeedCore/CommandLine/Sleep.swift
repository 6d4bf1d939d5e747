/// Waits for input on `input`, until `deadline`, or until nobody reads `output`.
/// - Returns: whether there is input.
/// - Throws: in the last case, so that the tool ends as by SIGPIPE.
public func sleep(until deadline: Double, or input: Descriptor?, _ output: Descriptor) throws(ToolError) -> Bool {
  while true {
    let left = deadline - Clock.monotonic()
    if left <= 0 { return false }
    var interests = [Descriptor.Interest(output, .hangUp)]
    if let input { interests.append(.init(input, .input)) }
    let there = Descriptor.wait(for: interests, milliseconds: Int32(min(left, 3600) * 1000 + 1))
    if input != nil && there[1] { return true }
    if there[0] { throw .brokenPipe }
  }
}
