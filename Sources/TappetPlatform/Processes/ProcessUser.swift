// The user of this process: a command run by root accesses brokers and devices as the kiosk would.

import CPlatform
import TappetBase

/// Permanent changes of this process's user.
package enum ProcessUser {
  /// Groups of the service, as set in its unit; its user is not a member of them.
  private static let serviceGroups = ["gpio", "dialout", "plugdev", "i2c", "spi"]

  /// Returns the id of the user with the given name; `nil` if there is none.
  package static func id(of name: String) -> UInt32? { getpwnam(name)?.pointee.pw_uid }

  /// Switches permanently from root to the owner of the given folder; returns the name or id of the owner.
  ///
  /// Returns `nil` if the process is not root, or the folder is owned by root or does not exist.
  @export(interface)
  package static func become(ownerOf folder: String) throws(SystemError) -> String? {
    var status = stat()
    guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return nil }
    let (user, isService) = (status.st_uid, status.st_uid == FileOwner.serviceUser)
    let entry = getpwuid(user)
    let name = entry.flatMap { $0.pointee.pw_name }.map { String(cString: $0) }
    let group = entry?.pointee.pw_gid ?? status.st_gid
    var groups = name.map { ownGroups(of: $0, group) } ?? [group]
    if isService { groups += serviceGroups.compactMap { getgrnam($0)?.pointee.gr_gid } }
    try checked("setgroups") { setgroups(groups.count, groups) }
    try checked("setgid") { setgid(group) }
    try checked("setuid") { setuid(user) }
    // A change of user resets this flag to the value of fs.suid_dumpable.
    _ = tp_prctl(PR_SET_DUMPABLE, 0, 0)
    return name ?? String(user)
  }

  private static func ownGroups(of name: String, _ group: gid_t) -> [gid_t] {
    var groups = [gid_t](repeating: 0, count: 64)
    var count = Int32(groups.count)
    return getgrouplist(name, group, &groups, &count) < 0 ? [group] : Array(groups.prefix(Int(count)))
  }
}
