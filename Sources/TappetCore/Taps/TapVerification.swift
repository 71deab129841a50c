// Decides whether a tag may trigger the action that it requests. Stateless.

/// A tap that triggers an action.
struct VerifiedTap {
  var action: Action
  /// The secret that authenticated the tag; `nil` for an external tag.
  var secret: TagSecret?
  /// The display name of the tag.
  var label: String?
  /// The tag's text, if the action's message uses it.
  var text = ""
  /// The first link on an external tag.
  var uri = ""
  /// The outcome of the tap in the inventory.
  var outcome: InventoryOutcome?
  /// The originator: the tag's owner, or the user in a room who confirmed the tap.
  var by = Originator.tag

  /// The owner of the tag.
  var owner: TagOwner { TagOwner(label: label, person: secret?.person, homeAssistantID: homeAssistantID) }

  /// The tag's id in Home Assistant.
  var homeAssistantID: String? { HomeAssistantTag.id(in: uri) }
}

extension KioskSettings {
  /// Returns the action that a tag with this memory would trigger, and whether it is authenticated; has no effects.
  @export(interface)
  package func judge(
    _ reading: TagReading, secrets: [TagSecret], learned: ForeignTags = ForeignTags()
  ) -> Result<(action: Action, isProved: Bool), TapRefusal> {
    let indexes = ActionIndexes(actions, secrets: secrets)
    return recognize(reading, or: indexes.verify(reading), learned, indexes).flatMap { tap in
      tap.secret?.refusalOfPerson.map { .failure($0) } ?? .success((tap.action, tap.secret != nil))
    }
  }

  /// Returns the action that a tag with unreadable content would trigger; has no effects.
  @export(interface)
  package func judge(
    _ uid: TagUID, _ fault: TagFault, learned: ForeignTags
  ) -> Result<(action: Action, isProved: Bool), TapRefusal> {
    let tap = recognize(uid, fault, learned, ActionIndexes(actions, secrets: []))
    return tap.map { .success(($0.action, false)) } ?? .failure(.unreadable(fault))
  }
}

extension ActionIndexes {
  /// Verifies a tag, in the same order of checks as the phone app (docs/formats.md, "Tag URL").
  func verify(_ reading: TagReading) -> Result<VerifiedTap, TapRefusal> {
    let url: TagURL
    do throws(TagReadingError) { url = try reading.tagURL() } catch {
      switch error {
      case .content(let error): return .failure(.content(error))
      case .url(let error): return .failure(.malformedURL(error))
      }
    }
    if let secret = secret(of: url, on: reading.uid), let action = action(of: secret) {
      if action.bindsUID, secret.isCopied(url, from: reading.uid) { return .failure(.copiedURL(action: action.name)) }
      let text = action.readsText ? reading.firstText ?? "" : ""
      return .success(VerifiedTap(action: action, secret: secret, label: secret.label, text: text))
    }
    return .failure(refusal(of: url))
  }

  /// Returns the reason to refuse a URL that none of the secrets verifies.
  private func refusal(of url: TagURL) -> TapRefusal {
    if let stray = url.verify(with: orphanedSecrets(at: url.index)) {
      return .strayIndex(url.index, action: stray.action, isConfigured: action(of: stray) != nil)
    }
    let first = secrets(at: url.index).first { _ in true }
    guard let name = action(at: url.index)?.name ?? first?.action else { return .noSuchAction(index: url.index) }
    return first == nil ? .noTagConfigured(action: name) : .invalidSignature(action: name)
  }
}

extension TagSecret {
  /// The reason why the secret's owner may not act; `nil` if the owner may act, or if there is no owner.
  var refusalOfPerson: TapRefusal? {
    guard let person, person.isSuspended else { return nil }
    return .personSuspended(action: action, person: person.name)
  }

  /// Returns whether `url` belongs to the tag for which the secret was created, but was read from a different tag.
  ///
  /// A phone with the secret signs a different time, so tags written by the phone do not count as copies.
  func isCopied(_ url: TagURL, from uid: TagUID) -> Bool {
    guard let own = self.uid else { return false }
    return url.timestamp == createdUnixSeconds && own != uid
  }
}
