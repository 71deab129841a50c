// What the process does to itself before it touches the device: what comes over the air is parsed in here, so there is to be
// as little as possible that could be taken. No memory of it ever reaches a disk or a debugger of the same user.

import CPlatform

/// The steps before the device is opened; each is harmless where the kernel lacks it.
enum ProcessSetup {
  /// Whether `descriptor` is what the parent talks over; it is closed on exec from here on.
  static func isPacketSocket(_ descriptor: Int32) -> Bool {
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 else { return false }
    return type == Int32(SOCK_SEQPACKET.rawValue) && tp_fcntl_set(descriptor, F_SETFD, FD_CLOEXEC) == 0
  }

  /// No privileges by exec, no core dump, no ptrace by the same user.
  ///
  /// PR_SET_PDEATHSIG is left alone on purpose: it fires when the parent's *thread* ends, and a program that uses libtappet
  /// may well have opened us from a thread that does not last. The socket's end tells the parent's death just as surely.
  static func giveUpPrivileges() {
    _ = tp_prctl(PR_SET_NO_NEW_PRIVS, 1, 0)
    _ = tp_prctl(PR_SET_DUMPABLE, 0, 0)
  }

  /// libnfc and the C library under it write to stderr what is told to the parent as a message; the journal needs it once.
  static func silenceLibraries() {
    setenv("LIBNFC_LOG_LEVEL", "0", 1)
    let null = tp_open("/dev/null", O_WRONLY | O_CLOEXEC, 0)
    guard null >= 0 else { return }
    dup2(null, STDERR_FILENO)
    close(null)
  }

  /// A descriptor that becomes readable when the process is told to end.
  ///
  /// The signal itself waits meanwhile: libnfc's calls are finite, and an exit without `nfc_close` leaves the field on.
  static func catchTermination() -> Int32 {
    tp_ignore_signal(SIGPIPE)
    tp_ignore_signal(SIGHUP)
    // A terminal sends it to the parent too, which lets go of us when it is ready to.
    tp_ignore_signal(SIGINT)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigprocmask(SIG_BLOCK, &signals, nil)
    return signalfd(-1, &signals, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
  }
}
