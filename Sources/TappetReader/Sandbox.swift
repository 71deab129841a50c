// Landlock and seccomp: once the device is open, the process can read, write and wait on its open descriptors, and
// nothing else. The kernel checks only when files are opened or programs started, so open descriptors stay usable.

import CPlatform
import TappetPlatform

/// The system calls denied to this process from now on, permanently.
enum Sandbox {
  /// Detaches from the terminal, into which the process could otherwise type as its user.
  static func detach() {
    guard let null = try? FileDescriptor.open("/dev/null", O_RDWR) else { return }
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { dup2(null.number, number) }
  }

  /// Applies the restrictions that this kernel supports; others are omitted.
  ///
  /// The allowed calls are those of every driver. libusb's calls for devices that are plugged in later are denied.
  static func close() {
    _ = tp_drop_root()
    Landlock.restrict()
    _ = tp_drop_capabilities()
    _ = tp_seccomp_allow(false)
  }
}
