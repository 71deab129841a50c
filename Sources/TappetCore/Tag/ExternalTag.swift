// Tags not written by Tappet: cards, transponders and labels that are recognized by their UID or text, which can be
// copied. They are never authenticated, so they trigger only actions that neither drive an output nor unlock the panel.

/// A tag not written by Tappet, and the action that it triggers.
package struct ExternalTag: Hashable, Sendable {
  /// The property by which a tag is recognized.
  package enum Identifier: Hashable, Sendable {
    case uid(TagUID)
    /// The first text record on the tag.
    case text(String)
    /// The first URI record on the tag.
    case uri(String)
  }

  package var mark: Identifier
  /// The action's name.
  package var action: String
  /// The tag's display name: `%{tag}`.
  package var label: String?

  /// Creates a tag that is recognized by `mark`.
  package init(mark: Identifier, action: String, label: String? = nil) {
    self.mark = mark
    self.action = action
    self.label = label
  }
}

extension ExternalTag.Identifier {
  /// The identifier's key in the configuration: `uid`, `text` or `uri`.
  package var kind: String {
    switch self {
    case .uid: "uid"
    case .text: "text"
    case .uri: "uri"
    }
  }

  /// The UID's digits, the text or the URI.
  package var content: String {
    switch self {
    case .uid(let uid): Hex.encode(uid.bytes)
    case .text(let text): text
    case .uri(let uri): uri
    }
  }

  /// The UID, if the tag is recognized by it.
  package var uid: TagUID? {
    guard case .uid(let uid) = self else { return nil }
    return uid
  }

  /// The kind and the content, for display.
  package var words: String { uid == nil ? "\(kind) \(content.quoted)" : "\(kind) \(content)" }

  /// Creates an identifier from its kind and content; `nil` if the kind or the content is invalid.
  @export(interface)
  package init?(kind: String, content: String) {
    switch kind {
    case "uid":
      guard let uid = TagUID(written: content) else { return nil }
      self = .uid(uid)
    case "text": self = .text(content)
    case "uri": self = .uri(content)
    default: return nil
    }
  }
}

extension TagUID {
  /// Parses a UID of hex digits, optionally separated by colons, hyphens or spaces; `nil` unless it has 4, 7 or 10
  /// bytes.
  package init?(written text: String) {
    let digits = String(decoding: text.utf8.filter { $0 != 0x3A && $0 != 0x2D && $0 != 0x20 }, as: UTF8.self)
    guard let bytes = Hex.decode(digits), [4, 7, 10].contains(bytes.count) else { return nil }
    self.init(bytes)
  }

  /// Returns hex digits of a UID as they are shown to users who do not need the full UID: the last four.
  package static func masked(_ digits: String) -> String { "…" + String(digits.suffix(4)) }

  /// Returns the two UIDs that a decimal number may mean, as USB readers type one: 0563537489 is 2196e651 or, with its
  /// bytes reversed, 51e69621; `nil` for any other text.
  @export(interface)
  package static func ofDecimal(_ text: String) -> [String]? {
    guard (9...10).contains(text.utf8.count), let number = Int64(decimal: text.utf8.drop { $0 == UInt8(ascii: "0") }),
      number <= UInt32.max
    else { return nil }
    let bytes = UInt32(number).bigEndianBytes
    return [Hex.encode(bytes), Hex.encode(bytes.reversed())]
  }
}

extension Action {
  /// Whether the action drives an output or unlocks the buttons, so that nothing that can be copied may trigger it.
  package var needsProof: Bool { !outputs.isEmpty || unlocksPanel }

  /// Returns the action, if a trigger that can be copied may perform it.
  ///
  /// A UID, a text, a barcode, and the content of the inventory, which barcodes change, reach their action only through
  /// this function.
  func triggeredWithoutProof() throws(TapRefusal) -> Action {
    if needsProof { throw .needsProof(action: name) }
    return self
  }
}

/// The external tags that are configured or learned.
package struct ForeignTags: Hashable, Sendable {
  private var tags: [ExternalTag.Identifier: ExternalTag] = [:]
  private var looksAtContent = false

  /// Creates a set of tags; if several tags have the same identifier, the last of them counts.
  package init(_ list: [ExternalTag] = []) {
    for tag in list {
      tags[tag.mark] = tag
      if case .uid = tag.mark { continue }
      looksAtContent = true
    }
  }

  /// Number of tags in the set.
  package var count: Int { tags.count }

  /// Returns the tag with the given UID; `nil` if there is none.
  package func find(_ uid: TagUID) -> ExternalTag? { tags.isEmpty ? nil : tags[.uid(uid)] }

  /// Returns the tag that matches a reading by its UID, or else by its content; `nil` if there is none.
  package func find(_ reading: TagReading) -> ExternalTag? {
    if let tag = find(reading.uid) { return tag }
    guard looksAtContent else { return nil }
    if let text = reading.firstText, let tag = tags[.text(text)] { return tag }
    guard let uri = try? reading.uri(), let text = String(validating: uri, as: UTF8.self) else { return nil }
    return tags[.uri(text)]
  }
}

extension KioskSettings {
  /// The action name of messages about unknown tags, in the outbox and the log.
  package static let unknownTagsName = "unknown_tags"

  /// The name of the action for Home Assistant tags that are not configured or learned.
  package static let scannedTagsName = "home_assistant"

  /// An action that only reports the tag to Home Assistant.
  private static var scannedTag: Action {
    Action(name: scannedTagsName, title: "Home Assistant's tag", index: -1, topic: nil, message: PayloadTemplate(""))
  }

  /// Returns the decision about a tag that may be external: an authenticated tag remains accepted, and a tag that
  /// falsely claims to be Tappet's remains refused.
  func recognize(
    _ reading: TagReading, or verified: Result<VerifiedTap, TapRefusal>, _ learned: ForeignTags,
    _ indexes: ActionIndexes
  ) -> Result<VerifiedTap, TapRefusal> {
    // If an authenticated tag may not act, such as a suspended person's, it must not act as an external tag either.
    guard case .failure(let refusal) = verified, !refusal.isOfOwnTag else { return verified }
    if let tag = foreignTags.find(reading) ?? learned.find(reading), let action = action(of: tag, indexes) {
      return .success(tap(reading, action, label: tag.label))
    }
    guard refusal.isOfUnknownTag else { return verified }
    if let action = try? unknownTags?.triggeredWithoutProof() { return .success(tap(reading, action)) }
    let isScanned = homeAssistant != nil && HomeAssistantTag.id(in: reading.shownURI ?? "") != nil
    return isScanned ? .success(tap(reading, Self.scannedTag)) : verified
  }

  /// Returns the decision about a tag with unreadable content; `nil` if it is unknown, or may become readable soon.
  func recognize(
    _ uid: TagUID, _ fault: TagFault, _ learned: ForeignTags, _ indexes: ActionIndexes
  ) -> VerifiedTap? {
    if case .pulledAway = fault { return nil }
    if let tag = foreignTags.find(uid) ?? learned.find(uid), let action = action(of: tag, indexes) {
      return VerifiedTap(action: action, label: tag.label)
    }
    return (try? unknownTags?.triggeredWithoutProof()).map { VerifiedTap(action: $0) }
  }

  /// Returns the action that the tag may trigger; a learned tag's action may have been given an output in the meantime.
  private func action(of tag: ExternalTag, _ indexes: ActionIndexes) -> Action? {
    try? indexes.action(named: tag.action)?.triggeredWithoutProof()
  }

  private func tap(_ reading: TagReading, _ action: Action, label: String? = nil) -> VerifiedTap {
    VerifiedTap(
      action: action, label: label, text: action.readsText ? reading.firstText ?? reading.inventoryCode ?? "" : "",
      uri: reading.shownURI ?? "")
  }
}

extension TapRefusal {
  /// Whether the tag was authenticated as one of this kiosk's tags.
  fileprivate var isOfOwnTag: Bool {
    switch self {
    case .strayIndex, .copiedURL, .personSuspended, .wrongTime, .limitedPerson, .unmet, .usedUp, .needsProof, .tooLate:
      true
    case .content, .malformedURL, .noSuchAction, .unreadable, .noTagConfigured, .invalidSignature, .brokerAway,
      .webhookAway, .nobodyToAsk, .outboxFull, .notStored, .notInInventory, .panelLocked, .tooMany,
      .commandOfLimitedPerson:
      false
    }
  }

  /// Whether the tag is unknown and does not claim to belong to this kiosk.
  fileprivate var isOfUnknownTag: Bool {
    switch self {
    case .content(let error): !error.isOfOwnTag
    case .malformedURL, .noSuchAction: true
    case .unreadable, .noTagConfigured, .invalidSignature, .strayIndex, .copiedURL, .personSuspended, .wrongTime,
      .limitedPerson, .unmet, .usedUp, .commandOfLimitedPerson, .brokerAway, .webhookAway, .outboxFull, .notStored,
      .nobodyToAsk, .notInInventory, .panelLocked, .needsProof, .tooLate, .tooMany:
      false
    }
  }
}

extension TagContentError {
  /// Whether the tag claims to belong to a kiosk, or may turn out to do so once it has been read completely.
  fileprivate var isOfOwnTag: Bool {
    switch self {
    case .strayByte, .incomplete: true
    case .unsupportedModel, .empty, .noMessage, .memory, .message, .noURI, .tooLong: false
    }
  }
}
