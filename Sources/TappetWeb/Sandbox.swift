// Restrictions of the process, which parses what any browser on the network sends. Once its files are loaded, it may
// only accept connections and connect to Unix sockets; of those, its unit shows it none but the kiosk's for the page.

import CPlatform
import CSeccomp
import TappetBase
import TappetPlatform

enum Sandbox {
  /// Disables privileges gained by exec, core dumps and ptrace by the same user.
  static func begin() {
    _ = tp_prctl(PR_SET_NO_NEW_PRIVS, 1, 0)
    _ = tp_prctl(PR_SET_DUMPABLE, 0, 0)
    SignalMask.ignore([SIGPIPE, SIGHUP])
  }

  /// Permanently denies everything else, and more memory than necessary; each step has no effect if the kernel does not
  /// support it.
  static func close(forSetup: Bool) {
    tp_limit_data(Limits.webDataMax, Limits.webhookStackSize)
    if forSetup {
      _ = tp_drop_root()
      // A change of user resets it. Ctrl-C is for the process that started this one, which then ends it.
      _ = tp_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL), 0)
      SignalMask.ignore([SIGINT])
    }
    _ = tp_drop_capabilities()
    Landlock.restrict()
    _ = ts_allow(TS_SERVER)
  }
}
