// Room in the write-ahead log. Where a log grows, each commit waits for two syncs: its own, and that of the file
// system's journal, which notes the new length. Where the log was written before, a commit overwrites it and waits
// once. So the kiosk writes the log's room ahead of use and starts the log over before that room is used up, both while
// nobody waits: neither a growing log nor a checkpoint comes between a tap and its light.

import TappetCore
import TappetSQLite

extension Store {
  /// Moves the log's content into the database, lengthens the log to `Limits.storeLogRoom` and starts it over, when it
  /// is time.
  ///
  /// For the kiosk's store thread, in its pauses. If the disk does not allow it, or another process is at work, the
  /// next commits are slower, and report what is wrong themselves. Blocks on the disk.
  func preallocateWAL() {
    if isWALPreallocated, database.logPages < Limits.storeLogPagesKept { return }
    try? database.withoutWaiting { () throws(DatabaseError) in
      database.checkpoint()
      // The first commit of a log also syncs its header: a tap need not wait for that.
      try transaction { () throws(DatabaseError) in
        database.lengthenLog(to: Limits.storeLogRoom)
        try noteTrial()
      }
      isWALPreallocated = true
    }
  }
}
