// Parser for the `commands:` section of kiosk.yaml: the topics on which commands arrive, and the permissions of each
// topic.

import TappetCore

extension YAMLReader {
  mutating func commands(
    _ node: YAMLNode?, hasKey: Bool, actionNames: [String], outputNames: [String]
  ) -> [CommandPlan] {
    guard let node else { return [] }
    var plans: [CommandPlan] = []
    for element in list(node, max: Limits.commandTopicsMax, of: " topics with commands") ?? [] {
      guard let plan = command(element, hasKey: hasKey, actionNames, outputNames) else { continue }
      if plans.contains(where: { $0.topic == plan.topic }) {
        note(.invalidValue(Self.shortened(plan.topic), expected: "a topic that no other element uses"), at: element)
      }
      plans.append(plan)
    }
    return plans
  }

  private mutating func command(
    _ node: YAMLNode, hasKey: Bool, _ actionNames: [String], _ outputNames: [String]
  ) -> CommandPlan? {
    let keys = [
      "topic", "trust", "key", "expires", "actions", "outputs", "check", "per_minute", "locked", "reply", "role",
    ]
    if has("room", node) { return roomCommand(node, actionNames, outputNames) }
    if has("role", node) { return firmwareCommand(node, hasKey: hasKey, outputNames) }
    guard let mapping = mapping(node, keys: keys) else { return nil }
    let topic = topic(required("topic", in: mapping))
    requireBroker(for: mapping["topic"])
    let trust = trust(in: mapping, hasKey: hasKey)
    let window = duration(mapping["expires"], min: .seconds(1), max: Limits.commandWindowMax)
    let actions = references(mapping["actions"], to: actionNames) { .unknownAction($0, nearest: $1) }
    let outputs = references(mapping["outputs"], to: outputNames) { .unknownOutput($0, nearest: $1) }
    let asksChecks = check(in: mapping)
    if mapping["actions"] == nil, mapping["outputs"] == nil, mapping["check"] == nil {
      note(.needsPartner("topic", partner: "actions', 'outputs' or 'check"), at: node)
    }
    let perMinute = whole(mapping["per_minute"], in: 1...Limits.commandsPerMinuteMax)
    let obeysLock = flag(mapping["locked"])
    let reply = self.topic(mapping["reply"])
    guard let topic, let trust else { return nil }
    var usualWindow: Duration? = Limits.commandWindow
    if case .trusted = trust { usualWindow = nil }
    return CommandPlan(
      topic: topic, trust: trust, window: window ?? usualWindow, actions: actions, outputs: outputs,
      perMinute: Int(perMinute ?? Limits.commandsPerMinute), obeysLock: obeysLock ?? false, replyTopic: reply,
      asksChecks: asksChecks)
  }

  /// Reads `check: true`, which requires signed requests, because the response contains the names of hosts and files.
  private mutating func check(in mapping: YAMLMapping) -> Bool {
    guard let node = mapping["check"], flag(node) == true else { return false }
    if case .scalar("signed", _)? = mapping["trust"]?.content, mapping["key"] != nil { return true }
    note(.invalidValue("true", expected: "used together with 'trust: signed' and 'key'"), at: node.position, node.place)
    return false
  }

  /// Returns whether the element contains this key, which selects a different set of keys.
  private func has(_ key: String, _ node: YAMLNode) -> Bool {
    guard case .mapping(let keys, _) = node.content else { return false }
    return keys.contains { if case .scalar(key, _) = $0.content { true } else { false } }
  }

  /// Reads `{room: ROOM, users: [USER], power_level: N, people: true, actions: […], outputs: […]}`.
  private mutating func roomCommand(
    _ node: YAMLNode, _ actionNames: [String], _ outputNames: [String]
  ) -> CommandPlan? {
    let keys = ["room", "users", "power_level", "people", "expires", "actions", "outputs", "per_minute", "locked"]
    guard let mapping = mapping(node, keys: keys), let name = required("room", in: mapping), let room = text(name)
    else { return nil }
    if matrix == nil { note(.needsPartner("room", partner: "matrix"), at: name.position, mapping.node.place) }
    if !RoomAddress.isValid(room) {
      invalid(name, expected: "a room's address or id, such as '#door:example.org' or '!id:example.org'")
    }
    let powerLevel = whole(mapping["power_level"], in: 1...Limits.roomPowerLevelMax)
    // `users` is required only if there is no `power_level`.
    let place = mapping["power_level"] == nil ? required("users", in: mapping) : mapping["users"]
    let users = place.map { roomUsers($0) } ?? []
    let managesPeople = flag(mapping["people"])
    let window = duration(mapping["expires"], min: .seconds(1), max: Limits.commandWindowMax)
    let actions = references(mapping["actions"], to: actionNames) { .unknownAction($0, nearest: $1) }
    let outputs = references(mapping["outputs"], to: outputNames) { .unknownOutput($0, nearest: $1) }
    let perMinute = whole(mapping["per_minute"], in: 1...Limits.commandsPerMinuteMax)
    let obeysLock = flag(mapping["locked"])
    return CommandPlan(
      topic: room, trust: .room(RoomCommanders(users: users, powerLevel: powerLevel)),
      window: window ?? Limits.roomCommandWindow, actions: actions, outputs: outputs,
      managesPeople: managesPeople ?? false, perMinute: Int(perMinute ?? Limits.commandsPerMinute),
      obeysLock: obeysLock ?? false)
  }

  /// Reads a list of one or more users, each `@name:server`.
  mutating func roomUsers(_ node: YAMLNode) -> [String] {
    var users: [String] = []
    for element in list(node, max: Limits.roomUsersMax, of: " users") ?? [] {
      guard let user = text(element) else { continue }
      let bytes = user.utf8
      if bytes.first == UInt8(ascii: "@"), bytes.contains(UInt8(ascii: ":")), bytes.count <= Limits.roomNameSizeMax {
        users.append(user)
      } else {
        invalid(element, expected: "a user, such as '@ann:example.org'")
      }
    }
    return users
  }

  /// Reads the commands of the ESP32 firmware: `{topic: T, role: esp32, open: NAME, stop: NAME, close: NAME}`.
  private mutating func firmwareCommand(_ node: YAMLNode, hasKey: Bool, _ outputNames: [String]) -> CommandPlan? {
    let keys = ["topic", "role", "key", "open", "stop", "close", "lax", "per_minute", "locked", "reply"]
    guard let mapping = mapping(node, keys: keys) else { return nil }
    let topic = topic(required("topic", in: mapping))
    requireBroker(for: mapping["topic"])
    _ = choice(mapping["role"], of: ["esp32"])
    let file = mapping["key"].flatMap { keyFile($0) }
    if mapping["key"] == nil, !hasKey { note(.tokenWithoutKey, at: node) }
    let key = file.flatMap { timestampKey(in: $0.path, at: $0.node) }
    var names: [String] = []
    for key in ["open", "stop", "close"] {
      guard let value = required(key, in: mapping), let name = text(value) else { continue }
      if !outputNames.contains(name) {
        note(.unknownOutput(Self.shortened(name), nearest: Spelling.nearest(to: name, among: outputNames)), at: value)
      }
      names.append(name)
    }
    let isLax = flag(mapping["lax"])
    let perMinute = whole(mapping["per_minute"], in: 1...Limits.commandsPerMinuteMax)
    let obeysLock = flag(mapping["locked"])
    let reply = self.topic(mapping["reply"])
    // Without its own key, the topic must not accept tokens of another.
    guard let topic, names.count == 3, file == nil || key != nil else { return nil }
    return CommandPlan(
      topic: topic, trust: .token(key), outputs: names, perMinute: Int(perMinute ?? Limits.commandsPerMinute),
      obeysLock: obeysLock ?? false, replyTopic: reply,
      firmware: FirmwareRole(open: names[0], stop: names[1], close: names[2], isLax: isLax ?? false))
  }

  private mutating func trust(in mapping: YAMLMapping, hasKey: Bool) -> CommandTrust? {
    guard let word = required("trust", in: mapping) else { return nil }
    let index = choice(word, of: ["trusted", "token", "signed"])
    if index == 0, let key = mapping["key"] {
      note(.invalidValue("trusted", expected: "'token' or 'signed' if 'key' is set"), at: key.position, word.place)
    }
    let file = mapping["key"].flatMap { keyFile($0) }
    switch index {
    case 0: return .trusted
    case 1:
      if mapping["key"] == nil, !hasKey { note(.tokenWithoutKey, at: word) }
      guard let file else { return .token(nil) }
      // Without its own key, the topic must not accept tokens of another.
      return timestampKey(in: file.path, at: file.node).map { .token($0) }
    case 2:
      guard let file else { return .signed(nil) }
      return key(in: file.path, at: file.node, orNote: .signingKeyMalformed(path: file.path)) { SecretKey(hex: $0) }
        .map { .signed($0) }
    default: return nil
    }
  }

  /// Returns the path in `{file: FILE}`; `nil` if files are ignored.
  private mutating func keyFile(_ node: YAMLNode) -> (path: String, node: YAMLNode)? {
    guard let mapping = mapping(node, keys: ["file"]), let file = required("file", in: mapping),
      let path = path(file), files != .ignored
    else { return nil }
    return (path, file)
  }

  /// Reads a list of names, each of which must be in `known`.
  mutating func references(
    _ node: YAMLNode?, to known: [String], _ mistake: (String, String?) -> ConfigurationProblem.Kind
  ) -> [String] {
    guard let node else { return [] }
    var names: [String] = []
    for element in list(node) ?? [] {
      guard let name = reference(element) else { continue }
      if !known.contains(name) {
        note(mistake(Self.shortened(name), Spelling.nearest(to: name, among: known)), at: element)
      } else if !names.contains(name) {
        names.append(name)
      }
    }
    return names
  }

  /// Rejects loops: the kiosk must not receive its own messages as commands, regardless of a tag's contents.
  mutating func checkLoops(
    _ plans: [CommandPlan], _ actions: [Action], _ broker: BrokerSettings?, inventory: String?, at node: YAMLNode
  ) {
    guard let broker else { return }
    var own = [broker.statusTopic + "/status", broker.stateTopic, inventory]
    if plans.contains(where: { $0.asksChecks }) { own.append(broker.checkTopic) }
    for plan in plans {
      let isPublished =
        actions.contains { $0.mayPublish(to: plan.topic, kiosk: broker.clientID) }
        || plans.contains { $0.replyTopic == plan.topic } || own.contains(plan.topic)
      guard isPublished else { continue }
      let expected = "topics to which no action or reply is published, regardless of a tag's contents"
      note(.invalidValue(Self.shortened(plan.topic), expected: expected), at: node)
    }
  }
}
