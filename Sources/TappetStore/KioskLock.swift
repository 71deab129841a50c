// One kiosk per state folder: two kiosks would send each other's entries, and disconnect each other from the broker.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

/// Lock on the state folder, which a kiosk holds until it releases the lock or exits.
///
/// Tools do not need the lock.
package final class KioskLock {
  /// Name of the lock file in the state folder.
  package static let fileName = "kiosk.lock"

  private let descriptor: Int32

  private init(owning descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Acquires the lock; returns `nil` if another kiosk already holds it.
  ///
  /// Creates the folder if it is absent. Waits for a moment, because a kiosk that was just killed holds the lock until
  /// the kernel has ended all its threads.
  @export(interface)
  package static func acquire(folder path: String) throws(DatabaseError) -> KioskLock? {
    let folder = try DatabaseFolder.open(path: path)
    try folder.ensureFile(fileName)
    do throws(SystemError) {
      let descriptor = try checked("open") {
        tp_open(folder.file(fileName), O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0)
      }
      let lock = KioskLock(owning: descriptor)
      let deadline = SystemClock().now().instant + Limits.kioskLockMax
      while flock(descriptor, LOCK_EX | LOCK_NB) == -1 {
        let error = SystemError.last("flock")
        guard error.code == EWOULDBLOCK || error.code == EINTR, SystemClock().now().instant < deadline else {
          throw error
        }
        Poll.sleep(Limits.storeLockPollInterval)
      }
      return lock
    } catch {
      if error.code == EWOULDBLOCK { return nil }
      throw .cannotOpen(path: folder.file(fileName), error)
    }
  }
}
