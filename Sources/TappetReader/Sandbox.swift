// Landlock and seccomp: once the device is open, the process can open no file, make no socket, and start no program or
// process. The kernel checks only when something is opened or started, so the open descriptors stay usable.

import CPlatform

/// The calls that the kernel refuses to this process from now on, for good.
enum Sandbox {
  /// Sets up the refusals that this kernel knows; others are left out.
  static func close() {
    denyFiles()
    _ = tp_seccomp_deny()
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
