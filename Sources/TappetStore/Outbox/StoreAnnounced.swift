// Topics for which the broker retains a message from this kiosk, so that a later configuration can clear the messages.

import TappetSQLite

extension Store {
  /// Returns the topics, sorted, each with its content.
  package func announcedTopics() throws(DatabaseError) -> [(topic: String, content: String)] {
    let statement = try database.statement("SELECT topic, content FROM announced ORDER BY topic")
    defer { statement.reset() }
    var topics: [(topic: String, content: String)] = []
    while try statement.step() { topics.append((statement.text(0), statement.text(1))) }
    return topics
  }

  /// Records a topic, or deletes it if `content` is `nil`, within a transaction.
  func recordAnnounced(_ topic: String, _ content: String?) throws(DatabaseError) {
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
