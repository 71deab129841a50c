// Landlock: a process permanently gives up access to files, networks and other processes. Its open descriptors stay
// usable.

import CPlatform

/// Restricts the rights of this process, as far as the kernel supports it.
package enum Landlock {
  /// Denies access to all files except for reading at and below `readable`, and to all TCP ports; with `mayConnect`,
  /// connecting to ports is still allowed.
  ///
  /// Also denies signals to other processes, and access to their abstract Unix sockets. Has no effect if the kernel
  /// lacks Landlock.
  @export(interface)
  package static func restrict(readable: [String] = [], mayConnect: Bool = false) {
    let version = tp_landlock_version()
    guard version >= 1 else { return }
    var paths: [UnsafePointer<CChar>?] = readable.map { UnsafePointer(strdup($0)) }
    paths.append(nil)
    tp_landlock_confine(
      fileRights(version), networkRights(version, mayConnect: mayConnect), scopes(version), &paths)
    for path in paths { free(UnsafeMutablePointer(mutating: path)) }
  }

  /// Returns the flags of `handled_access_fs`: version 1 has 13; versions 2, 3 and 5 added REFER, TRUNCATE and
  /// IOCTL_DEV.
  static func fileRights(_ version: Int32) -> UInt64 {
    let count: UInt64 =
      switch version {
      case 1: 13
      case 2: 14
      case 3, 4: 15
      default: 16
      }
    return (1 << count) - 1
  }

  /// Returns the flags of `handled_access_net`: version 4 added BIND_TCP and CONNECT_TCP.
  static func networkRights(_ version: Int32, mayConnect: Bool) -> UInt64 {
    guard version >= 4 else { return 0 }
    return mayConnect ? 0b01 : 0b11
  }

  /// Returns the flags of `scoped`: version 6 added ABSTRACT_UNIX_SOCKET and SIGNAL.
  static func scopes(_ version: Int32) -> UInt64 { version >= 6 ? 0b11 : 0 }
}
