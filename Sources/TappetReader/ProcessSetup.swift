// The restrictions that the process imposes on itself before opening the device: it parses data received over the air,
// so it should have access to as little as possible. Its memory is hidden from core dumps and the user's debuggers.

import CPlatform
import TappetPlatform

/// Setup steps before the device is opened; each has no effect if the kernel does not support it.
enum ProcessSetup {
  /// Disables privileges gained by exec, core dumps, and ptrace by the same user.
  ///
  /// PR_SET_PDEATHSIG is deliberately not used: it fires when the parent's *thread* ends, and a program that uses
  /// libtappet may have started us from a short-lived thread. When the parent exits, the socket is closed, which is
  /// just as reliable.
  static func giveUpPrivileges() {
    _ = tp_prctl(PR_SET_NO_NEW_PRIVS, 1, 0)
    _ = tp_prctl(PR_SET_DUMPABLE, 0, 0)
  }

  /// Silences libnfc and the C library below it: failures are sent to the parent as messages, and would otherwise be
  /// logged twice.
  static func silenceLibraries() { setenv("LIBNFC_LOG_LEVEL", "0", 1) }

  /// Returns a descriptor that becomes readable when termination is requested.
  ///
  /// The signal stays pending until it is read: libnfc's calls are finite, and exiting without `nfc_close` leaves the
  /// field on. SIGINT is ignored, because a terminal also sends it to the parent, which closes the socket when ready.
  static func catchTermination() throws(SystemError) -> SignalDescriptor {
    SignalMask.ignore([SIGPIPE, SIGHUP, SIGINT])
    return try .open([SIGTERM])
  }
}
