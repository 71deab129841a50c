// Tags assigned to entries, identified by UID. The authenticity of a tag is not checked here.

import TappetCore
import TappetSQLite

extension Inventory {
  /// Assigns the tag to an entry; replaces any earlier assignment of the tag.
  @export(interface)
  package func assign(_ uid: TagUID, to entry: InventoryEntry, by who: String) throws(InventoryError) {
    var edit = InventoryEdit()
    edit.tag = uid
    try self.edit(entry, edit, by: who)
  }

  /// Stores the assignment of a tag, as part of a change.
  func record(_ uid: TagUID, of entry: InventoryEntry, in change: Int64) throws(InventoryError) {
    try keep(tag: uid, in: change)
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("INSERT OR REPLACE INTO tag (uid, uuid) VALUES (?1, ?2)")
      statement.bind(blob: uid.bytes, at: 1)
      statement.bind(blob: entry.id.bytes, at: 2)
      try statement.run()
    }
  }

  /// Returns the entry to which the tag is assigned.
  @export(interface)
  package func entry(tag uid: TagUID) throws(InventoryError) -> InventoryEntry? {
    let id = try stored { () throws(DatabaseError) -> InventoryID? in
      let statement = try database.statement("SELECT uuid FROM tag WHERE uid = ?1")
      defer { statement.reset() }
      statement.bind(blob: uid.bytes, at: 1)
      return try statement.step() ? InventoryID(statement.blob(0)) : nil
    }
    return try id.flatMap { (id) throws(InventoryError) in try entry(id) }
  }

  /// Returns the tags of an entry, ordered by UID.
  @export(interface)
  package func tags(of entry: InventoryEntry) throws(InventoryError) -> [TagUID] {
    try stored { () throws(DatabaseError) in
      let statement = try database.statement("SELECT uid FROM tag WHERE uuid = ?1 ORDER BY uid")
      defer { statement.reset() }
      statement.bind(blob: entry.id.bytes, at: 1)
      var tags: [TagUID] = []
      while try statement.step() { if let uid = TagUID(statement.blob(0)) { tags.append(uid) } }
      return tags
    }
  }
}
