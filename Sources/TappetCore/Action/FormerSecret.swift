// The former content of a tag that is rewritten: it may contain one of the kiosk's secrets, which is then not needed.

/// The secret that was on a tag before it was rewritten.
package enum FormerSecret: Sendable {
  /// The secret was on this tag only, and is removed.
  case replaced(TagSecret)
  /// The secret is kept, because other tags or phones may have it.
  case kept(TagSecret)
}

/// The kiosk's secrets at the time at which a tag is about to be written.
package struct FormerSecrets: Sendable {
  /// All secrets that may be on a tag.
  package var secrets: [TagSecret]
  /// The ids of the secrets that were created on this kiosk and never displayed.
  package var unshared: Set<String>

  /// The actions of secrets that cannot be decrypted, one entry per secret.
  package var unreadable: [String]

  /// Maximum number of secrets per action.
  package var limit: Int

  /// Creates a collection of secrets that may be on a tag, with the ids of the secrets that were never shared.
  package init(
    _ secrets: [TagSecret] = [], unshared: Set<String> = [], unreadable: [String] = [],
    limit: Int = Limits.secretsPerActionMax
  ) {
    self.limit = limit
    self.secrets = secrets
    self.unshared = unshared
    self.unreadable = unreadable
  }

  /// Returns the secret that signed `url`, which was read from the tag `uid`; `nil` if there is none.
  ///
  /// The secret counts as being on this tag alone if it was created for the tag at the URL's timestamp, is not readable
  /// on the tag, and was never shared.
  func secret(of url: TagURL, on uid: TagUID) -> FormerSecret? {
    guard let secret = url.verify(with: secrets) else { return nil }
    let isAlone =
      url.timestamp == secret.createdUnixSeconds && !url.carriesKey && unshared.contains(secret.id)
      && !secret.isCopied(url, from: uid)
    return isAlone ? .replaced(secret) : .kept(secret)
  }

  /// Returns whether one of the action's tags may be rewritten although the action is full.
  package func hasTag(of action: String) -> Bool {
    secrets.contains { $0.action == action && unshared.contains($0.id) }
  }

  /// Returns whether an action has reached its limit of secrets.
  package func isFull(_ action: String) -> Bool {
    secrets.count { $0.action == action } + unreadable.count { $0 == action } >= limit
  }
}
