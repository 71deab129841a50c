// The outbox. It is read directly from the database, even while a kiosk is running; entries are dropped and sent again
// through the running kiosk, because it also keeps entries in memory.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// The outbox of the kiosk with the given configuration.
package struct OutboxClient {
  let configuration: KioskConfiguration

  package init(_ configuration: KioskConfiguration) { self.configuration = configuration }

  /// Calls `body` with every entry in the order of acceptance until it returns false; entries for the broker come
  /// first.
  package func forEach(_ body: (OutboxEntry) -> Bool) throws(CommandFailure) {
    let store = try KioskAccess.openStore(configuration).store
    do throws(DatabaseError) {
      if try Self.forEach(.broker, in: store, body) { _ = try Self.forEach(.webhook, in: store, body) }
    } catch { throw .failed(error.sentence) }
  }

  /// Returns false if `body` returned false.
  private static func forEach(
    _ destination: Destination, in store: Store, _ body: (OutboxEntry) -> Bool
  ) throws(DatabaseError) -> Bool {
    var last: Int64 = 0
    while true {
      let (entries, reachedEnd) = try store.fetch(
        after: last, limit: Limits.storeDropMax, clockIsGood: true, of: destination)
      for entry in entries {
        last = entry.sequence
        if !body(entry) { return false }
      }
      if reachedEnd || entries.isEmpty { return true }
    }
  }

  /// Returns the entries that were given up.
  func givenUp() throws(CommandFailure) -> [Store.DeadLetter] {
    let store = try KioskAccess.openStore(configuration).store
    do throws(DatabaseError) { return try store.givenUp() } catch { throw .failed(error.sentence) }
  }

  /// Sends one entry that was given up again, or all of them; returns their number.
  func retry(_ id: EntryID?) throws(CommandFailure) -> Int64 {
    let client = KioskClient(configuration: configuration)
    let answer = try client.ask([.retryEntries(id)], waiting: Limits.outboxDropMax) { () throws(CommandFailure) in
      let store = try KioskAccess.openStore(configuration).store
      do throws(DatabaseError) {
        let now = SystemClock().now()
        let summary = try store.summary(at: now, clockIsGood: true)
        let room = configuration.outboxCountMax - summary.count - summary.webhookCount
        let count = try store.retry(RetryOrder(id, configuration.actions, countMax: room, at: now)).count
        return ControlMessage(.object(["retried": .number(Int64(count))]), enclosing: nil)
      } catch { throw .failed(error.sentence) }
    }
    return answer.json["retried"]?.wholeNumber ?? 0
  }

  /// Drops one entry or all entries; returns the number dropped, and the number already sent to the broker.
  func drop(_ id: EntryID?) throws(CommandFailure) -> (dropped: Int64, sent: Int64) {
    let client = KioskClient(configuration: configuration)
    let answer = try client.ask([.dropEntries(id)], waiting: Limits.outboxDropMax) { () throws(CommandFailure) in
      let store = try KioskAccess.openStore(configuration).store
      do throws(DatabaseError) {
        store.historyAge = configuration.historyAge
        let count = JSON.number(Int64(try Self.drop(id, from: store)))
        return ControlMessage(.object(["dropped": count, "sent": .number(0)]), enclosing: nil)
      } catch { throw .failed(error.sentence) }
    }
    return (answer.json["dropped"]?.wholeNumber ?? 0, answer.json["sent"]?.wholeNumber ?? 0)
  }

  private static func drop(_ id: EntryID?, from store: Store) throws(DatabaseError) -> Int {
    var count = 0
    while true {
      let dropped = try store.drop(id, at: SystemClock().now().unixMilliseconds).count
      count += dropped
      if id != nil || dropped < Limits.storeDropMax { return count }
    }
  }
}
