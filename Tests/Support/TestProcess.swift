// A child process of a test. Not Foundation's Process: its children inherit the blocked signals of a dispatch thread,
// and a mosquitto that never hears SIGTERM never ends.

import Foundation

/// A running program, ended and reaped with its holder.
package final class TestProcess {
  package struct NotStarted: Error { var code: Int32 }

  package let id: pid_t
  private var isReaped = false

  /// Starts `arguments[0]`, looked up in PATH and where Debian keeps its servers; its output goes to `output`.
  package init(_ arguments: [String], output: String = "/dev/null") throws {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&files, 1, 2)
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/usr/local/sbin"
    var words = (["env"] + arguments).map { strdup($0) } + [nil]
    var environment = [strdup("PATH=" + path), nil]
    defer { (words + environment).forEach { free($0) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, "env", &files, &attributes, &words, &environment)
    guard code == 0 else { throw NotStarted(code: code) }
    self.id = id
  }

  deinit { stop(SIGTERM) }

  /// Sends `signal`.
  package func send(_ signal: Int32) { if !isReaped { kill(id, signal) } }

  /// Sends `signal`, waits for the end, and after 5 s makes it.
  package func stop(_ signal: Int32) {
    guard !isReaped else { return }
    send(signal)
    if !ends(within: 5) {
      send(SIGKILL)
      _ = ends(within: 5)
    }
  }

  /// Whether it ends by itself within the time.
  package func ends(within seconds: Double) -> Bool { waitUntil(seconds: seconds) { self.reap() } }

  private func reap() -> Bool {
    var status: Int32 = 0
    if !isReaped { isReaped = waitpid(id, &status, WNOHANG) != 0 }
    return isReaped
  }
}
