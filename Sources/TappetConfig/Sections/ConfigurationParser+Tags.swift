// Parser for the `tags:` and `unknown_tags:` sections of kiosk.yaml: tags that were written by other systems.

import TappetCore

extension YAMLReader {
  mutating func foreignTags(_ node: YAMLNode?, actions: [Action], actionNames: [String]) -> [ExternalTag] {
    guard let node, let elements = list(node, max: Limits.foreignTagsMax, of: " tags") else { return [] }
    var tags: [ExternalTag] = []
    var marks: Set<ExternalTag.Identifier> = []
    for element in elements {
      guard let tag = foreignTag(element, actions, actionNames) else { continue }
      if !marks.insert(tag.mark).inserted { note(.duplicateTag, at: element) }
      tags.append(tag)
    }
    return tags
  }

  private mutating func foreignTag(
    _ node: YAMLNode, _ actions: [Action], _ actionNames: [String]
  ) -> ExternalTag? {
    guard let mapping = mapping(node, keys: ["uid", "text", "uri", "action", "label", "trust"]) else { return nil }
    let mark = foreignMark(in: mapping)
    let label = name(mapping["label"], sizeMax: Limits.secretLabelSizeMax)
    // The keyword is required, so that users acknowledge what it means.
    if mapping["trust"] == nil { note(.tagNotTrusted, at: node) } else { _ = choice(mapping["trust"], of: ["uid"]) }
    guard let place = required("action", in: mapping), let name = reference(place) else { return nil }
    guard actionNames.contains(name) else {
      note(.unknownAction(Self.shortened(name), nearest: Spelling.nearest(to: name, among: actionNames)), at: place)
      return nil
    }
    checkProof(of: name, actions, by: .externalTag, at: place)
    return mark.map { ExternalTag(mark: $0, action: name, label: label) }
  }

  /// Refuses an action that drives an output or unlocks the panel for a trigger that can be copied.
  mutating func checkProof(of name: String?, _ actions: [Action], by trigger: CopiedTrigger, at node: YAMLNode) {
    guard let action = actions.first(where: { $0.name == name }), action.needsProof else { return }
    note(.needsProof(action.name, trigger), at: node)
  }

  /// Reads exactly one of `uid`, `text` and `uri`.
  private mutating func foreignMark(in mapping: YAMLMapping) -> ExternalTag.Identifier? {
    let keys = ["uid", "text", "uri"].filter { mapping[$0] != nil }
    guard keys.count < 2 else {
      if let node = mapping[keys[1]] { invalid(node, expected: "used without '\(keys[0])'") }
      return nil
    }
    if let node = mapping["text"] { return text(node).map { .text($0) } }
    if let node = mapping["uri"] { return text(node).map { .uri($0) } }
    guard let node = required("uid", in: mapping), let text = text(node) else { return nil }
    guard let uid = TagUID(written: text) else {
      let meant = TagUID.ofDecimal(text).map { ", which in decimal is " + $0.joined(separator: " or ") } ?? ""
      invalid(node, expected: "a UID of 8, 14 or 20 hex digits" + meant)
      return nil
    }
    guard !uid.isRandom else {
      invalid(node, expected: "a fixed UID: four bytes that start with 08 are random at each tap")
      return nil
    }
    return .uid(uid)
  }

  /// Reads the action for unknown tags; `nil` means that there is none.
  mutating func unknownTags(_ node: YAMLNode?, hasKey: Bool) -> Action? {
    guard let node, let mapping = mapping(node, keys: ["topic", "message", "offline", "cooldown", "mode"]) else {
      return nil
    }
    let isOfInventory = choice(mapping["mode"], of: ["tap", "inventory"]) == 1
    if isOfInventory { inventoryActions.append(node) }
    let publishes = !isOfInventory || mapping["topic"] != nil
    let topic = publishes ? actionTopic(required("topic", in: mapping), isLiteral: false) : nil
    requireBroker(for: mapping["topic"])
    let message = publishes ? message(required("message", in: mapping), hasKey: hasKey) : PayloadTemplate("")
    let offline: OfflinePolicy? = choice(mapping["offline"], of: ["queue", "drop"]).map { $0 == 0 ? .queue : .drop }
    let cooldown = duration(mapping["cooldown"], max: Limits.cooldownMax)
    guard let message, topic != nil || !publishes else { return nil }
    return Action(
      name: KioskSettings.unknownTagsName, title: "Unknown tag", index: -1, topic: topic, message: message,
      offline: offline, cooldown: cooldown ?? .seconds(2), mode: isOfInventory ? .inventory : .tap)
  }
}
