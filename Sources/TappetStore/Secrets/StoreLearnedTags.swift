// Learned external tags. They are sealed values like the people, so they are included in the replica and in backups,
// are resealed under a new key, and cannot be added with only write access to the database.
//
//     tag ID    one line each: 1, "uid", "text" or "uri", action, label, time of learning; then the UID's digits, the
//               text or the URI, to the end

import TappetCore
import TappetSQLite

/// A learned external tag.
package struct LearnedTag: Sendable {
  /// Id of the learned tag: a UUID of 36 characters, in lower case.
  package var id: String
  package var tag: ExternalTag
  /// Time at which the tag was learned, in seconds since 1970.
  package var learnedUnixSeconds: Int64

  package init(id: String, tag: ExternalTag, learnedUnixSeconds: Int64) {
    self.id = id
    self.tag = tag
    self.learnedUnixSeconds = learnedUnixSeconds
  }
}

extension Store {
  static let learnedTagPrefix = "tag "

  /// Whether a sealed value is a learned tag.
  package static func isLearnedTag(_ name: String) -> Bool { name.begins(with: learnedTagPrefix) }

  /// Whether a sealed value is listed separately: a person, an owner, a learned tag or a device.
  package static func isListed(_ name: String) -> Bool {
    isAboutPeople(name) || isLearnedTag(name) || isPageDevice(name)
  }

  /// Returns all learned tags in the order of learning; tags that cannot be decrypted are omitted.
  @export(interface)
  package func learnedTags(sealedUnder key: SecretKey) throws(DatabaseError) -> [LearnedTag] {
    // '!' is the next ASCII character after the space.
    let statement = try database.statement("SELECT name, value FROM sealed WHERE name >= 'tag ' AND name < 'tag!'")
    defer { statement.reset() }
    var tags: [LearnedTag] = []
    while try statement.step() {
      let name = statement.text(0)
      let context = Store.context(ofValue: name)
      guard let value = try? LibCrypto.open(statement.blob(1), key: key, context: context) else { continue }
      let id = String(name.dropFirst(Store.learnedTagPrefix.utf8.count))
      if let tag = LearnedTag(id: id, stored: value) { tags.append(tag) }
    }
    return tags.sorted { ($0.learnedUnixSeconds, $0.id) < ($1.learnedUnixSeconds, $1.id) }
  }
}

extension SecretStore {
  /// Returns all learned tags in the order of learning.
  package func learnedTags() throws(SecretStoreError) -> [LearnedTag] {
    do throws(DatabaseError) { return try store.learnedTags(sealedUnder: sealingKey) } catch { throw .store(error) }
  }

  /// Adds a learned tag, or replaces the learned tag with the same id.
  @export(interface)
  package func learn(_ tag: LearnedTag, noting auditEntry: AuditEntry) throws(SecretStoreError) {
    if let fault = tag.tag.label?.nameFault() { throw .secret(.label(fault)) }
    let value = tag.sealedValue
    try seal(value.value, as: value.name, noting: auditEntry)
  }

  /// Removes the learned tag with the given id; returns false if there is none.
  package func forget(learnedTag id: String, noting auditEntry: AuditEntry) throws(SecretStoreError) -> Bool {
    try removeSealedValue(named: Store.learnedTagPrefix + id, noting: auditEntry)
  }
}

extension LearnedTag {
  /// Name of the sealed value.
  var name: String { Store.learnedTagPrefix + id }

  /// Content of the sealed value.
  var stored: [UInt8] {
    let (kind, content) = (tag.mark.kind, tag.mark.content)
    return Array("1\n\(kind)\n\(tag.action)\n\(tag.label ?? "")\n\(learnedUnixSeconds)\n\(content)".utf8)
  }

  /// Name and content of this tag's sealed value, for the store and for backups.
  package var sealedValue: SealedValue {
    var bytes = stored
    return (name, SecretBytes(taking: &bytes))
  }

  fileprivate init?(id: String, stored: [UInt8]) {
    let lines = stored.split(separator: 0x0A, maxSplits: 5, omittingEmptySubsequences: false)
    guard lines.count == 6, lines[0].elementsEqual("1".utf8), let learned = Int64(decimal: lines[4]),
      let mark = ExternalTag.Identifier(
        kind: String(decoding: lines[1], as: UTF8.self), content: String(decoding: lines[5], as: UTF8.self))
    else { return nil }
    let label = lines[3].isEmpty ? nil : String(decoding: lines[3], as: UTF8.self).storedName
    let action = String(decoding: lines[2], as: UTF8.self).nameForm
    self.init(
      id: id, tag: ExternalTag(mark: mark, action: action, label: label),
      learnedUnixSeconds: learned)
  }
}
