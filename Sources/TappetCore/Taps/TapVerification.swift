// Decides whether a tag may do what it asks for; remembers nothing.

/// A tap that sets off an action.
struct VerifiedTap {
  var action: Action
  /// The secret by which the tag proved itself; `nil` for a tag that others wrote.
  var secret: TagSecret?
  /// The tag's name for people.
  var label: String?
  /// The tag's text, if the action's message names it.
  var text = ""
  /// The first link on a tag that others wrote.
  var uri = ""
  /// The outcome in the inventory.
  var outcome: InventoryOutcome?

  /// Whose tag it is.
  var owner: TagOwner { TagOwner(label: label, person: secret?.person, homeAssistantID: homeAssistantID) }

  /// The id by which Home Assistant knows the tag.
  var homeAssistantID: String? { HomeAssistantTag.id(in: uri) }
}

extension KioskSettings {
  /// Returns the action for which a tag with this memory would be accepted, and whether it proves itself; changes
  /// nothing.
  @export(interface)
  package func judge(
    _ reading: TagReading, secrets: [TagSecret], learned: ForeignTags = ForeignTags()
  ) -> Result<(action: Action, isProved: Bool), TapRefusal> {
    let indexes = ActionIndexes(actions, secrets: secrets)
    return recognise(reading, or: indexes.verify(reading), learned, indexes).flatMap { tap in
      tap.secret?.refusalOfPerson.map { .failure($0) } ?? .success((tap.action, tap.secret != nil))
    }
  }

  /// The same for a tag whose content cannot be read.
  @export(interface)
  package func judge(
    _ uid: TagUID, _ fault: TagFault, learned: ForeignTags
  ) -> Result<(action: Action, isProved: Bool), TapRefusal> {
    let tap = recognise(uid, fault, learned, ActionIndexes(actions, secrets: []))
    return tap.map { .success(($0.action, false)) } ?? .failure(.unreadable(fault))
  }
}

extension ActionIndexes {
  /// Makes the checks in the order of the phone app (docs/formats.md, "Tag URL").
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

  /// The reason why no secret accepts the URL.
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
  /// The reason why its person may not act; `nil` if they may, or if it is nobody's.
  var refusalOfPerson: TapRefusal? {
    guard let person, person.isSuspended else { return nil }
    return .personSuspended(action: action, person: person.name)
  }

  /// Whether `url` is that of the tag which the secret was made for, and comes from another tag.
  ///
  /// A phone that has the secret signs another time, so its tags do not count as copies.
  func isCopied(_ url: TagURL, from uid: TagUID) -> Bool {
    guard let own = self.uid else { return false }
    return url.timestamp == createdUnixSeconds && own != uid
  }
}
