// The secrets of tags, and the keys that sign their URLs.

/// One of an action's secrets.
package struct TagSecret: Sendable {
  /// A lower-case UUID of 36 characters.
  package var id: String
  /// Name of the action to which the secret belongs.
  package var action: String
  /// Value of `idx` on the secret's tags.
  package var index: Int64
  /// Key that signs the URLs of the secret's tags.
  package var key: SecretKey
  /// Time of creation or import, in seconds since 1970.
  package var createdUnixSeconds: Int64
  /// Label for display; trimmed, and `nil` when empty.
  package var label: String?
  /// UID of the tag for which the secret was created; `nil` if there is no such tag, or if its UID is random.
  package var uid: TagUID?
  /// The person who owns the secret.
  package var person: Person?
  /// UIDs of the tags on which the secret was last seen; a hint for the search order, not proof.
  package var seenUIDs: [TagUID] = []

  /// Creates a secret of the action named `action`.
  @export(interface)
  package init(
    id: String, action: String, index: Int64, key: SecretKey, createdUnixSeconds: Int64, label: String?,
    uid: TagUID? = nil
  ) {
    self.id = id
    self.action = action
    self.index = index
    self.key = key
    self.createdUnixSeconds = createdUnixSeconds
    self.label = label
    self.uid = uid
  }
}
