// Landlock and seccomp: once the device is open, the process can read, write and wait on its open descriptors, and
// nothing else. The kernel checks only when files are opened or programs started, so open descriptors stay usable.

import CPlatform
import CSeccomp
import TappetPlatform

/// Permanently restricts what this process can access.
enum Sandbox {
  /// Detaches from the terminal; otherwise, the process could inject input as if the user had typed it.
  static func detach() {
    guard let null = try? FileDescriptor.open("/dev/null", O_RDWR) else { return }
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] { dup2(null.number, number) }
  }

  /// Applies the restrictions that this kernel supports; others are omitted.
  ///
  /// The allowed calls cover every driver, except for libusb's calls for devices that are plugged in later.
  static func close() {
    _ = tp_drop_root()
    Landlock.restrict()
    _ = tp_drop_capabilities()
    _ = ts_allow(TS_READER)
  }
}
