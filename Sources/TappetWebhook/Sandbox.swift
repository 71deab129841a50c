// Restrictions of the process. It first gives up its privileges. Once all certificates and secrets are loaded, it also
// gives up Unix sockets, all system calls that an HTTP client does not make, and access to all files except those of
// the name resolver and the system's trust store. Its memory is limited.

import CPlatform
import CSeccomp
import TappetCore
import TappetPlatform

/// The restrictions of a process that makes requests.
package enum Sandbox {
  /// Files that remain readable: the resolver reads its files for each query, and libcurl reads the trust store for
  /// each first connection.
  private static let readable = [
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf", "/etc/services",
    "/run/systemd/resolve", trustStore,
  ]
  /// Path of the system's trust store.
  static let trustStore = "/etc/ssl/certs/ca-certificates.crt"

  /// Disables privileges gained by exec, core dumps, ptrace by the same user, and the terminal.
  ///
  /// A termination signal terminates the process immediately; requests in progress are sent again later. SIGINT is
  /// ignored, because a terminal also sends it to the parent.
  static func begin() {
    _ = tp_prctl(PR_SET_NO_NEW_PRIVS, 1, 0)
    _ = tp_prctl(PR_SET_DUMPABLE, 0, 0)
    SignalMask.ignore([SIGPIPE, SIGHUP, SIGINT])
    guard let null = try? FileDescriptor.open("/dev/null", O_RDWR) else { return }
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { dup2(null.number, number) }
  }

  /// Permanently denies everything else, and more memory than `dataMax`; each step has no effect if the kernel does not
  /// support it.
  @export(interface)
  package static func close(dataMax: Int = Limits.webhookDataMax) {
    tp_limit_data(dataMax, Limits.webhookStackSize)
    tp_load_resolver_modules()
    _ = tp_drop_root()
    // Connecting to servers is the purpose of the process.
    Landlock.restrict(readable: readable, mayConnect: true)
    _ = tp_drop_capabilities()
    _ = ts_allow(TS_CLIENT)
  }
}
