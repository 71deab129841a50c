// The restrictions that the process puts on itself before it touches the device: it parses what comes over the air, so
// as little as possible is to be within its reach. None of its memory ever reaches a disk or a debugger of the same
// user.

import CPlatform
import TappetPlatform

/// The steps before the device is opened; each is harmless where the kernel lacks it.
enum ProcessSetup {
  /// No privileges by exec, no core dump, no ptrace by the same user.
  ///
  /// PR_SET_PDEATHSIG is left alone on purpose: it fires when the parent's *thread* ends, and a program that uses
  /// libtappet may well have started us from a thread that does not last. The socket's end reports the parent's death
  /// just as surely.
  static func giveUpPrivileges() {
    _ = tp_prctl(PR_SET_NO_NEW_PRIVS, 1, 0)
    _ = tp_prctl(PR_SET_DUMPABLE, 0, 0)
  }

  /// libnfc and the C library below it write to stderr what the parent gets as a message; the journal needs it once.
  static func silenceLibraries() { setenv("LIBNFC_LOG_LEVEL", "0", 1) }

  /// A descriptor that becomes readable when the process is asked to end.
  ///
  /// The signal itself waits meanwhile: libnfc's calls are finite, and an exit without `nfc_close` leaves the field on.
  /// A terminal sends SIGINT to the parent too, which closes the socket when it is ready to.
  static func catchTermination() throws(SystemError) -> SignalDescriptor {
    SignalMask.ignore([SIGPIPE, SIGHUP, SIGINT])
    return try .open([SIGTERM])
  }
}
