// The kiosk's state folder while it runs.

import TappetCore
import TappetSQLite
import TappetStore

/// The lock on the state folder, the thread that owns the database in it, and facts about the secrets.
struct StoreHost {
  /// Lock that prevents another kiosk from using the state folder.
  let lock: KioskLock
  let thread: StoreThread
  /// Secrets of the embedding program, in addition to those of the database.
  let ownSecrets: [TagSecret]
  /// The reason why the secrets' replica could not be updated at the start.
  let replicaError: DatabaseError?
}
