// Which webhooks have worked.

import TappetCore
import TappetSQLite

extension Store {
  /// Returns the target with which each action's webhook has worked.
  @export(interface)
  package func workedWebhooks() throws(DatabaseError) -> [String: Int64] {
    let statement = try database.statement(
      "SELECT substr(name, 16), value FROM meta WHERE substr(name, 1, 15) = 'webhook works: '")
    defer { statement.reset() }
    var found: [String: Int64] = [:]
    while try statement.step() { found[statement.text(0)] = statement.integer(1) }
    return found
  }

  /// Records the target with which an action's webhook has worked, within a transaction.
  func recordWebhook(_ action: String, target: Int64) throws(DatabaseError) {
    let statement = try database.statement("INSERT OR REPLACE INTO meta VALUES ('webhook works: ' || ?1, ?2)")
    statement.bind(action, at: 1)
    statement.bind(target, at: 2)
    try statement.run()
  }
}
