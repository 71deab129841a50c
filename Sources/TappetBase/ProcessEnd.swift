// The end of a process, as its parent sees it.

/// How a process ended.
package enum ProcessEnd: Hashable, Sendable {
  /// The process exited with this status.
  case exited(Int32)
  /// The process was terminated by this signal.
  case signaled(Int32)
}
