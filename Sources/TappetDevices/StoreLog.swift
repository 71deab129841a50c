// The write-ahead log's room. Where a log grows, each commit waits for two syncs: its own, and the one of the file system's journal
// that notes the new length. Where the log was written before, a commit overwrites, and waits once. So the kiosk writes the log's
// room ahead of use, and begins it anew, before that is used up, while nobody waits: neither a longer way to the disk nor a
// checkpoint comes between a tap and its light.

import TappetCore

extension Store {
  /// Puts what is in the log into the database, lengthens the log to `Limits.storeLogRoom`, and begins it anew, when it is time for it.
  ///
  /// For the kiosk's own thread, in its pauses. Where the disk does not take it, or another process is at work, the commits to come
  /// are slower, and say what is wrong themselves. Blocks on the disk.
  func keepLogRoom() {
    if hasLogRoom, database.logPages < Limits.storeLogPagesKept { return }
    try? database.withoutWaiting { () throws(StoreError) in
      database.checkpoint()
      // The first commit of a log syncs its head, too: that is not for a tap to wait for.
      try transaction { () throws(StoreError) in
        database.lengthenLog(to: Limits.storeLogRoom)
        try noteTrial()
      }
      hasLogRoom = true
    }
  }
}
