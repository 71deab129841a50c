// Arrivals whose removal is pending, and the numbers of accepted taps. Both change in the commit of a tap's entry, so
// they need no separate sync, and are correct regardless of how the process ends.

import TappetCore
import TappetSQLite

extension Store {
  /// Stores an entry's notes, within the entry's transaction.
  func note(_ notes: EntryNotes, of uid: TagUID?) throws(DatabaseError) {
    if let count = notes.count, let uid {
      let statement = try database.statement("INSERT OR REPLACE INTO tag_counts (uid, count) VALUES (?1, ?2)")
      statement.bind(blob: uid.bytes, at: 1)
      statement.bind(count, at: 2)
      try statement.run()
    }
    if let ended = notes.ended { try removeArrival(ended) }
    guard let arrival = notes.arrival else { return }
    let statement = try database.statement(
      """
      INSERT OR REPLACE INTO arrivals (entry, action, uid, tag, person, text, count)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """)
    statement.bind(blob: arrival.entry.bigEndianBytes, at: 1)
    statement.bind(arrival.action, at: 2)
    statement.bind(blob: arrival.uid?.bytes ?? [], at: 3)
    statement.bind(arrival.tag ?? "", at: 4)
    statement.bind(arrival.person ?? "", at: 5)
    statement.bind(blob: Array(arrival.text.utf8), at: 6)
    statement.bind(arrival.count ?? 0, at: 7)
    try statement.run()
  }

  /// Returns the arrivals of the given actions; deletes all other arrivals, because nothing is published for them.
  package func arrivals(of actions: [String]) throws(DatabaseError) -> [TagArrival] {
    let (kept, others) = try allArrivals(of: actions)
    if !others.isEmpty {
      try transaction { () throws(DatabaseError) in for entry in others { try removeArrival(entry) } }
    }
    return kept
  }

  /// Returns the number of accepted taps of each counted tag.
  @export(interface)
  package func tagCounts() throws(DatabaseError) -> [TagUID: Int64] {
    let statement = try database.statement("SELECT uid, count FROM tag_counts")
    defer { statement.reset() }
    var counts: [TagUID: Int64] = [:]
    while try statement.step() { if let uid = TagUID(statement.blob(0)) { counts[uid] = statement.integer(1) } }
    return counts
  }

  private func allArrivals(of actions: [String]) throws(DatabaseError) -> (kept: [TagArrival], others: [EntryID]) {
    let statement = try database.statement("SELECT entry, action, uid, tag, person, text, count FROM arrivals")
    defer { statement.reset() }
    var kept: [TagArrival] = []
    var others: [EntryID] = []
    while try statement.step() {
      guard let entry = EntryID(hex: Hex.encode(statement.blob(0))) else { continue }
      let (action, tag, person, count) = (
        statement.text(1), statement.text(3), statement.text(4), statement.integer(6)
      )
      guard actions.contains(action) else {
        others.append(entry)
        continue
      }
      kept.append(
        TagArrival(
          entry: entry, action: action, uid: TagUID(statement.blob(2)), tag: tag.isEmpty ? nil : tag,
          person: person.isEmpty ? nil : person, text: String(decoding: statement.blob(5), as: UTF8.self),
          count: count > 0 ? count : nil))
    }
    return (kept, others)
  }

  private func removeArrival(_ entry: EntryID) throws(DatabaseError) {
    let statement = try database.statement("DELETE FROM arrivals WHERE entry = ?1")
    statement.bind(blob: entry.bigEndianBytes, at: 1)
    try statement.run()
  }
}
