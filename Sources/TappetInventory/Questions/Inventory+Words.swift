// The words of a search as a query that FTS5 answers immediately. For a word and for a prefix that has an index, it
// returns the rows as it reads them, newest first; for any other prefix, it first collects all rows, which takes 35 ms
// for a million. Such a prefix is therefore replaced with the words, or the indexed prefixes, that start with it.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Returns a query for each word, or a longer word that starts with it, in the index of places or of items.
  func queries(_ words: [SearchWord], _ kind: InventoryKind) throws(InventoryError) -> [String] {
    var queries: [String] = []
    for word in words { queries.append(try query(word, kind)) }
    return queries
  }

  private func query(_ word: SearchWord, _ kind: InventoryKind) throws(InventoryError) -> String {
    if word.isWhole { return word.phrase }
    let prefix = word.phrase + " *"
    // Prefixes of two and of three letters have an index.
    guard let start = word.indexed, !(2...3).contains(start.unicodeScalars.count) else { return prefix }
    try stored { () throws(DatabaseError) in
      try database.execute(
        """
        CREATE VIRTUAL TABLE IF NOT EXISTS temp.place_word USING fts5vocab(main, place_text, instance);
        CREATE VIRTUAL TABLE IF NOT EXISTS temp.item_word USING fts5vocab(main, item_text, instance);
        """)
    }
    var parts: [String] = []
    var next = start
    while let found = try firstWord(from: next, kind), found.utf8.starts(with: start.utf8) {
      if parts.count == Limits.inventoryWordsMax { return prefix }
      let scalars = found.unicodeScalars
      if start.unicodeScalars.count > 1 || scalars.count == 1 {
        parts.append(SearchText.quoted(scalars))
        next = found + "\u{1}"
      } else {
        parts.append(SearchText.quoted(scalars.prefix(2)) + " *")
        next = ""
        next.unicodeScalars.append(contentsOf: scalars.prefix(2))
        // No character sorts after U+10FFFF.
        next += "\u{10FFFF}"
      }
    }
    return parts.isEmpty ? prefix : "(" + parts.joined(separator: " OR ") + ")"
  }

  /// Returns the first word in the index that is not before `start`.
  private func firstWord(from start: String, _ kind: InventoryKind) throws(InventoryError) -> String? {
    let statement = try statement(
      kind, place: "SELECT term FROM temp.place_word WHERE term >= ?1 LIMIT 1",
      item: "SELECT term FROM temp.item_word WHERE term >= ?1 LIMIT 1")
    defer { statement.reset() }
    statement.bind(start, at: 1)
    return try stored { () throws(DatabaseError) in try statement.step() } ? statement.text(0) : nil
  }
}
