// The kiosk's state folder while it runs.

import TappetCore
import TappetSQLite
import TappetStore

/// The lock on the state folder, the thread that owns the database in it, and what is known of the secrets.
struct StoreHost {
  /// While this is held, no other kiosk starts on the state folder.
  let lock: KioskLock
  let thread: StoreThread
  /// Secrets of the program around the kiosk, in addition to those of the database.
  let ownSecrets: [TagSecret]
  /// Why the secrets' replica could not be brought up to date at the start.
  let replicaError: DatabaseError?
}
