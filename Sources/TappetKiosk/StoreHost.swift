// The state folder of a running kiosk.

import TappetCore
import TappetSQLite
import TappetStore

/// The lock on the state folder, the thread that owns the folder's database, and the state of the secrets at startup.
struct StoreHost {
  /// Lock that prevents another kiosk from using the state folder.
  let lock: KioskLock
  let thread: StoreThread
  /// Secrets supplied by the embedding program, in addition to the secrets in the database.
  let ownSecrets: [TagSecret]
  /// Reason why the replica of the secrets could not be updated at startup, if it failed.
  let replicaError: DatabaseError?
}
