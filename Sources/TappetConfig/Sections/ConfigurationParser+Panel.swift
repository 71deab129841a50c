// Parser for the `panel:` section of kiosk.yaml: lines, LEDs, buttons, gestures and light patterns.

import TappetCore

extension YAMLReader {
  mutating func panel(_ node: YAMLNode?, actionNames: [String]) -> PanelSettings? {
    guard let node else { return nil }
    let keys = [
      "simulator", "profile", "chip", "leds", "buzzer", "lights", "outputs", "inputs", "buttons", "chords",
      "lock_after", "unlock_code",
    ]
    guard let mapping = mapping(node, keys: keys) else { return nil }
    var panel = PanelSettings()
    panel.simulator = socketPath(mapping["simulator"])
    panel.profile = profile(mapping["profile"])
    panel.chip = lineText(mapping["chip"])
    var uses = LineUses(chip: panel.chip)
    if let value = mapping["profile"], panel.simulator == nil { uses.profile = checkProfile(panel.profile, at: value) }
    if let value = mapping["leds"] { leds(value, &panel, &uses) }
    if let value = mapping["buzzer"] { indicator(value, .buzzer, &panel, &uses) }
    if let value = mapping["lights"] { lights(value, &panel) }
    if let value = mapping["outputs"] { outputs(value, &panel, &uses) }
    if let value = mapping["inputs"] { inputs(value, &panel, &uses, actionNames, outputNames: outputNames(node)) }
    checkRequiredLevels(panel.inputs)
    if let value = mapping["buttons"] { buttons(value, &panel, &uses, actionNames) }
    if let value = mapping["chords"] { chords(value, &panel, actionNames) }
    panel.lockAfter = duration(mapping["lock_after"], min: .seconds(1), max: Limits.lockAfterMax)
    if let value = mapping["unlock_code"] {
      if mapping["lock_after"] == nil {
        note(.needsPartner("unlock_code", partner: "lock_after"), at: value.position, node.place)
      }
      for element in list(value, max: Limits.codeLengthMax) ?? [] {
        if let button = buttonIndex(element, panel) { panel.unlockCode.append(button) }
      }
    }
    if let value = mapping["buttons"] { checkUse(value, panel) }
    return panel
  }

  /// Reports a panel that locks, but that neither a code nor an action can unlock.
  mutating func checkLock(_ panel: PanelSettings, _ actions: [Action], at position: TextPosition) {
    guard panel.lockAfter != nil, panel.unlockCode.isEmpty else { return }
    for action in actions where action.unlocksPanel { return }
    note(.nothingUnlocks, at: position, "panel")
  }

  // MARK: Lines

  /// The lines that the panel uses so far.
  struct LineUses {
    /// The chip of lines without a chip.
    var chip: String?
    /// The board's profile, if files are required.
    var profile: BoardProfile?
    private var uses: [(address: LineAddress, place: String)] = []

    init(chip: String?) { self.chip = chip }

    /// Records the use of a line; returns the place that already uses it, in whichever form it is specified there.
    mutating func add(_ address: LineAddress, _ place: String) -> String? {
      let pin = profile?.pin(at: address, chip: chip)
      for use in uses where use.address == address || pin != nil && profile?.pin(at: use.address, chip: chip) == pin {
        return use.place
      }
      uses.append((address, place))
      return nil
    }
  }

  mutating func lineText(_ node: YAMLNode?) -> String? { name(node, sizeMax: Limits.lineNameSizeMax) }

  /// Reads the name of a file in a known folder.
  mutating func fileName(_ node: YAMLNode?) -> String? {
    guard let node, let name = lineText(node) else { return nil }
    guard !name.utf8.contains(UInt8(ascii: "/")), name.utf8.first != UInt8(ascii: ".") else {
      invalid(node, expected: "a name without '/' that does not start with '.'")
      return nil
    }
    return name
  }

  /// Reads the name of an installed profile, or the path of a profile file.
  private mutating func profile(_ node: YAMLNode?) -> String? {
    if let node, case .scalar(let text, _) = node.content, text.utf8.contains(UInt8(ascii: "/")) { return path(node) }
    return fileName(node)
  }

  /// Reports an unusable profile if files are required; otherwise, the kiosk starts without it and reports it itself.
  private mutating func checkProfile(_ name: String?, at node: YAMLNode) -> BoardProfile? {
    guard files == .required, let name else { return nil }
    do throws(BoardProfileError) { return try BoardProfile.load(name: name) } catch {
      note(.unusableProfile(error), at: node)
      return nil
    }
  }

  /// Reads the address of a line, specified by exactly one of `line`, `pin` and `offset`.
  mutating func address(
    in mapping: YAMLMapping, _ panel: PanelSettings, _ uses: inout LineUses
  ) -> LineAddress? {
    var found: [String] = []
    for key in ["line", "pin", "offset"] where mapping[key] != nil { found.append(key) }
    guard let key = found.first, let value = mapping[key] else {
      note(.missingKey("line"), at: mapping.node)
      return nil
    }
    if found.count > 1, let other = mapping[found[1]] {
      invalid(other, expected: "omitted if '" + key + "' is set")
      return nil
    }
    let chip = lineText(mapping["chip"])
    if chip != nil, key != "offset" { needs("chip", "offset", at: mapping["chip"] ?? value, mapping) }
    let address: LineAddress
    switch key {
    case "line":
      guard let name = lineText(value) else { return nil }
      address = .name(name)
    case "pin":
      guard let pin = whole(value, in: 1...9_999) else { return nil }
      if panel.profile == nil { needs("pin", "panel.profile", at: value, mapping) }
      address = .pin(Int(pin))
    default:
      guard let offset = whole(value, in: 0...65_535) else { return nil }
      let named = chip ?? panel.chip
      // The profile may define the only possible chip.
      if named == nil, panel.profile == nil { needs("offset", "chip", at: value, mapping) }
      address = .offset(chip: named, offset: UInt32(offset))
    }
    take(address, value, &uses)
    return address
  }

  private mutating func needs(_ key: String, _ partner: String, at value: YAMLNode, _ mapping: YAMLMapping) {
    note(.needsPartner(key, partner: partner), at: value.position, mapping.node.place)
  }

  /// Records the use of a line, and reports a line that is used twice.
  private mutating func take(_ address: LineAddress, _ node: YAMLNode, _ uses: inout LineUses) {
    if let place = uses.add(address, node.place) { note(.lineUsedTwice(address.text, by: place), at: node) }
  }

  // MARK: LEDs and the buzzer

  private mutating func leds(_ node: YAMLNode, _ panel: inout PanelSettings, _ uses: inout LineUses) {
    let names = Array(LightOutputs.names.dropLast())
    guard let mapping = mapping(node, keys: names) else { return }
    for (bit, name) in names.enumerated() {
      if let value = mapping[name] {
        indicator(value, LightOutputs(rawValue: 1 << UInt8(bit)), &panel, &uses)
      }
    }
  }

  private mutating func indicator(
    _ node: YAMLNode, _ output: LightOutputs, _ panel: inout PanelSettings, _ uses: inout LineUses
  ) {
    if case .scalar = node.content {
      guard let name = lineText(node) else { return }
      take(.name(name), node, &uses)
      return panel.indicators.append(
        IndicatorSettings(output: output, target: .line(PanelLine(address: .name(name))), place: node.place))
    }
    let keys = ["line", "pin", "offset", "chip", "led", "active_low", "drive"]
    guard let mapping = mapping(node, keys: keys) else { return }
    guard let target = target(in: mapping, keys: keys, panel, &uses) else { return }
    panel.indicators.append(IndicatorSettings(output: output, target: target, place: node.place))
  }

  /// Reads the device to drive, a kernel LED or a line; `lineKeys` are the keys that are not allowed with an LED.
  mutating func target(
    in mapping: YAMLMapping, keys lineKeys: [String], _ panel: PanelSettings, _ uses: inout LineUses
  ) -> OutputTarget? {
    if let led = mapping["led"] {
      for key in lineKeys where key != "led" {
        if let value = mapping[key] { invalid(value, expected: "omitted if 'led' is set") }
      }
      guard let name = fileName(led) else { return nil }
      if let other = panel.place(ofLED: name) { note(.lineUsedTwice(name, by: other), at: led) }
      return .led(name)
    }
    let isActiveLow = flag(mapping["active_low"]) ?? false
    let drive: LineDrive =
      switch choice(mapping["drive"], of: ["push_pull", "open_drain", "open_source"]) {
      case 1: .openDrain
      case 2: .openSource
      default: .pushPull
      }
    return address(in: mapping, panel, &uses).map {
      .line(PanelLine(address: $0, isActiveLow: isActiveLow, drive: drive))
    }
  }

  private mutating func lights(_ node: YAMLNode, _ panel: inout PanelSettings) {
    guard case .mapping(let keys, _) = node.content else {
      _ = mapping(node, keys: [])
      return
    }
    var names: [String] = []
    for light in Light.allCases { names.append(light.name) }
    guard let mapping = mapping(node, keys: names), !keys.isEmpty else { return }
    for light in Light.allCases {
      guard let value = mapping[light.name], let text = text(value) else { continue }
      if let pattern = LightPattern(text, isLasting: light.isLasting) {
        panel.patterns[light] = pattern
      } else {
        invalid(
          value,
          expected: light.isLasting
            ? "a colour, or steps such as 'red! 80, off 400, x3' (20 to 60000 ms each)"
            : "steps such as 'red! 80, off 400, x3' (20 to 60000 ms each, 10 s in all)")
      }
    }
  }

  // MARK: Buttons

  private mutating func buttons(
    _ node: YAMLNode, _ panel: inout PanelSettings, _ uses: inout LineUses, _ actionNames: [String]
  ) {
    for element in list(node, max: Limits.buttonsMax) ?? [] { button(element, &panel, &uses, actionNames) }
  }

  private mutating func button(
    _ node: YAMLNode, _ panel: inout PanelSettings, _ uses: inout LineUses, _ actionNames: [String]
  ) {
    var keys = ["name", "line", "pin", "offset", "chip", "active_low", "bias", "debounce", "short_pulses"]
    for gesture in Gesture.allCases { keys.append(gesture.name) }
    guard let mapping = mapping(node, keys: keys) else { return }
    let isActiveLow = flag(mapping["active_low"]) ?? true
    let bias: LineBias =
      switch choice(mapping["bias"], of: ["pull_up", "pull_down", "disabled", "as_is"]) {
      case 0: .pullUp
      case 1: .pullDown
      case 2: .disabled
      case 3: .asIs
      default: isActiveLow ? .pullUp : .pullDown
      }
    let period = duration(mapping["debounce"], max: Limits.debounceMax)
    let debounce = DebounceSettings(
      period: period ?? Limits.debounceDefault,
      suppressesShortPulses: choice(mapping["short_pulses"], of: ["seen", "suppressed"]) == 1)
    var gestures = GestureSettings()
    for gesture in Gesture.allCases { self.gesture(gesture, in: mapping, &gestures, actionNames) }
    let name = lineText(mapping["name"])
    guard let address = address(in: mapping, panel, &uses) else { return }
    let plan = ButtonPlan(name: name ?? address.text, debounce: debounce, gestures: gestures)
    for other in panel.buttons where other.plan.name == plan.name {
      // A duplicate line has already been reported.
      if let value = mapping["name"] {
        invalid(value, expected: "a name that no other button uses")
      }
    }
    panel.buttons.append(
      ButtonSettings(
        plan: plan,
        line: PanelLine(
          address: address, isActiveLow: isActiveLow, bias: bias,
          // Kernel debouncing suppresses pulses that are shorter than this period.
          debounce: debounce.suppressesShortPulses ? debounce.period : .zero)))
  }

  /// Reads a gesture: `press: light`, or `hold: {action: scene, after: 1 s}`.
  private mutating func gesture(
    _ gesture: Gesture, in button: YAMLMapping, _ settings: inout GestureSettings, _ actionNames: [String]
  ) {
    guard let node = button[gesture.name] else { return }
    guard case .mapping = node.content else {
      settings[gesture] = actionName(node, actionNames)
      checkAnswer(gesture, settings, at: node)
      return
    }
    var keys = ["action"]
    switch gesture {
    case .hold: keys.append("after")
    case .double, .triple: keys.append("within")
    case .repeat: keys += ["after", "every"]
    case .press, .release: break
    }
    guard let mapping = mapping(node, keys: keys) else { return }
    if let value = required("action", in: mapping) {
      settings[gesture] = actionName(value, actionNames)
      checkAnswer(gesture, settings, at: value)
    }
    if let time = gestureTime(mapping["after"]) {
      if gesture == .hold { settings.holdAfter = time } else { settings.repeatAfter = time }
    }
    if let time = gestureTime(mapping["within"]) { settings.within = time }
    if let time = gestureTime(mapping["every"]) { settings.repeatEvery = time }
  }

  /// Reports an action with `confirm` on `release` or `repeat`: an action is confirmed with a second press, and these
  /// gestures already include a press.
  private mutating func checkAnswer(_ gesture: Gesture, _ settings: GestureSettings, at node: YAMLNode) {
    guard gesture == .release || gesture == .repeat, let name = settings[gesture], askingActions.contains(name) else {
      return
    }
    note(.unanswerable(name, gesture: gesture.name), at: node)
  }

  private mutating func gestureTime(_ node: YAMLNode?) -> Duration? {
    duration(node, min: Limits.repeatEveryMin, max: Limits.gestureTimeMax)
  }

  mutating func actionName(_ node: YAMLNode?, _ known: [String]) -> String? {
    guard let node, let name = reference(node) else { return nil }
    if !known.contains(name) {
      note(.unknownAction(Self.shortened(name), nearest: Spelling.nearest(to: name, among: known)), at: node)
    }
    return name
  }

  private mutating func chords(_ node: YAMLNode, _ panel: inout PanelSettings, _ actionNames: [String]) {
    for element in list(node, max: Limits.chordsMax) ?? [] {
      guard let mapping = mapping(element, keys: ["buttons", "press"]) else { continue }
      let action = actionName(required("press", in: mapping), actionNames)
      guard let value = required("buttons", in: mapping) else { continue }
      let expected = "a list of two buttons"
      guard case .sequence(let all) = value.content else {
        invalid(value, expected: expected)
        continue
      }
      guard all.count == 2, let elements = list(value) else {
        note(.wrongType(expected: expected, found: "a list of \(all.count)"), at: value)
        continue
      }
      guard let first = buttonIndex(elements[0], panel),
        let second = buttonIndex(elements[1], panel), let action
      else { continue }
      let isTaken = panel.chords.contains {
        ($0.first, $0.second) == (first, second) || ($0.first, $0.second) == (second, first)
      }
      if first == second || isTaken {
        invalid(elements[1], expected: "a different button, in a pair that no other chord uses")
      }
      panel.chords.append(ChordPlan(first: first, second: second, action: action))
    }
  }

  /// Returns the index of the button with this name.
  private mutating func buttonIndex(_ node: YAMLNode, _ panel: PanelSettings) -> Int? {
    guard let name = text(node) else { return nil }
    var names: [String] = []
    for (index, button) in panel.buttons.enumerated() {
      if button.plan.name == name { return index }
      names.append(button.plan.name)
    }
    note(.unknownButton(Self.shortened(name), nearest: Spelling.nearest(to: name, among: names)), at: node)
    return nil
  }

  /// Reports a button without any function as a missing `press`.
  private mutating func checkUse(_ node: YAMLNode, _ panel: PanelSettings) {
    guard case .sequence(let elements) = node.content, elements.count == panel.buttons.count else { return }
    for (index, button) in panel.buttons.enumerated() {
      let isUsed =
        button.plan.gestures.actions.contains { $0 != nil } || panel.unlockCode.contains(index)
        || panel.chords.contains { $0.first == index || $0.second == index }
      if !isUsed, problems.isEmpty {
        note(.missingKey("press"), at: elements[index].position, node.place + "[" + String(index) + "]")
      }
    }
  }
}
