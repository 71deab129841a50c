// The former content of a tag that is written again: it may hold one of the kiosk's own secrets, which nothing needs
// then.

/// The secret that a tag held before it was written.
package enum FormerSecret: Sendable {
  /// It was on this tag alone, and is removed.
  case replaced(TagSecret)
  /// It stays, because other tags or phones may have it.
  case kept(TagSecret)
}

/// The kiosk's secrets, when a tag is about to be written.
package struct FormerSecrets: Sendable {
  /// All that a tag may hold.
  package var secrets: [TagSecret]
  /// The ids of those that were made here and have not been shown since.
  package var unshared: Set<String>

  /// The actions of secrets that cannot be opened, one for each.
  package var unreadable: [String]

  /// Number of secrets that an action may have.
  package var limit: Int

  /// Secrets that a tag may hold, with the ids of those that nobody else can have.
  package init(
    _ secrets: [TagSecret] = [], unshared: Set<String> = [], unreadable: [String] = [],
    limit: Int = Limits.secretsPerActionMax
  ) {
    self.limit = limit
    self.secrets = secrets
    self.unshared = unshared
    self.unreadable = unreadable
  }

  /// The secret that signed `url` on the tag `uid`.
  ///
  /// It is on this tag alone if it was made for a tag at that second, does not lie open on it, and was never shared.
  func secret(of url: TagURL, on uid: TagUID) -> FormerSecret? {
    guard let secret = url.verify(with: secrets) else { return nil }
    let isAlone =
      url.timestamp == secret.createdUnixSeconds && !url.carriesKey && unshared.contains(secret.id)
      && !secret.isCopied(url, from: uid)
    return isAlone ? .replaced(secret) : .kept(secret)
  }

  /// Whether one of the action's tags may be written again although there is no room.
  package func hasTag(of action: String) -> Bool {
    secrets.contains { $0.action == action && unshared.contains($0.id) }
  }

  /// Whether an action has as many secrets as it may have.
  package func isFull(_ action: String) -> Bool {
    secrets.count { $0.action == action } + unreadable.count { $0 == action } >= limit
  }
}
