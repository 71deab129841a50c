// Finds what other users could replace: folders on the paths to the kiosk's files, and the configuration itself.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetPlatform
import TappetStore

/// Checks the configuration, and the folders that contain it and its files.
enum FolderProbe {
  /// Whether no kiosk uses the state folder, according to its lock.
  static func isIdle(_ folder: String) -> Bool { (try? KioskLock.acquire(folder: folder)) != nil }

  /// Returns a warning if the files of the configuration at `path` were replaced only in part, and for each folder and
  /// the configuration if they are writable by users other than root and the kiosk's user.
  ///
  /// `path` is `nil` if the file is not in its place yet.
  static func warnings(_ configuration: KioskConfiguration, path: String?) -> [String] {
    let owner = FileOwner.user(of: configuration.stateFolder)
    var places = path.map { [$0] } ?? []
    let files = [
      path, configuration.stateFolder + "/x", configuration.controlSocket, configuration.broker?.privateKeyFile,
    ]
    for file in files.compactMap({ $0 }) {
      var folder = AtomicFiles.folder(of: file)
      while !places.contains(folder) {
        places.append(folder)
        folder = AtomicFiles.folder(of: folder)
      }
    }
    let mixed = path.map { AtomicFiles.folder(of: $0) }.flatMap { folder in
      AtomicFiles.isMixed(folder)
        ? "a setup that replaced files in \(folder) was interrupted; 'tappet init' restores the former files first"
        : nil
    }
    let socket = AtomicFiles.folder(of: configuration.controlSocket)
    return (mixed.map { [$0] } ?? []) + places.compactMap { warning($0, owner: owner, holdsSocket: $0 == socket) }
  }

  private static func warning(_ path: String, owner: UInt32?, holdsSocket: Bool) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    if status.st_uid != 0, status.st_uid != owner, status.st_uid != geteuid() {
      return "\(path) belongs to another user (\(status.st_uid)), who can replace the kiosk's files"
    }
    guard status.st_mode & 0o022 != 0 else { return nil }
    guard status.st_mode & 0o1000 != 0 else {
      return "\(path) can be written to by other users; run: chmod go-w \(path)"
    }
    // With the sticky bit, as in /tmp, other users cannot replace existing files, but can create a file first.
    return holdsSocket
      ? "any user can create the control socket in \(path) before the kiosk does; set 'control:' to a path in a "
        + "different folder" : nil
  }
}
