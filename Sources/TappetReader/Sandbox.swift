// Landlock and seccomp: once the device is open, the process can read, write and wait on its open descriptors, and
// nothing else. The kernel checks only when something is opened or started, so they stay usable.

import CPlatform
import TappetPlatform

/// The calls that the kernel refuses to this process from now on, for good.
enum Sandbox {
  /// Lets go of the terminal, into which one could type as the person who sits there.
  static func detach() {
    guard let null = try? FileDescriptor.open("/dev/null", O_RDWR) else { return }
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { dup2(null.number, number) }
  }

  /// Sets up the refusals that this kernel knows; others are left out.
  ///
  /// The allowed calls are those of every driver. Calls of libusb for devices that are plugged in later are refused.
  static func close() {
    _ = tp_drop_root()
    Landlock.confine()
    _ = tp_drop_capabilities()
    _ = tp_seccomp_allow(false)
  }
}
