// Search. The first results are entries in which every word of the query starts a word of a name, label, code or note;
// next are entries with the words inside their names; last are entries that contain some of the words and are in places
// that contain the others. The newest entries are listed first, because ranking ten thousand matches takes longer than
// a user waits.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Calls `body` with the entries that match `text`, places before items in each step, until it returns false or
  /// `limit` is reached.
  @export(interface)
  package func search(
    _ text: String, limit: Int64, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let text = text.composed
    var isGoingOn = limit > 0
    // An item is stored as the complement of its row.
    var seen: Set<InventoryRow> = []
    func pass(_ entry: InventoryEntry) throws(InventoryError) -> Bool {
      guard isGoingOn, seen.insert(entry.kind == .item ? ~entry.row : entry.row).inserted else { return isGoingOn }
      isGoingOn = try body(entry) && Int64(seen.count) < limit
      return isGoingOn
    }
    guard isGoingOn else { return }
    try forEachBox(codePrefix: text, limit, pass)
    let words = SearchText.queryWords(text)
    guard !words.isEmpty else { return }
    let tables: [InventoryKind] = [.box, .item]
    for kind in tables where isGoingOn {
      let query = try queries(words, kind).joined(separator: " AND ")
      try forEachRow(of: try matches(query, kind, limit + Int64(seen.count)), kind, pass)
    }
    if let pieces = SearchText.pieces(text) {
      for kind in tables where isGoingOn { try forEachEntry(containing: text, pieces, kind, pass) }
    }
    if words.count > 1 {
      for kind in tables where isGoingOn { try forEachEntry(with: words, kind, pass) }
    }
  }

  /// Calls `body` with the entries that contain some of the words and are in places that contain the missing words.
  private func forEachEntry(
    with words: [SearchWord], _ kind: InventoryKind, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let (own, around) = (try queries(words, kind), try queries(words, .box))
    var places: [Set<InventoryRow>] = []
    for query in around { places.append(try rows(of: query)) }
    // Results keyed by place and word.
    var known: [Int64: Bool] = [:]
    func isInside(_ row: InventoryRow?, _ index: Int) throws(InventoryError) -> Bool {
      guard let row, !places[index].isEmpty else { return false }
      let key = row * Int64(words.count) + Int64(index)
      if let answer = known[key] { return answer }
      var answer = places[index].contains(row)
      // A set of the maximum size may lack places that contain the word.
      let isPartial = places[index].count >= Int(Limits.inventoryCandidatesMax)
      if !answer, isPartial { answer = try has(row, around[index], .box) }
      if !answer { answer = try isInside(try container(ofPlace: row), index) }
      known[key] = answer
      return answer
    }
    for index in words.indices {
      let others = words.indices.filter { $0 != index }
      guard others.contains(where: { !places[$0].isEmpty }) else { continue }
      let candidates = try candidates(own[index], kind)
      defer { candidates.reset() }
      while try stored({ () throws(DatabaseError) in try candidates.step() }) {
        let (row, container) = (candidates.integer(0), candidates.isNull(1) ? nil : candidates.integer(1))
        var missing: [Int] = []
        for other in others where try !isInside(container, other) { missing.append(other) }
        // An entry that contains all of the words itself was found before.
        guard missing.count < others.count else { continue }
        var isMatch = true
        for other in missing where isMatch { isMatch = try has(row, own[other], kind) }
        guard isMatch, let entry = try entry(row: row, of: kind) else { continue }
        guard try body(entry) else { return }
      }
    }
  }

  /// Returns the rows of the places that match a query, or `Limits.inventoryCandidatesMax` of them.
  private func rows(of query: String) throws(InventoryError) -> Set<InventoryRow> {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT rowid FROM place_text WHERE place_text MATCH ?1 LIMIT ?2")
      defer { statement.reset() }
      statement.bind(query, at: 1)
      statement.bind(Limits.inventoryCandidatesMax, at: 2)
      var rows: Set<InventoryRow> = []
      while try statement.step() { rows.insert(statement.integer(0)) }
      return rows
    }
  }

  private func container(ofPlace row: InventoryRow) throws(InventoryError) -> InventoryRow? {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT parent FROM place WHERE id = ?1 AND parent IS NOT NULL")
      defer { statement.reset() }
      statement.bind(row, at: 1)
      return try statement.step() ? statement.integer(0) : nil
    }
  }

  /// Returns a statement for the rows of the newest entries that match a query, and of their places.
  private func candidates(_ query: String, _ kind: InventoryKind) throws(InventoryError) -> Statement {
    let statement = try statement(
      kind,
      place: """
        SELECT place.id, parent FROM place_text JOIN place ON place.id = place_text.rowid
        WHERE place_text MATCH ?1 ORDER BY place_text.rowid DESC LIMIT ?2
        """,
      item: """
        SELECT item.id, box FROM item_text JOIN item ON item.id = item_text.rowid
        WHERE item_text MATCH ?1 ORDER BY item_text.rowid DESC LIMIT ?2
        """)
    statement.bind(query, at: 1)
    statement.bind(Limits.inventoryCandidatesMax, at: 2)
    return statement
  }

  private func has(_ row: InventoryRow, _ word: String, _ kind: InventoryKind) throws(InventoryError) -> Bool {
    let statement = try statement(
      kind, place: "SELECT 1 FROM place_text WHERE place_text MATCH ?1 AND rowid = ?2",
      item: "SELECT 1 FROM item_text WHERE item_text MATCH ?1 AND rowid = ?2")
    defer { statement.reset() }
    statement.bind(word, at: 1)
    statement.bind(row, at: 2)
    return try stored { () throws(DatabaseError) in try statement.step() }
  }

  private func matches(_ query: String, _ kind: InventoryKind, _ limit: Int64) throws(InventoryError) -> Statement {
    let statement = try statement(
      kind,
      place: """
        SELECT place.id, uuid, parent, kind, place.name, code, created
        FROM place_text JOIN place ON place.id = place_text.rowid
        WHERE place_text MATCH ?1 ORDER BY place_text.rowid DESC LIMIT ?2
        """,
      item: """
        SELECT item.id, uuid, box, item.name, item.notes, quantity, minimum, photo, photo_hash, created
        FROM item_text JOIN item ON item.id = item_text.rowid
        WHERE item_text MATCH ?1 ORDER BY item_text.rowid DESC LIMIT ?2
        """)
    statement.bind(query, at: 1)
    statement.bind(limit, at: 2)
    return statement
  }

  /// Calls `body` with the entries whose names or codes contain the words of `text`, which consist of these pieces.
  private func forEachEntry(
    containing text: String, _ pieces: [String], _ kind: InventoryKind,
    _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    let names = try statement(
      kind,
      place: """
        SELECT place.id, place.name || ' ' || ifnull(place.code, '')
        FROM place_part JOIN place ON place.id = place_part.rowid
        WHERE place_part MATCH ?1 ORDER BY place_part.rowid DESC
        """,
      item: """
        SELECT item.id, item.name FROM item_part JOIN item ON item.id = item_part.rowid
        WHERE item_part MATCH ?1 ORDER BY item_part.rowid DESC
        """)
    names.bind(try partQuery(text, pieces, kind), at: 1)
    defer { names.reset() }
    while try stored({ () throws(DatabaseError) in try names.step() }) {
      guard SearchText.contains(names.text(1), eachOf: text), let entry = try entry(row: names.integer(0), of: kind)
      else { continue }
      guard try body(entry) else { return }
    }
  }

  /// Returns a query for all pieces or, if the names are compared with the text anyway, for one that few names contain.
  ///
  /// FTS5 takes 10 ms for each piece that a million names contain.
  private func partQuery(_ text: String, _ pieces: [String], _ kind: InventoryKind) throws(InventoryError) -> String {
    let all = pieces.joined(separator: " ")
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return all }
    for piece in pieces where try !isFrequent(piece, kind) { return piece }
    return all
  }

  /// Whether more names than `Limits.inventoryCandidatesMax` contain a piece.
  private func isFrequent(_ piece: String, _ kind: InventoryKind) throws(InventoryError) -> Bool {
    let statement = try statement(
      kind, place: "SELECT 1 FROM place_part WHERE place_part MATCH ?1 LIMIT 1 OFFSET ?2",
      item: "SELECT 1 FROM item_part WHERE item_part MATCH ?1 LIMIT 1 OFFSET ?2")
    defer { statement.reset() }
    statement.bind(piece, at: 1)
    statement.bind(Limits.inventoryCandidatesMax, at: 2)
    return try stored { () throws(DatabaseError) in try statement.step() }
  }

  /// Calls `body` with the boxes whose code starts with the given text, ignoring the case of ASCII letters.
  private func forEachBox(
    codePrefix text: String, _ limit: Int64, _ body: (InventoryEntry) throws(InventoryError) -> Bool
  ) throws(InventoryError) {
    if text.isEmpty { return }
    let statement = try stored { () throws(DatabaseError) in
      try database.statement(
        """
        SELECT id, uuid, parent, kind, name, code, created FROM place
        WHERE code IS NOT NULL AND code COLLATE NOCASE >= ?1 AND code COLLATE NOCASE < ?2
        ORDER BY code COLLATE NOCASE LIMIT ?3
        """)
    }
    statement.bind(text, at: 1)
    // No character sorts after U+10FFFF.
    statement.bind(text + "\u{10FFFF}", at: 2)
    statement.bind(limit, at: 3)
    try forEachRow(of: statement, .box, body)
  }
}
