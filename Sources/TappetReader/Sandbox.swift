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
    denyFiles()
    _ = tp_drop_capabilities()
    _ = tp_seccomp_allow(false)
  }

  private static func denyFiles() {
    let version = tp_landlock_version()
    guard version >= 1 else { return }
    tp_landlock_deny(fileAccess(version), networkAccess(version))
  }

  /// Flags of `handled_access_fs`: 13 in the first version; REFER, TRUNCATE and IOCTL_DEV came with 2, 3 and 5.
  private static func fileAccess(_ version: Int32) -> UInt64 {
    let flags: UInt64 =
      switch version {
      case 1: 13
      case 2: 14
      case 3, 4: 15
      default: 16
      }
    return (1 << flags) - 1
  }

  /// Flags of `handled_access_net`: BIND_TCP and CONNECT_TCP came with 4.
  private static func networkAccess(_ version: Int32) -> UInt64 { version >= 4 ? 0b11 : 0 }
}
