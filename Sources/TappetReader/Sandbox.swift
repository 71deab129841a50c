// Landlock and seccomp: once the device is open, no file is opened any more, no socket is made, and no program or process is begun.
// The kernel's checks are on opening and beginning only, so the descriptors that are open stay of use.

import CPlatform

/// What the kernel is asked to refuse from now on, for this process and for good.
enum Sandbox {
  /// Refuses what this kernel can refuse; what it lacks is left out.
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
