// The restrictions that the process imposes on itself before opening the device: it parses data received over the air,
// so it should have access to as little as possible. Its memory never reaches a disk, or a debugger of the same user.

import CPlatform
import TappetPlatform

/// The steps before the device is opened; each is harmless if the kernel does not support it.
enum ProcessSetup {
  /// Disables privileges gained by exec, core dumps, and ptrace by the same user.
  ///
  /// PR_SET_PDEATHSIG is deliberately not used: it fires when the parent's *thread* ends, and a program that uses
  /// libtappet may have started us from a short-lived thread. The end of the socket reports the parent's death just as
  /// reliably.
  static func giveUpPrivileges() {
    _ = tp_prctl(PR_SET_NO_NEW_PRIVS, 1, 0)
    _ = tp_prctl(PR_SET_DUMPABLE, 0, 0)
  }

  /// Silences libnfc and the C library below it: the parent gets their output as a message, and the journal needs it
  /// once.
  static func silenceLibraries() { setenv("LIBNFC_LOG_LEVEL", "0", 1) }

  /// Returns a descriptor that becomes readable when termination is requested.
  ///
  /// The signal stays pending until then: libnfc's calls are finite, and exiting without `nfc_close` leaves the field
  /// on. A terminal also sends SIGINT to the parent, which closes the socket when it is ready to.
  static func catchTermination() throws(SystemError) -> SignalDescriptor {
    SignalMask.ignore([SIGPIPE, SIGHUP, SIGINT])
    return try .open([SIGTERM])
  }
}
