// The key that a tag's signature is made with.

/// The 32 bytes of a tag's key. Wiped when the last holder lets go; never printed.
public final class SecretKey: Sendable {
  private let storage: [UInt8]

  /// Nil for anything but 32 bytes.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    storage = bytes
  }
}

/// One of an action's secrets.
public struct TagSecret: Sendable {
  /// A UUID, lower-case, 36 characters.
  public var id: String
  /// The action it belongs to, by name.
  public var action: String
  /// The `idx` that its tags carry.
  public var index: Int64
  /// The key.
  public var key: SecretKey
  /// When it was made or imported, seconds since 1970.
  public var createdUnixSeconds: Int64
  /// For people; trimmed, nil when empty.
  public var label: String?

  /// A secret of the action `action`.
  public init(id: String, action: String, index: Int64, key: SecretKey, createdUnixSeconds: Int64, label: String?) {
    self.id = id
    self.action = action
    self.index = index
    self.key = key
    self.createdUnixSeconds = createdUnixSeconds
    self.label = label
  }
}
