// The restrictions that the process puts on itself before it touches the device: it parses what comes over the air, so
// as little as possible is to be within its reach. None of its memory ever reaches a disk or a debugger of the same
// user.

import CPlatform
import TappetPlatform

/// The steps before the device is opened; each is harmless where the kernel lacks it.
enum ProcessSetup {
  /// The socket to the parent, closed on exec from now on; `nil` when `descriptor` is not a SOCK_SEQPACKET socket.
  static func parentSocket(_ descriptor: Int32) -> UnixSocket? {
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0, type == tp_sock_seqpacket(),
      tp_fcntl_set(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { return nil }
    return UnixSocket(owning: FileDescriptor(owning: descriptor))
  }

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
