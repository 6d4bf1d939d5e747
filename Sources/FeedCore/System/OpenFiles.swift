/// How many descriptors the process may have open.
package enum OpenFiles {
  /// Raises the limit to `count`, or as far as the system allows, if it is lower.
  /// - Returns: the limit after that.
  package static func raiseLimit(to count: Int) -> Int {
    var limit = rlimit()
    guard unsafe getrlimit(Platform.openFiles, &limit) == 0 else { return 0 }
    let wanted = rlim_t(count)
    if limit.rlim_cur >= wanted { return Int(clamping: limit.rlim_cur) }
    // First try to raise the hard limit, which only root may do.
    var raised = limit
    raised.rlim_cur = wanted
    raised.rlim_max = max(limit.rlim_max, wanted)
    if unsafe setrlimit(Platform.openFiles, &raised) == 0 { return count }
    raised.rlim_cur = min(wanted, limit.rlim_max)
    raised.rlim_max = limit.rlim_max
    if unsafe setrlimit(Platform.openFiles, &raised) == 0 { return Int(clamping: raised.rlim_cur) }
    return Int(clamping: limit.rlim_cur)
  }
}
