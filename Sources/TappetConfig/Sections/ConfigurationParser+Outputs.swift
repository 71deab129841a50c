// Parser for outputs: `panel.outputs` in kiosk.yaml, and the `output` key of an action.

import TappetCore

extension YAMLReader {
  // MARK: panel.outputs

  mutating func outputs(_ node: YAMLNode, _ panel: inout PanelSettings, _ uses: inout LineUses) {
    for element in list(node, max: Limits.outputsMax, of: " outputs") ?? [] { output(element, &panel, &uses) }
    for output in panel.outputs {
      guard let group = output.plan.interlock else { continue }
      let count = panel.outputs.reduce(0) { $1.plan.interlock == group ? $0 + 1 : $0 }
      if count == 1 { note(.loneInterlock(group), at: node.position, output.place) }
    }
    checkDrives(panel, at: node)
  }

  /// Checks that the lines of a drive form a pair, one to open and one to close, with no other output in their group.
  private mutating func checkDrives(_ panel: PanelSettings, at node: YAMLNode) {
    for output in panel.outputs where [.open, .close].contains(output.plan.kind) {
      let group = panel.outputs.filter { $0.plan.interlock == output.plan.interlock && $0.plan.interlock != nil }
      guard group.count != 2 || Set(group.map { $0.plan.kind }) != [.open, .close] else { continue }
      let expected = "one output of kind 'open' and one of kind 'close' with the same 'interlock', and no other"
      note(.invalidValue(output.plan.kind.word, expected: expected), at: node.position, output.place)
    }
  }

  private mutating func output(_ node: YAMLNode, _ panel: inout PanelSettings, _ uses: inout LineUses) {
    let lineKeys = ["line", "pin", "offset", "chip", "led", "active_low", "drive"]
    let keys = [
      "name", "kind", "pulse", "max_on", "safe", "on_start", "interlock", "dead_time", "on_link_loss", "repeat",
      "requires",
    ]
    guard let mapping = mapping(node, keys: keys + lineKeys) else { return }
    guard var plan = plan(in: mapping) else { return }
    plan.safeWithoutLink = safeWithoutLink(mapping["on_link_loss"])
    // Lights and outputs share one namespace on the virtual panel.
    let isTaken = panel.outputs.contains { $0.plan.name == plan.name } || LightOutputs.names.contains(plan.name)
    if isTaken, let value = mapping["name"] { invalid(value, expected: "a name that no other output or LED uses") }
    guard var target = target(in: mapping, keys: lineKeys, panel, &uses) else { return }
    switch target {
    case .line(var line):
      line.restsOn = plan.isSafeOn
      target = .line(line)
    case .led:
      if plan.isSafeOn, let value = mapping["safe"] { invalid(value, expected: "'off' if 'led' is set") }
    }
    panel.outputs.append(OutputSettings(plan: plan, target: target, place: node.place))
  }

  private mutating func plan(in mapping: YAMLMapping) -> OutputPlan? {
    guard let name = lineText(required("name", in: mapping)) else { return nil }
    var plan = OutputPlan(name: name)
    // People expect a pulse of an output that has its own, and nobody would switch it off.
    plan.kind =
      choice(mapping["kind"], of: OutputKind.allCases.map { $0.word }).map { OutputKind.allCases[$0] }
      ?? (mapping["pulse"] == nil ? .switch : .button)
    plan.isSafeOn = choice(mapping["safe"], of: ["off", "on"]) == 1
    plan.startsOn = choice(mapping["on_start"], of: ["off", "on"]) == 1
    if let time = time(mapping["pulse"], min: Limits.pulseMin) { plan.pulse = time }
    plan.maxOn = time(mapping["max_on"], min: Limits.pulseMin)
    plan.interlock = lineText(mapping["interlock"])
    plan.requirements = requirements(mapping["requires"])
    if let time = duration(mapping["dead_time"], min: Limits.deadTimeMin, max: Limits.deadTimeMax) {
      plan.deadTime = time
    }
    switch choice(mapping["repeat"], of: ["ignored", "extends", "restarts"]) {
    case 1: plan.repeats = .extends
    case 2: plan.repeats = .restarts
    default: break
    }
    if let value = mapping["dead_time"], plan.interlock == nil {
      note(.needsPartner("dead_time", partner: "interlock"), at: value.position, mapping.node.place)
    }
    // An output whose safe level is on can be neither limited nor kept off.
    for key in ["max_on", "on_start", "interlock"] where plan.isSafeOn {
      if let value = mapping[key] { invalid(value, expected: "omitted if 'safe' is 'on'") }
    }
    for key in ["interlock", "requires"] where plan.startsOn && mapping[key] != nil {
      if let value = mapping["on_start"] { invalid(value, expected: "omitted if '" + key + "' is set") }
    }
    return plan
  }

  /// Reads `keep` or `{safe_after: 10 s}`; `nil` means that the output keeps its level.
  private mutating func safeWithoutLink(_ node: YAMLNode?) -> Duration? {
    guard let node else { return nil }
    guard case .mapping = node.content else {
      _ = choice(node, of: ["keep"])
      return nil
    }
    requireBroker(for: node)
    guard let mapping = mapping(node, keys: ["safe_after"]) else { return nil }
    return duration(required("safe_after", in: mapping), max: Limits.outputTimeMax)
  }

  private mutating func time(_ node: YAMLNode?, min: Duration) -> Duration? {
    duration(node, min: min, max: Limits.outputTimeMax)
  }

  // MARK: actions[].output

  /// Reads requests by output name, in file order: `{gate: pulse}`.
  mutating func orders(_ node: YAMLNode?, outputNames: [String]) -> [OutputOrder] {
    guard let node else { return [] }
    guard case .mapping(let keys, _) = node.content, !keys.isEmpty else {
      invalid(node, expected: "an output and its operation, such as '{gate: pulse}'")
      return []
    }
    for key in keys {
      guard case .scalar(let name, _) = key.content, !outputNames.contains(name.nameForm) else { continue }
      note(
        .unknownOutput(Self.shortened(name), nearest: Spelling.nearest(to: name, among: outputNames)),
        at: key.position, node.place)
      return []
    }
    guard let mapping = mapping(node, keys: outputNames) else { return [] }
    var orders: [OutputOrder] = []
    for (index, name) in mapping.keys.enumerated() {
      guard let word = choice(mapping.values[index], of: OutputRequest.allCases.map { $0.rawValue }) else { continue }
      orders.append(OutputOrder(output: name, request: OutputRequest.allCases[word]))
    }
    return orders
  }

  /// Returns the names of the outputs, including invalid outputs.
  func outputNames(_ panel: YAMLNode?) -> [String] { names(of: "outputs", in: panel, max: Limits.outputsMax) }

  /// Returns the names of the elements in a list of the panel.
  func names(of list: String, in panel: YAMLNode?, max: Int) -> [String] {
    guard case .mapping(let keys, let values) = panel?.content else { return [] }
    for (index, key) in keys.enumerated() {
      if case .scalar(list, _) = key.content { return names(in: values[index], max: max) }
    }
    return []
  }
}
