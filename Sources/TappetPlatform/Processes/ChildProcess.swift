// A helper program that inherits a single descriptor: starting it, sending signals to it, and waiting for its end.

import CPlatform
import TappetBase

/// A running child.
///
/// Must be used on one thread only. Releasing this object does not end the child: the owner kills and reaps it.
package final class ChildProcess {
  /// The number of the inherited descriptor in the child.
  package static let inheritedDescriptor: Int32 = 3

  /// Process id of the child; must not be used once `reap` has returned how the child ended.
  package let id: pid_t
  private var end: ProcessEnd?

  private init(_ id: pid_t) { self.id = id }

  /// Starts `executable` and does not wait for it.
  ///
  /// The child's standard input is /dev/null; its output is inherited. `inherited`, whose number must be at least
  /// `inheritedDescriptor`, gets that number; all other descriptors are closed, including those that a host program
  /// left open without close-on-exec. No signal is blocked or ignored. The child gets the environment variables whose
  /// names start with one of `variables`.
  @export(interface)
  package static func spawn(
    _ executable: String, _ arguments: [String], variables: [String], inherited: FileDescriptor
  ) throws(SystemError) -> ChildProcess {
    var actions = posix_spawn_file_actions_t()
    try returned(posix_spawn_file_actions_init(&actions))
    defer { posix_spawn_file_actions_destroy(&actions) }
    try returned(posix_spawn_file_actions_adddup2(&actions, inherited.number, inheritedDescriptor))
    try returned(posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0))
    try returned(posix_spawn_file_actions_addclosefrom_np(&actions, inheritedDescriptor + 1))

    var attributes = posix_spawnattr_t()
    try returned(posix_spawnattr_init(&attributes))
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    try returned(posix_spawnattr_setsigmask(&attributes, &signals))
    sigfillset(&signals)
    try returned(posix_spawnattr_setsigdefault(&attributes, &signals))
    try returned(posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)))

    var id: pid_t = 0
    let code = withCStrings([executable] + arguments) { arguments in
      withCStrings(environment(variables)) { posix_spawn(&id, executable, &actions, &attributes, arguments, $0) }
    }
    try returned(code)
    return ChildProcess(id)
  }

  /// Returns how the child ended, or `nil` while it is running; the result does not change once the child has ended.
  ///
  /// If other code in this process has reaped the child first, the result is `exited(-1)`.
  @export(interface)
  package func reap() -> ProcessEnd? {
    guard end == nil else { return end }
    var status: Int32 = 0
    do throws(SystemError) {
      guard try checked("waitpid", { waitpid(id, &status, WNOHANG) }) == id else { return nil }
      end = tp_wait_signaled(status) != 0 ? .signaled(tp_wait_signal(status)) : .exited(tp_wait_exit_status(status))
    } catch { end = .exited(-1) }
    return end
  }

  /// Sends a signal, unless the child has ended and its id may have been reused.
  package func signal(_ number: Int32) { if reap() == nil { kill(id, number) } }

  /// Waits at most `limit` for the child to end.
  package func waitForEnd(limit: Duration) {
    guard let process = try? FileDescriptor.make("pidfd_open", { tp_pidfd_open(id) }) else { return }
    _ = Poll.wait(process.number, limit: limit)
  }

  /// Throws the error of a call that returns an errno value.
  private static func returned(_ code: Int32) throws(SystemError) {
    if code != 0 { throw SystemError(call: "posix_spawn", code: code) }
  }

  private static func environment(_ prefixes: [String]) -> [String] {
    var kept: [String] = []
    var next = tp_environ()
    while let pointer = next, let entry = pointer.pointee {
      let text = String(cString: entry)
      if prefixes.contains(where: { text.begins(with: $0) }) { kept.append(text) }
      next = pointer + 1
    }
    return kept
  }
}

/// Calls `body` with `texts` as a null-terminated array of C strings, which is valid only during the call.
package func withCStrings<Result>(
  _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: texts.count + 1)
  for (index, text) in texts.enumerated() { (pointers + index).initialize(to: strdup(text)) }
  (pointers + texts.count).initialize(to: nil)
  defer {
    // All pointers, by index: `body` may have rearranged the array, as getopt does.
    for index in texts.indices { free(pointers[index]) }
    pointers.deallocate()
  }
  return body(pointers)
}
