// Landlock: a process gives up files, networks and other processes for good. Its open descriptors stay usable.

import CPlatform

/// The rights that a process gives up, as far as the kernel knows them.
package enum Landlock {
  /// Refuses every file but those at and below `readable`, which can be read, and every TCP port; with `mayConnect`,
  /// only those to listen on.
  ///
  /// Refuses signals to other processes, and their abstract Unix sockets. Does nothing where the kernel lacks it.
  @export(interface)
  package static func confine(readable: [String] = [], mayConnect: Bool = false) {
    let version = tp_landlock_version()
    guard version >= 1 else { return }
    var paths: [UnsafePointer<CChar>?] = readable.map { UnsafePointer(strdup($0)) }
    paths.append(nil)
    tp_landlock_confine(
      fileRights(version), networkRights(version, mayConnect: mayConnect), scopes(version), &paths)
    for path in paths { free(UnsafeMutablePointer(mutating: path)) }
  }

  /// Flags of `handled_access_fs`: 13 in the first version; REFER, TRUNCATE and IOCTL_DEV came with 2, 3 and 5.
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

  /// Flags of `handled_access_net`: BIND_TCP and CONNECT_TCP came with 4.
  static func networkRights(_ version: Int32, mayConnect: Bool) -> UInt64 {
    guard version >= 4 else { return 0 }
    return mayConnect ? 0b01 : 0b11
  }

  /// Flags of `scoped`: ABSTRACT_UNIX_SOCKET and SIGNAL came with 6.
  static func scopes(_ version: Int32) -> UInt64 { version >= 6 ? 0b11 : 0 }
}
