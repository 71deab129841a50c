// Parser for the `actions:` section of kiosk.yaml.

import TappetCore

extension YAMLReader {
  mutating func actions(_ node: YAMLNode?, hasKey: Bool, outputNames: [String]) -> [Action]? {
    guard let node, let elements = list(node, max: Limits.actionsMax, of: " actions") else { return nil }
    var actions: [Action] = []
    for (position, element) in elements.enumerated() {
      guard let action = action(element, position: Int64(position), hasKey, outputNames) else { continue }
      if actions.contains(where: { $0.name == action.name }) {
        note(.duplicateName(action.name), at: element)
      }
      if actions.contains(where: { $0.index == action.index }) {
        note(.duplicateIndex(action.index), at: element)
      }
      if action.confirmWithin != nil, action.confirmRoom == nil { askingActions.append(action.name) }
      actions.append(action)
    }
    return actions
  }

  /// Returns the names of a list's elements, including invalid ones, so that a reference to one of these is not
  /// reported as a second error.
  func names(in node: YAMLNode, max: Int) -> [String] {
    guard case .sequence(let elements) = node.content else { return [] }
    return elements.prefix(max).compactMap { element in
      guard case .mapping(let keys, let values) = element.content else { return nil }
      for (index, key) in keys.enumerated() {
        if case .scalar("name", _) = key.content, case .scalar(let name, _) = values[index].content {
          return name.nameForm
        }
      }
      return nil
    }
  }

  private mutating func action(
    _ node: YAMLNode, position: Int64, _ hasKey: Bool, _ outputNames: [String]
  ) -> Action? {
    let keys = [
      "name", "title", "index", "topic", "message", "offline", "expires", "cooldown", "retain", "confirm", "confirm_in",
      "bind_uid", "unlock", "output", "webhook", "room", "html", "notify", "mention", "report", "format",
      "deliver_when", "valid", "hours", "clock_unknown", "requires", "mode", "job", "on_remove",
    ]
    guard let mapping = mapping(node, keys: keys) else { return nil }
    let name = name(required("name", in: mapping), sizeMax: Limits.actionNameSizeMax)
    let title = shortText(mapping["title"], sizeMax: Limits.actionTitleSizeMax)
    let index = whole(mapping["index"], in: 0...Int64.max)
    let orders = orders(mapping["output"], outputNames: outputNames)
    let others = ["output", "webhook", "room"].contains { mapping[$0] != nil } || isOfInventory(mapping) || isDraft
    let publishes = mapping["topic"] != nil || !others
    let format = choice(mapping["format"], of: ["text", "json", "literal"]).map { MessageFormat.allCases[$0] }
    let topic = publishes ? actionTopic(required("topic", in: mapping), isLiteral: format == .literal) : nil
    requireBroker(for: mapping["topic"])
    let message = message(in: mapping, publishes: publishes, hasKey: hasKey, format)
    let body =
      room(in: mapping, of: name, format)
      ?? webhook(mapping["webhook"], of: name, message: message, hasKey: hasKey, format)
    for key in ["html", "notify", "mention", "report"] where mapping["room"] == nil {
      if let value = mapping[key] { note(.needsPartner(key, partner: "room"), at: value.position, node.place) }
    }
    checkReport(in: mapping, body)
    let offline: OfflinePolicy? = choice(mapping["offline"], of: ["queue", "drop"]).map { $0 == 0 ? .queue : .drop }
    let expires = duration(mapping["expires"], max: Limits.expiresAfterMax)
    let cooldown = duration(mapping["cooldown"], max: Limits.cooldownMax)
    let isRetained = flag(mapping["retain"])
    let confirm = duration(mapping["confirm"], min: .seconds(1), max: Limits.confirmMax)
    let confirmRoom = confirmRoom(in: mapping)
    let binds = flag(mapping["bind_uid"])
    let unlocks = flag(mapping["unlock"])
    let times = times(in: mapping)
    let requirements = requirements(mapping["requires"])
    let (mode, removal) = mode(in: mapping, hasKey: hasKey, format)
    let job = job(in: mapping)
    let awaits = choice(mapping["deliver_when"], of: ["home-assistant"]) == 0
    if awaits, let value = mapping["deliver_when"] {
      let mayWait = offline.map { $0 == .queue } ?? (message?.usesTimestamp == false)
      if !mayWait || !publishes {
        note(.needsPartner("deliver_when", partner: "offline: queue"), at: value.position, node.place)
      }
      awaitingPlaces.append(value)
    }
    guard let name, let message, topic != nil || !publishes else { return nil }
    return Action(
      name: name, title: title ?? name, index: index ?? position, isIndexGiven: index != nil, topic: topic,
      message: publishes ? message : PayloadTemplate(""), offline: offline, expiresAfter: expires,
      cooldown: cooldown ?? .seconds(2),
      isRetained: isRetained ?? false, confirmWithin: confirm, confirmRoom: confirmRoom, bindsUID: binds ?? false,
      unlocksPanel: unlocks ?? false, outputs: orders, webhookBody: body, hasLiteralTopic: format == .literal,
      awaitsHomeAssistant: awaits, times: times, requirements: requirements, mode: mode, job: job, removal: removal)
  }

  /// Reads the room in which the action is confirmed; `commands` specifies who may confirm.
  private mutating func confirmRoom(in mapping: YAMLMapping) -> String? {
    guard let node = mapping["confirm_in"] else { return nil }
    if mapping["confirm"] == nil {
      note(.needsPartner("confirm_in", partner: "confirm"), at: node.position, mapping.node.place)
    }
    confirmRooms.append(node)
    return text(node)
  }

  /// Reads the message, which is also the default body of a webhook; an action that only drives outputs must not have
  /// any message keys.
  private mutating func message(
    in mapping: YAMLMapping, publishes: Bool, hasKey: Bool, _ format: MessageFormat?
  ) -> PayloadTemplate? {
    if publishes || mapping["room"] != nil {
      return message(required("message", in: mapping), hasKey: hasKey, format)
    }
    let hasWebhook = mapping["webhook"] != nil
    if hasWebhook, let node = mapping["message"] { return message(node, hasKey: hasKey, format) }
    for key in hasWebhook ? ["retain"] : ["message", "offline", "expires", "retain", "format"] {
      if let value = mapping[key] { note(.needsPartner(key, partner: "topic"), at: value.position, mapping.node.place) }
    }
    return PayloadTemplate("")
  }

  /// Reads the mode, and the message for a tag's removal or second tap, which is sent to the action's topic unless
  /// `on_remove` specifies a separate topic.
  private mutating func mode(
    in mapping: YAMLMapping, hasKey: Bool, _ format: MessageFormat?
  ) -> (ActionMode, ActionRemoval?) {
    let chosen = choice(mapping["mode"], of: ["tap", "hold", "toggle", "inventory"]).map { ActionMode.allCases[$0] }
    if chosen == .inventory {
      inventoryActions.append(mapping.node)
      if let node = mapping["on_remove"] {
        note(.needsPartner("on_remove", partner: "mode: hold"), at: node.position, mapping.node.place)
      }
      return (.inventory, nil)
    }
    guard let node = mapping["on_remove"] else {
      if let value = mapping["mode"], chosen == .hold || chosen == .toggle {
        note(.needsPartner("mode", partner: "on_remove"), at: value.position, mapping.node.place)
      }
      return (.tap, nil)
    }
    if chosen == .tap { note(.needsPartner("on_remove", partner: "mode: hold"), at: node.position, mapping.node.place) }
    if mapping["topic"] == nil {
      note(.needsPartner("on_remove", partner: "topic"), at: node.position, mapping.node.place)
    }
    guard let removal = self.mapping(node, keys: ["topic", "message"]) else { return (.tap, nil) }
    let isLiteral = format == .literal
    let message = message(required("message", in: removal), hasKey: hasKey, format)
    guard let topic = actionTopic(removal["topic"] ?? mapping["topic"], isLiteral: isLiteral), let message else {
      return (.tap, nil)
    }
    let value = ActionRemoval(topic: topic, message: message, hasLiteralTopic: isLiteral)
    if value.names(.uri) {
      let place = message.names(.uri) ? removal["message"] : removal["topic"] ?? mapping["topic"]
      if let place { invalid(place, expected: "text without '%{uri}', which is not kept until the tag is removed") }
    }
    return (chosen ?? .hold, value)
  }

  /// Reads a topic that may contain placeholders for facts about the tap.
  mutating func actionTopic(_ node: YAMLNode?, isLiteral: Bool) -> String? {
    guard let topic = topic(node), let node else { return nil }
    guard let template = PayloadTemplate(configured: topic, format: isLiteral ? .literal : .text) else {
      note(.badPlaceholder, at: node)
      return nil
    }
    if template.topicSizeMax <= Limits.topicSizeMax { return topic }
    invalid(node, expected: "a shorter topic, so that the values of its placeholders fit")
    return nil
  }

  mutating func topic(_ node: YAMLNode?) -> String? {
    guard let node, let text = text(node) else { return nil }
    guard Action.isTopic(text) else {
      invalid(
        node,
        expected: "a topic without '+', '#' and control characters, and without '$SYS/' or '$share/' at its start")
      return nil
    }
    return text
  }

  /// Reads a message, which may be empty only if written explicitly as `''`.
  ///
  /// Some devices act on an empty message, but a forgotten value would clear a retained topic.
  mutating func message(_ node: YAMLNode?, hasKey: Bool, _ format: MessageFormat? = nil) -> PayloadTemplate? {
    guard let node else { return nil }
    guard case .scalar(let text, let isPlain) = node.content else {
      note(.unquotedMessage, at: node)
      return nil
    }
    guard !isPlain || !Self.isNull(text) else {
      let found = text.isEmpty ? "nothing" : "\(text) (use quotes for this text)"
      note(.wrongType(expected: "text, or '' for an empty message", found: found), at: node)
      return nil
    }
    guard !text.utf8.contains(0), text.utf8.count <= Limits.messageSizeMax else {
      note(.badMessage, at: node)
      return nil
    }
    guard let message = PayloadTemplate(configured: text, format: format) else {
      note(.badPlaceholder, at: node)
      return nil
    }
    if message.usesTimestamp, !hasKey { note(.timestampWithoutKey, at: node) }
    return message
  }
}
