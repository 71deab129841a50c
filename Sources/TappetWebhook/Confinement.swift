// The process gives up, first, its privileges; then, once all certificates and secrets are loaded, every file but
// those of the name resolver and the system's trust store, Unix sockets, and every system call that an HTTP client does
// not make. Its memory has a bound.

import CPlatform
import TappetCore
import TappetPlatform

enum Confinement {
  /// The files that can still be read: the resolver looks at them with each question, libcurl at the trust store with
  /// each first connection.
  private static let readable = [
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services",
    "/run/systemd/resolve", trustStore,
  ]
  /// The system's trust store.
  static let trustStore = "/etc/ssl/certs/ca-certificates.crt"

  /// No privileges by exec, no core dump, no ptrace by the same user, no terminal.
  ///
  /// A signal to end ends it at once: what was under way is sent again. A terminal's goes to the parent, too.
  static func begin() {
    _ = tp_prctl(PR_SET_NO_NEW_PRIVS, 1, 0)
    _ = tp_prctl(PR_SET_DUMPABLE, 0, 0)
    SignalMask.ignore([SIGPIPE, SIGHUP, SIGINT])
    guard let null = try? FileDescriptor.open("/dev/null", O_RDWR) else { return }
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { dup2(null.number, number) }
  }

  /// Closes all the rest, for good; each step is harmless where the kernel lacks it.
  ///
  /// `boundsMemory`: not where encrypted rooms are read; the answer with a large room's keys takes more.
  static func close(boundsMemory: Bool = true) {
    if boundsMemory { tp_limit_data(Limits.webhookDataMax, Limits.webhookStackSize) }
    tp_load_resolver_modules()
    _ = tp_drop_root()
    // The connections are what the process is for.
    Landlock.confine(readable: readable, mayConnect: true)
    _ = tp_drop_capabilities()
    _ = tp_seccomp_allow(true)
  }
}
