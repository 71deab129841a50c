// The history of the broker tool: the newest connections, subscriptions and publishes, in a file owned by the user.

import CPlatform
import TappetCore
import TappetPlatform
import TappetSQLite

/// The broker tool's history, which never contains passwords.
package final class BrokerHistory {
  /// Type of a command.
  package enum Kind: Int64, CaseIterable, Sendable {
    case connection = 0
    case subscription = 1
    case publish = 2
  }

  /// A command that was run.
  package struct Entry: Hashable, Sendable {
    package var kind: Kind
    /// The arguments as typed, without `tappet`.
    package var words: [String]
    /// Time of the last run, in milliseconds since 1970.
    package var unixMilliseconds: Int64

    package init(kind: Kind, words: [String], unixMilliseconds: Int64) {
      self.kind = kind
      self.words = words
      self.unixMilliseconds = unixMilliseconds
    }
  }

  private let database: Database

  /// Default folder: `tappet` in XDG_STATE_HOME, or in ~/.local/state; `nil` for a user without a home folder.
  package static var usualFolder: String? {
    if let state = variable("XDG_STATE_HOME") { return state + "/tappet" }
    return variable("HOME").map { $0 + "/.local/state/tappet" }
  }

  /// Returns the absolute path in an environment variable; the specification requires other paths to be ignored.
  private static func variable(_ name: String) -> String? {
    guard let text = secure_getenv(name).map({ String(cString: $0) }), text.begins(with: "/") else { return nil }
    return text
  }

  private init(_ database: Database) { self.database = database }

  /// Opens the history; returns `nil` if there is no history and `makes` is false.
  @export(interface)
  package static func open(folder path: String, makes: Bool) throws(DatabaseError) -> BrokerHistory? {
    let name = "mqtt.db"
    if !makes, access(path + "/" + name, R_OK) != 0 { return nil }
    makeFolders(above: path)
    let folder = try DatabaseFolder.open(path: path)
    try folder.ensureFile(name)
    let database = try Database(path: folder.file(name))
    // A power cut may lose the newest entries, because writes do not wait for the disk.
    try database.execute("PRAGMA synchronous = OFF")
    guard makes else { return BrokerHistory(database) }
    try database.execute(
      "CREATE TABLE IF NOT EXISTS history (kind INTEGER NOT NULL, words BLOB NOT NULL, "
        + "unix_ms INTEGER NOT NULL, number INTEGER PRIMARY KEY AUTOINCREMENT, UNIQUE (kind, words))")
    return BrokerHistory(database)
  }

  /// Creates the missing parent folders of `path`, accessible only to their owner; ignores errors.
  package static func makeFolders(above path: String) {
    let bytes = Array(path.utf8)
    for index in bytes.indices.dropFirst() where bytes[index] == UInt8(ascii: "/") {
      _ = mkdir(String(decoding: bytes[..<index], as: UTF8.self), 0o700)
    }
  }

  /// Adds a command as the newest entry; moves a repeated command to the top, and removes the oldest excess entry.
  @export(interface)
  package func note(_ entry: Entry) throws(DatabaseError) {
    let words = Array(entry.words.joined(separator: "\0").utf8)
    guard words.count <= Limits.historyEntrySizeMax, try !isNewest(entry) else { return }
    try database.transaction { () throws(DatabaseError) in
      let statement = try database.statement("INSERT OR REPLACE INTO history (kind, words, unix_ms) VALUES (?, ?, ?)")
      statement.bind(entry.kind.rawValue, at: 1)
      statement.bind(blob: words, at: 2)
      statement.bind(entry.unixMilliseconds, at: 3)
      try statement.run()
      let removal = try database.statement(
        """
        DELETE FROM history WHERE kind = ?1 AND number NOT IN
        (SELECT number FROM history WHERE kind = ?1 ORDER BY number DESC LIMIT ?2)
        """)
      removal.bind(entry.kind.rawValue, at: 1)
      removal.bind(Int64(Limits.historyEntriesMax), at: 2)
      try removal.run()
    }
  }

  /// Whether the entry repeats the newest entry of its kind within `Limits.historyRepeatInterval`.
  private func isNewest(_ entry: Entry) throws(DatabaseError) -> Bool {
    guard let newest = try entries().first(where: { $0.kind == entry.kind }), newest.words == entry.words else {
      return false
    }
    let age = entry.unixMilliseconds - newest.unixMilliseconds
    return (0..<Limits.historyRepeatInterval.wholeMilliseconds).contains(age)
  }

  /// Returns connections, subscriptions and publishes, each newest first.
  @export(interface)
  package func entries() throws(DatabaseError) -> [Entry] {
    let statement = try database.statement("SELECT kind, words, unix_ms FROM history ORDER BY kind, number DESC")
    defer { statement.reset() }
    var entries: [Entry] = []
    while try statement.step() {
      guard let kind = Kind(rawValue: statement.integer(0)) else { continue }
      let words = statement.blob(1).split(separator: 0, omittingEmptySubsequences: false)
      entries.append(
        Entry(
          kind: kind, words: words.map { String(decoding: $0, as: UTF8.self) }, unixMilliseconds: statement.integer(2)))
    }
    return entries
  }
}
