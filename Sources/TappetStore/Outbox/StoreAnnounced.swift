// The topics at which the broker keeps something of this kiosk, so that a later configuration can take it back.

import TappetSQLite

extension Store {
  /// Returns the topics in their order, with what belongs to each.
  package func announcedTopics() throws(DatabaseError) -> [(topic: String, content: String)] {
    let statement = try database.statement("SELECT topic, content FROM announced ORDER BY topic")
    defer { statement.reset() }
    var topics: [(topic: String, content: String)] = []
    while try statement.step() { topics.append((statement.text(0), statement.text(1))) }
    return topics
  }

  /// Remembers a topic, or without content forgets it, within a transaction.
  func noteAnnounced(_ topic: String, _ content: String?) throws(DatabaseError) {
    guard let content else {
      let statement = try database.statement("DELETE FROM announced WHERE topic = ?1")
      statement.bind(topic, at: 1)
      return try statement.run()
    }
    let statement = try database.statement("INSERT OR REPLACE INTO announced VALUES (?1, ?2)")
    statement.bind(topic, at: 1)
    statement.bind(content, at: 2)
    try statement.run()
  }
}
