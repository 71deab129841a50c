// Parser for `panel.inputs` in kiosk.yaml: contacts at doors, and requests to exit.

import TappetCore

extension YAMLReader {
  mutating func inputs(
    _ node: YAMLNode, _ panel: inout PanelSettings, _ uses: inout LineUses, _ actionNames: [String],
    outputNames: [String]
  ) {
    for element in list(node, max: Limits.inputsMax, of: " inputs") ?? [] {
      input(element, &panel, &uses, actionNames, outputNames)
    }
  }

  private mutating func input(
    _ node: YAMLNode, _ panel: inout PanelSettings, _ uses: inout LineUses, _ actionNames: [String],
    _ outputNames: [String]
  ) {
    let lineKeys = ["line", "pin", "offset", "chip", "bias", "debounce"]
    let keys = ["name", "kind", "open", "of", "held_open", "relock", "on_forced", "on_held_open"]
    guard let mapping = mapping(node, keys: keys + lineKeys) else { return }
    guard let name = lineText(required("name", in: mapping)) else { return }
    if panel.inputs.contains(where: { $0.plan.name == name }), let value = mapping["name"] {
      invalid(value, expected: "a name that no other input uses")
    }
    var plan = InputPlan(name: name)
    plan.kind = choice(mapping["kind"], of: InputKind.allCases.map { $0.word }).map { InputKind.allCases[$0] } ?? .door
    plan.output = openingOutput(in: mapping, of: plan, outputNames)
    if let time = duration(mapping["debounce"], max: Limits.debounceMax) { plan.debounce = time }
    plan.heldOpen = duration(mapping["held_open"], min: Limits.heldOpenMin, max: Limits.outputTimeMax)
    plan.relocks = flag(mapping["relock"]) ?? false
    plan.onForced = alarmAction(mapping["on_forced"], actionNames)
    plan.onHeldOpen = alarmAction(mapping["on_held_open"], actionNames)
    checkPartners(in: mapping, of: plan)
    // A cut wire or a contact that falls off reads as open; a button connects its line to ground.
    let isLow = choice(mapping["open"], of: ["high", "low"]).map { $0 == 1 } ?? !plan.isContact
    let bias: LineBias =
      switch choice(mapping["bias"], of: ["pull_up", "pull_down", "disabled", "as_is"]) {
      case 0: .pullUp
      case 1: .pullDown
      case 2: .disabled
      case 3: .asIs
      default: plan.isContact || isLow ? .pullUp : .pullDown
      }
    guard let address = address(in: mapping, panel, &uses) else { return }
    let line = PanelLine(address: address, isActiveLow: isLow, bias: bias, debounce: plan.debounce)
    panel.inputs.append(InputSettings(plan: plan, line: line))
  }

  /// Reads the output that opens the door; an exit must have one.
  private mutating func openingOutput(
    in mapping: YAMLMapping, of plan: InputPlan, _ outputNames: [String]
  ) -> String? {
    guard let value = plan.isContact ? mapping["of"] : required("of", in: mapping), let name = reference(value) else {
      return nil
    }
    if !outputNames.contains(name) {
      note(.unknownOutput(Self.shortened(name), nearest: Spelling.nearest(to: name, among: outputNames)), at: value)
    }
    return name
  }

  /// Reports keys that have no effect without another, or at an exit.
  private mutating func checkPartners(in mapping: YAMLMapping, of plan: InputPlan) {
    for (key, partner) in [("relock", "of"), ("on_forced", "of"), ("on_held_open", "held_open")] {
      guard let value = mapping[key], mapping[partner] == nil else { continue }
      note(.needsPartner(key, partner: partner), at: value.position, mapping.node.place)
    }
    guard !plan.isContact else { return }
    for key in ["held_open", "relock", "on_forced", "on_held_open"] {
      if let value = mapping[key] { invalid(value, expected: "omitted if 'kind' is 'exit'") }
    }
  }

  // MARK: requires

  /// Reads the levels that inputs must have: `{front: closed}`.
  mutating func requirements(_ node: YAMLNode?) -> [InputRequirement] {
    guard let node else { return [] }
    guard case .mapping(let keys, _) = node.content, !keys.isEmpty else {
      invalid(node, expected: "an input and its level, such as '{front: closed}'")
      return []
    }
    for key in keys {
      guard case .scalar(let name, _) = key.content, !inputNames.contains(name.nameForm) else { continue }
      note(
        .unknownInput(Self.shortened(name), nearest: Spelling.nearest(to: name, among: inputNames)),
        at: key.position, node.place)
      return []
    }
    guard let mapping = mapping(node, keys: inputNames) else { return [] }
    let levels: [InputLevel] = [.open, .closed]
    var found: [InputRequirement] = []
    for (index, name) in mapping.keys.enumerated() {
      requiredLevels.append((name, mapping.values[index]))
      guard let word = choice(mapping.values[index], of: levels.map { $0.name }) else { continue }
      found.append(InputRequirement(input: name, level: levels[word]))
    }
    return found
  }

  /// Reports requirements of inputs without a level.
  mutating func checkRequiredLevels(_ inputs: [InputSettings]) {
    for (name, node) in requiredLevels where inputs.contains(where: { $0.plan.name == name && !$0.plan.isContact }) {
      invalid(node, expected: "omitted, because the input is of kind 'exit'")
    }
  }

  /// Reads the action that an input triggers, which cannot be confirmed: nobody may be at the panel.
  private mutating func alarmAction(_ node: YAMLNode?, _ actionNames: [String]) -> String? {
    guard let node, let name = actionName(node, actionNames) else { return nil }
    if askingActions.contains(name) { invalid(node, expected: "an action without 'confirm'") }
    return name
  }
}
