// Parser for the `home_assistant:` section of kiosk.yaml.

import TappetCore

extension YAMLReader {
  /// Reads the section, which is `true`, `false` or a mapping.
  mutating func homeAssistant(
    _ node: YAMLNode?, actionNames: [String], outputNames: [String]
  ) -> HomeAssistantPlan? {
    let plan = plan(node, actionNames: actionNames, outputNames: outputNames)
    if plan != nil { requireBroker(for: node) }
    for place in awaitingPlaces where plan == nil { invalid(place, expected: "used together with 'home_assistant'") }
    return plan
  }

  private mutating func plan(
    _ node: YAMLNode?, actionNames: [String], outputNames: [String]
  ) -> HomeAssistantPlan? {
    guard let node else { return nil }
    var plan = HomeAssistantPlan(actions: actionNames, outputs: outputNames)
    if case .scalar = node.content { return flag(node) == true ? plan : nil }
    let keys = ["prefix", "name", "actions", "outputs", "expires", "locked", "status_topic", "offline_payload"]
    guard let mapping = mapping(node, keys: keys) else { return nil }
    if let prefix = topic(mapping["prefix"]) { plan.prefix = prefix }
    plan.name = shortText(mapping["name"], sizeMax: Limits.actionTitleSizeMax)
    if let value = mapping["actions"] {
      plan.actions = isEmptyList(value) ? [] : references(value, to: actionNames) { .unknownAction($0, nearest: $1) }
    }
    if let value = mapping["outputs"] {
      plan.outputs = isEmptyList(value) ? [] : references(value, to: outputNames) { .unknownOutput($0, nearest: $1) }
    }
    if let window = duration(mapping["expires"], min: .seconds(1), max: Limits.commandWindowMax) {
      plan.window = window
    }
    plan.obeysLock = flag(mapping["locked"]) ?? false
    if let topic = topic(mapping["status_topic"]) { plan.statusTopic = topic }
    if let payload = shortText(mapping["offline_payload"], sizeMax: Limits.actionTitleSizeMax) {
      plan.offlinePayload = payload
    }
    return plan
  }

  /// Returns whether the list is empty, which means that Home Assistant may use no action or no output.
  private func isEmptyList(_ node: YAMLNode) -> Bool {
    if case .sequence(let elements) = node.content { elements.isEmpty } else { false }
  }

  /// Returns the topics for Home Assistant's commands; no other part of the configuration may use these topics.
  mutating func commands(
    of plan: HomeAssistantPlan, _ broker: BrokerSettings, outputs: [OutputPlan], actions: [Action],
    others: [CommandPlan], at node: YAMLNode
  ) -> [CommandPlan] {
    let topics = broker.homeAssistantTopics
    var plans: [CommandPlan] = []
    func add(_ topic: String, window: Duration?, actions: [String] = [], outputs: [String]) {
      guard !actions.isEmpty || !outputs.isEmpty else { return }
      plans.append(
        CommandPlan(
          topic: topic, trust: .trusted, window: window, actions: actions, outputs: outputs,
          perMinute: Limits.homeAssistantPerMinute, obeysLock: plan.obeysLock))
    }
    let covers = outputs.filter { $0.kind.isCover && plan.outputs.contains($0.name) }.map { $0.name }
    add(
      topics.command, window: plan.window, actions: plan.actions, outputs: plan.outputs.filter { !covers.contains($0) })
    add(topics.coverCommand, window: nil, outputs: covers)
    for topic in plans.map({ $0.topic })
    where others.contains(where: { $0.topic == topic || $0.replyTopic == topic })
      || actions.contains(where: { $0.mayPublish(to: topic, kiosk: broker.clientID) })
    {
      invalid(node, expected: "the only user of topic '\(topic)'; use another topic elsewhere")
    }
    return plans
  }
}
