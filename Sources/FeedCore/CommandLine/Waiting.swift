/// Waits for input on `input`, until `deadline`, or until nobody reads `output`.
/// - Returns: whether there is input.
/// - Throws: in the last case, so that the tool ends as by SIGPIPE.
package func sleep(until deadline: Double, or input: Descriptor?, _ output: Descriptor) throws(ToolFailure) -> Bool {
  while true {
    let left = deadline - Clock.monotonic()
    if left <= 0 { return false }
    var interests = [Descriptor.Interest(output, .hangUp)]
    if let input { interests.append(.init(input, .input)) }
    let there: [Bool]
    do { there = try Descriptor.wait(for: interests, milliseconds: Int32(min(left, 3600) * 1000 + 1)) } catch {
      throw .waiting(error)
    }
    if input != nil && there[1] { return true }
    if there[0] { throw .brokenPipe }
  }
}

/// Waits for input, or until nobody reads `output`.
/// - Parameters:
///   - deadline: of the monotonic clock; nil for ever.
///   - settle: writes out what was printed; called only when there is nothing to read yet.
/// - Returns: false when the time is up.
/// - Throws: a broken pipe when nobody reads, so that a filter ends when its reader has gone.
@discardableResult
package func waitForInput(
  of input: Descriptor, orHangUpOf output: Descriptor, until deadline: Double? = nil,
  beforeWaiting settle: () throws(ToolFailure) -> Void
) throws(ToolFailure) -> Bool {
  let isThere: Bool
  do { isThere = try input.hasInput } catch { throw .waiting(error) }
  if isThere { return true }
  try settle()
  return try sleep(until: deadline ?? .infinity, or: input, output)
}
