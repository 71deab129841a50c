// Preallocation of the write-ahead log. If a commit makes the log grow, it waits for two syncs: its own, and that of
// the file system's journal, which records the new size. If the log already has the space, a commit overwrites it and
// waits for one sync. The kiosk therefore writes the space in advance, and restarts the log before the space is used
// up, both while it is idle: neither a growing log nor a checkpoint delays the light after a tap.

import TappetCore
import TappetSQLite

extension Store {
  /// Checkpoints the log, extends it to `Limits.storeLogRoom` and restarts it, if necessary.
  ///
  /// Must be called by the kiosk's store thread while it is idle. If the write fails, or another process has locked the
  /// database, the next commits are slower, and report errors themselves. Blocks on the disk.
  func preallocateWAL() {
    if isWALPreallocated, database.logPages < Limits.storeLogPagesKept { return }
    try? database.withoutWaiting { () throws(DatabaseError) in
      database.checkpoint()
      // The first commit to a log also syncs the log's header, so no tap has to wait for that.
      try transaction { () throws(DatabaseError) in
        database.lengthenLog(to: Limits.storeLogRoom)
        try recordTrial()
      }
      isWALPreallocated = true
    }
  }
}
