// One kiosk a state folder: two would send each other's entries, and throw each other off the broker.

import CPlatform

/// Held by the kiosk that runs on a state folder, until it lets go or is gone.
///
/// Tools beside it do not need it.
public final class KioskLock {
  /// The file's name in the state folder.
  public static let fileName = "kiosk.lock"

  private let descriptor: Int32

  private init(owning descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Takes it; nil: another kiosk has it.
  ///
  /// The folder is made if it is absent.
  public static func take(folder path: String) throws(StoreError) -> KioskLock? {
    let folder = try StoreFolder(path: path)
    try folder.ensureFile(fileName)
    do throws(SystemError) {
      let descriptor = try checked("open") {
        tp_open(folder.file(fileName), O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0)
      }
      let lock = KioskLock(owning: descriptor)
      try checked("flock") { flock(descriptor, LOCK_EX | LOCK_NB) }
      return lock
    } catch {
      if error.code == EWOULDBLOCK { return nil }
      throw .cannotOpen(path: folder.file(fileName), error)
    }
  }
}
