// A child process of a test. Not Foundation's Process: its children inherit the blocked signals of a dispatch thread,
// and a mosquitto that never hears SIGTERM never ends; its bookkeeping is done by threads that a test knows nothing of.

import CPlatform
import Foundation
import TappetCore
import TappetPlatform

/// A running program, ended and reaped with its holder.
package final class TestProcess {
  /// The standard input of a program.
  package enum Input {
    case nothing
    case file(String)
    /// A pipe that `type` writes to.
    case typed
  }

  private static let stateHome = TestFolder.make("state-home")
  package let id: pid_t
  private var end: ProcessEnd?
  private var keyboard: FileDescriptor?

  /// Starts `program`, with `environment` on top of this process's own.
  ///
  /// It inherits no descriptor, and no signal is blocked or ignored. Its output is added to the file `output`, and its
  /// errors to `errors`, or to the same file.
  package init(
    _ program: URL, _ arguments: [String] = [], environment: [String: String] = [:], input: Input = .nothing,
    output: String = "/dev/null", errors: String? = nil
  ) throws {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    // A shell's background job ignores SIGINT: to restore that, as libedit does, discards one that has arrived.
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    var ends: [Int32] = [-1, -1]
    switch input {
    case .nothing: posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
    case .file(let path): posix_spawn_file_actions_addopen(&files, 0, path, O_RDONLY, 0)
    case .typed:
      guard pipe2(&ends, O_CLOEXEC) == 0 else { throw TestFault("pipe2: errno \(errno)") }
      keyboard = FileDescriptor(owning: ends[1])
      posix_spawn_file_actions_adddup2(&files, ends[0], 0)
    }
    defer { close(ends[0]) }
    posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    if let errors {
      posix_spawn_file_actions_addopen(&files, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    } else {
      posix_spawn_file_actions_adddup2(&files, 1, 2)
    }
    posix_spawn_file_actions_addclosefrom_np(&files, 3)

    // The history of the tests is not that of the person who runs them.
    let usual = ProcessInfo.processInfo.environment.merging(["XDG_STATE_HOME": TestProcess.stateHome]) { _, new in new }
    let merged = usual.merging(environment) { _, new in new }
    var id: pid_t = 0
    let code = withCStrings([program.path] + arguments) { arguments in
      withCStrings(merged.map { "\($0)=\($1)" }) {
        posix_spawn(&id, program.path, &files, &attributes, arguments, $0)
      }
    }
    guard code == 0 else { throw TestFault("\(program.path) does not start: \(String(cString: strerror(code)))") }
    self.id = id
    if program.lastPathComponent == "tappet-sim" { TestProcess.giveProcessor(to: id) }
  }

  /// Lets a simulated chip run before everything that computes; only root may.
  ///
  /// A real one has a processor of its own. On a busy machine it would answer too late, and libnfc would give it up.
  private static func giveProcessor(to process: pid_t) {
    var first = sched_param(sched_priority: 1)
    _ = sched_setscheduler(process, SCHED_RR, &first)
  }

  deinit { stop(SIGTERM) }

  package var isRunning: Bool {
    if end == nil {
      var status: Int32 = 0
      if waitpid(id, &status, WNOHANG) == id {
        end = tp_wait_signaled(status) != 0 ? .signaled(tp_wait_signal(status)) : .exited(tp_wait_exit_status(status))
      }
    }
    return end == nil
  }

  /// Its exit status once it has ended; as a shell has it, 128 + N when signal N ended it.
  package var status: Int32? {
    guard !isRunning, let end else { return nil }
    return switch end {
    case .exited(let status): status
    case .signaled(let signal): 128 + signal
    }
  }

  /// Sends `signal`, unless it has ended.
  package func send(_ signal: Int32) { if isRunning { kill(id, signal) } }

  /// Sends `signal`, waits for the end, and after 5 s makes it.
  package func stop(_ signal: Int32) {
    send(signal)
    if !ends(within: 5) {
      send(SIGKILL)
      _ = ends()
    }
  }

  /// Whether it ends by itself within the time.
  package func ends(within seconds: Double = patience) -> Bool {
    guard isRunning else { return true }
    let process = FileDescriptor(owning: tp_pidfd_open(id))
    var waiting = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
    let end = Date().addingTimeInterval(seconds)
    while isRunning, case let left = end.timeIntervalSinceNow, left > 0 { poll(&waiting, 1, Int32(left * 1000) + 1) }
    return !isRunning
  }

  /// Types into a program whose input is `typed`.
  package func type(_ text: String) throws {
    guard let keyboard,
      text.utf8.withContiguousStorageIfAvailable({
        write(keyboard.number, $0.baseAddress, $0.count) == $0.count
      }) == true
    else { throw TestFault("'\(text)' cannot be typed") }
  }

  /// The end of what is typed.
  package func endTyping() { keyboard = nil }
}
