// The part `actions:` of kiosk.yaml.

import TappetCore

extension ConfigReader {
  mutating func actions(_ node: YAMLNode, hasKey: Bool) -> [Action]? {
    guard let elements = list(node, "actions") else { return nil }
    guard elements.count <= Limits.actionsMax else {
      invalid(node, "actions", expected: "a list of at most \(Limits.actionsMax) actions")
      return nil
    }
    var actions: [Action] = []
    for (position, element) in elements.enumerated() {
      guard let action = action(element, "actions[\(position)]", position: Int64(position), hasKey: hasKey) else {
        continue
      }
      if actions.contains(where: { $0.name == action.name }) {
        note(.duplicateName(action.name), at: element.position, "actions[\(position)]")
      }
      if actions.contains(where: { $0.index == action.index }) {
        note(.duplicateIndex(action.index), at: element.position, "actions[\(position)]")
      }
      actions.append(action)
    }
    return actions
  }

  /// The names as they stand, those of actions with mistakes too: a button to one of them is no mistake of its own.
  func actionNames(_ node: YAMLNode) -> [String] {
    guard case .sequence(let elements) = node.content else { return [] }
    return elements.prefix(Limits.actionsMax).compactMap { element in
      guard case .mapping(let pairs) = element.content else { return nil }
      for pair in pairs {
        if case .scalar("name", _) = pair.key.content, case .scalar(let name, _) = pair.value.content { return name }
      }
      return nil
    }
  }

  private mutating func action(_ node: YAMLNode, _ place: String, position: Int64, hasKey: Bool) -> Action? {
    let keys = [
      "name", "title", "index", "topic", "message", "offline", "expires", "cooldown", "retain", "confirm", "unlock",
    ]
    guard let mapping = mapping(node, place, keys: keys) else { return nil }
    let name = required("name", in: mapping).flatMap {
      shortText($0, place + ".name", sizeMax: Limits.actionNameSizeMax)
    }
    let title = mapping.value("title").flatMap {
      shortText($0, place + ".title", sizeMax: Limits.actionTitleSizeMax)
    }
    let index = mapping.value("index").flatMap { whole($0, place + ".index", in: 0...Int64.max) }
    let topic = required("topic", in: mapping).flatMap { self.topic($0, place + ".topic") }
    let message = required("message", in: mapping).flatMap { self.message($0, place + ".message", hasKey: hasKey) }
    let offline: OfflinePolicy? = mapping.value("offline").flatMap {
      choice($0, place + ".offline", ["queue": .queue, "drop": .drop])
    }
    let expires = mapping.value("expires").flatMap { duration($0, place + ".expires", max: Limits.expiresAfterMax) }
    let cooldown = mapping.value("cooldown").flatMap { duration($0, place + ".cooldown", max: Limits.cooldownMax) }
    let isRetained = mapping.value("retain").flatMap { flag($0, place + ".retain") }
    let confirm = mapping.value("confirm").flatMap {
      duration($0, place + ".confirm", min: .seconds(1), max: Limits.confirmMax)
    }
    let unlocks = mapping.value("unlock").flatMap { flag($0, place + ".unlock") }
    guard let name, let topic, let message else { return nil }
    return Action(
      name: name, title: title ?? name, index: index ?? position, topic: topic, message: message, offline: offline,
      expiresAfter: expires, cooldown: cooldown ?? .seconds(2), isRetained: isRetained ?? false,
      confirmWithin: confirm, unlocksPanel: unlocks ?? false)
  }

  private mutating func topic(_ node: YAMLNode, _ place: String) -> String? {
    guard let text = text(node, place) else { return nil }
    guard Action.isTopic(text) else {
      invalid(node, place, expected: "a topic without '+' and '#' that does not begin with '$'")
      return nil
    }
    return text
  }

  /// May be empty: some devices act on any message.
  private mutating func message(_ node: YAMLNode, _ place: String, hasKey: Bool) -> PayloadTemplate? {
    guard case .scalar(let text, _) = node.content, !text.utf8.contains(0), text.utf8.count <= Limits.messageSizeMax
    else {
      note(.badMessage, at: node.position, place)
      return nil
    }
    let message = PayloadTemplate(text)
    if message.usesTimestamp, !hasKey { note(.timestampWithoutKey, at: node.position, place) }
    return message
  }
}
