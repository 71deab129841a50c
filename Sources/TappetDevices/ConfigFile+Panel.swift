// The part `panel:` of kiosk.yaml: lines, LEDs, buttons, what they do, how the lights look.

import TappetCore

extension ConfigReader {
  mutating func panel(_ node: YAMLNode, actionNames: [String]) -> PanelSettings? {
    let keys = [
      "simulator", "profile", "chip", "leds", "buzzer", "lights", "buttons", "chords", "lock_after", "unlock_code",
    ]
    guard let mapping = mapping(node, "panel", keys: keys) else { return nil }
    var panel = PanelSettings()
    if let value = mapping.value("simulator") { panel.simulator = socketPath(value, "panel.simulator") }
    if let value = mapping.value("profile") { panel.profile = profile(value) }
    panel.chip = lineText("chip", in: mapping)
    var uses: [(address: LineAddress, place: String)] = []
    if let value = mapping.value("leds") { leds(value, &panel, &uses) }
    if let value = mapping.value("buzzer") { output(value, "panel.buzzer", .buzzer, &panel, &uses) }
    if let value = mapping.value("lights") { lights(value, &panel) }
    if let value = mapping.value("buttons") { buttons(value, &panel, &uses, actionNames) }
    if let value = mapping.value("chords") { chords(value, &panel, actionNames) }
    panel.lockAfter = duration("lock_after", in: mapping, min: .seconds(1), max: Limits.lockAfterMax)
    if let value = mapping.value("unlock_code") {
      if mapping.value("lock_after") == nil {
        note(.needsPartner("unlock_code", partner: "lock_after"), at: value.position, "panel")
      }
      for (index, element) in (boundedList(value, "panel.unlock_code", max: Limits.codeLengthMax) ?? []).enumerated() {
        if let button = buttonIndex(element, "panel.unlock_code[" + String(index) + "]", panel) {
          panel.unlockCode.append(button)
        }
      }
    }
    if let value = mapping.value("buttons") { checkUse(value, panel) }
    return panel
  }

  /// A lock that nothing opens is a mistake.
  mutating func checkLock(_ panel: PanelSettings, _ actions: [Action], at position: TextPosition) {
    guard panel.lockAfter != nil, panel.unlockCode.isEmpty else { return }
    for action in actions where action.unlocksPanel { return }
    note(.nothingUnlocks, at: position, "panel")
  }

  // MARK: Lines

  private typealias Uses = [(address: LineAddress, place: String)]

  private mutating func lineText(_ node: YAMLNode, _ place: String) -> String? {
    shortText(node, place, sizeMax: Limits.lineNameSizeMax)
  }

  // By key: one call at each place where it is looked up, and the program is smaller for it.

  @inline(never)
  private mutating func lineText(_ key: String, in mapping: ConfigMapping) -> String? {
    mapping.value(key).flatMap { lineText($0, mapping.path(key)) }
  }

  @inline(never)
  private mutating func flag(_ key: String, in mapping: ConfigMapping, else other: Bool) -> Bool {
    mapping.value(key).flatMap { flag($0, mapping.path(key)) } ?? other
  }

  @inline(never)
  private mutating func duration(
    _ key: String, in mapping: ConfigMapping, min: Duration, max: Duration
  ) -> Duration? {
    mapping.value(key).flatMap { duration($0, mapping.path(key), min: min, max: max) }
  }

  /// Which of the words it is.
  @inline(never)
  private mutating func choice(_ key: String, in mapping: ConfigMapping, of words: [String]) -> Int? {
    guard let node = mapping.value(key) else { return nil }
    if case .scalar(let text, _) = node.content, let index = words.firstIndex(of: text) { return index }
    invalid(node, mapping.path(key), expected: words.map { "'" + $0 + "'" }.joined(separator: " or "))
    return nil
  }

  /// A name that is looked up in a folder.
  private mutating func fileName(_ node: YAMLNode, _ place: String) -> String? {
    guard let name = lineText(node, place) else { return nil }
    guard !name.utf8.contains(UInt8(ascii: "/")), name.utf8.first != UInt8(ascii: ".") else {
      invalid(node, place, expected: "a name without '/' that does not begin with '.'")
      return nil
    }
    return name
  }

  /// One of ours by name, or the path of another.
  private mutating func profile(_ node: YAMLNode) -> String? {
    if case .scalar(let text, _) = node.content, text.utf8.contains(UInt8(ascii: "/")) {
      return path(node, "panel.profile")
    }
    return fileName(node, "panel.profile")
  }

  private mutating func boundedList(_ node: YAMLNode, _ place: String, max: Int) -> [YAMLNode]? {
    guard let elements = list(node, place) else { return nil }
    guard elements.count <= max else {
      invalid(node, place, expected: "a list of at most " + String(max))
      return nil
    }
    return elements
  }

  /// By exactly one of `line`, `pin` and `offset`.
  private mutating func address(
    in mapping: ConfigMapping, _ panel: PanelSettings, _ uses: inout Uses
  ) -> LineAddress? {
    var key = "line"
    var found: YAMLNode?
    for other in ["line", "pin", "offset"] {
      guard let value = mapping.value(other) else { continue }
      if found != nil {
        invalid(value, mapping.path(other), expected: "left out where '" + key + "' is given")
        return nil
      }
      key = other
      found = value
    }
    guard let value = found else {
      note(.missingKey("line"), at: mapping.position, mapping.place)
      return nil
    }
    let chip = lineText("chip", in: mapping)
    if chip != nil, key != "offset" {
      note(
        .needsPartner("chip", partner: "offset"), at: mapping.value("chip")?.position ?? value.position, mapping.place)
    }
    let address: LineAddress
    switch key {
    case "line":
      guard let name = lineText(value, mapping.path(key)) else { return nil }
      address = .name(name)
    case "pin":
      guard let pin = whole(value, mapping.path(key), in: 1...9_999) else { return nil }
      if panel.profile == nil {
        note(.needsPartner("pin", partner: "panel.profile"), at: value.position, mapping.place)
      }
      address = .pin(Int(pin))
    default:
      guard let offset = whole(value, mapping.path(key), in: 0...65_535) else { return nil }
      let named = chip ?? panel.chip
      // A profile may know the only chip that can be meant.
      if named == nil, panel.profile == nil {
        note(.needsPartner("offset", partner: "chip"), at: value.position, mapping.place)
      }
      address = .offset(chip: named, offset: UInt32(offset))
    }
    take(address, at: value.position, mapping.path(key), &uses)
    return address
  }

  /// Each line once.
  private mutating func take(_ address: LineAddress, at position: TextPosition, _ place: String, _ uses: inout Uses) {
    for use in uses where use.address == address {
      return note(.lineUsedTwice(address.text, by: use.place), at: position, place)
    }
    uses.append((address, place))
  }

  // MARK: Outputs

  private mutating func leds(_ node: YAMLNode, _ panel: inout PanelSettings, _ uses: inout Uses) {
    let names = Array(LightOutputs.names.dropLast())
    guard let mapping = mapping(node, "panel.leds", keys: names) else { return }
    for (bit, name) in names.enumerated() {
      if let value = mapping.value(name) {
        output(value, "panel.leds." + name, LightOutputs(rawValue: 1 << UInt8(bit)), &panel, &uses)
      }
    }
  }

  private mutating func output(
    _ node: YAMLNode, _ place: String, _ output: LightOutputs, _ panel: inout PanelSettings, _ uses: inout Uses
  ) {
    if case .scalar = node.content {
      guard let name = lineText(node, place) else { return }
      take(.name(name), at: node.position, place, &uses)
      return panel.outputs.append(
        OutputSettings(output: output, target: .line(PanelLine(address: .name(name))), place: place))
    }
    let keys = ["line", "pin", "offset", "chip", "led", "active_low", "drive"]
    guard let mapping = mapping(node, place, keys: keys) else { return }
    if let led = mapping.value("led") {
      for key in keys where key != "led" {
        if let value = mapping.value(key) {
          invalid(value, mapping.path(key), expected: "left out where 'led' is given")
        }
      }
      guard let name = fileName(led, place + ".led") else { return }
      for other in panel.outputs where other.target == .led(name) {
        note(.lineUsedTwice(name, by: other.place), at: led.position, place + ".led")
      }
      return panel.outputs.append(OutputSettings(output: output, target: .led(name), place: place))
    }
    let isActiveLow = flag("active_low", in: mapping, else: false)
    let drive: LineDrive =
      switch choice("drive", in: mapping, of: ["push_pull", "open_drain", "open_source"]) {
      case 1: .openDrain
      case 2: .openSource
      default: .pushPull
      }
    guard let address = address(in: mapping, panel, &uses) else { return }
    let line = PanelLine(address: address, isActiveLow: isActiveLow, drive: drive)
    panel.outputs.append(OutputSettings(output: output, target: .line(line), place: place))
  }

  private mutating func lights(_ node: YAMLNode, _ panel: inout PanelSettings) {
    guard case .mapping(let pairs) = node.content else {
      _ = mapping(node, "panel.lights", keys: [])
      return
    }
    var names: [String] = []
    for light in Light.allCases { names.append(light.name) }
    guard let mapping = mapping(node, "panel.lights", keys: names), !pairs.isEmpty else { return }
    for light in Light.allCases {
      guard let value = mapping.value(light.name) else { continue }
      let place = "panel.lights." + light.name
      guard let text = text(value, place) else { continue }
      if let pattern = LightPattern(text, isLasting: light.isLasting) {
        panel.patterns[light] = pattern
      } else {
        invalid(
          value, place,
          expected: light.isLasting
            ? "a colour, or steps such as 'red! 80, off 400, x3' (20 to 60000 ms each)"
            : "steps such as 'red! 80, off 400, x3' (20 to 60000 ms each, 10 s in all)")
      }
    }
  }

  // MARK: Buttons

  private mutating func buttons(
    _ node: YAMLNode, _ panel: inout PanelSettings, _ uses: inout Uses, _ actionNames: [String]
  ) {
    for (index, element) in (boundedList(node, "panel.buttons", max: Limits.buttonsMax) ?? []).enumerated() {
      button(element, "panel.buttons[" + String(index) + "]", &panel, &uses, actionNames)
    }
  }

  private mutating func button(
    _ node: YAMLNode, _ place: String, _ panel: inout PanelSettings, _ uses: inout Uses, _ actionNames: [String]
  ) {
    var keys = ["name", "line", "pin", "offset", "chip", "active_low", "bias", "debounce", "short_pulses"]
    for gesture in Gesture.allCases { keys.append(gesture.name) }
    guard let mapping = mapping(node, place, keys: keys) else { return }
    let isActiveLow = flag("active_low", in: mapping, else: true)
    let bias: LineBias =
      switch choice("bias", in: mapping, of: ["pull_up", "pull_down", "disabled", "as_is"]) {
      case 0: .pullUp
      case 1: .pullDown
      case 2: .disabled
      case 3: .asIs
      default: isActiveLow ? .pullUp : .pullDown
      }
    let period = duration("debounce", in: mapping, min: .zero, max: Limits.debounceMax)
    let debounce = DebounceSettings(
      period: period ?? Limits.debounceDefault,
      suppressesShortPulses: choice("short_pulses", in: mapping, of: ["seen", "suppressed"]) == 1)
    var gestures = GestureSettings()
    for gesture in Gesture.allCases { self.gesture(gesture, in: mapping, &gestures, actionNames) }
    let name = lineText("name", in: mapping)
    guard let address = address(in: mapping, panel, &uses) else { return }
    let plan = ButtonPlan(name: name ?? address.text, debounce: debounce, gestures: gestures)
    for other in panel.buttons where other.plan.name == plan.name {
      // A line that stands twice was told of already.
      if let value = mapping.value("name") {
        invalid(value, place + ".name", expected: "a name that no other button has")
      }
    }
    panel.buttons.append(
      ButtonSettings(
        plan: plan,
        line: PanelLine(
          address: address, isActiveLow: isActiveLow, bias: bias,
          // A kernel that debounces suppresses what is shorter.
          debounce: debounce.suppressesShortPulses ? debounce.period : .zero)))
  }

  /// `press: light`, or `hold: {action: scene, after: 1 s}`.
  private mutating func gesture(
    _ gesture: Gesture, in button: ConfigMapping, _ settings: inout GestureSettings, _ actionNames: [String]
  ) {
    guard let node = button.value(gesture.name) else { return }
    let place = button.path(gesture.name)
    guard case .mapping = node.content else {
      settings[gesture] = actionName(node, place, actionNames)
      return
    }
    var keys = ["action"]
    switch gesture {
    case .hold: keys.append("after")
    case .double, .triple: keys.append("within")
    case .repeat: keys += ["after", "every"]
    case .press, .release: break
    }
    guard let mapping = mapping(node, place, keys: keys) else { return }
    if let value = required("action", in: mapping) {
      settings[gesture] = actionName(value, place + ".action", actionNames)
    }
    if let time = gestureTime("after", in: mapping) {
      if gesture == .hold { settings.holdAfter = time } else { settings.repeatAfter = time }
    }
    if let time = gestureTime("within", in: mapping) { settings.within = time }
    if let time = gestureTime("every", in: mapping) { settings.repeatEvery = time }
  }

  private mutating func gestureTime(_ key: String, in mapping: ConfigMapping) -> Duration? {
    duration(key, in: mapping, min: Limits.repeatEveryMin, max: Limits.gestureTimeMax)
  }

  private mutating func actionName(_ node: YAMLNode, _ place: String, _ known: [String]) -> String? {
    guard let name = text(node, place) else { return nil }
    if !known.contains(name) {
      note(
        .unknownAction(Self.shortened(name), nearest: Spelling.nearest(to: name, among: known)), at: node.position,
        place
      )
    }
    return name
  }

  private mutating func chords(_ node: YAMLNode, _ panel: inout PanelSettings, _ actionNames: [String]) {
    for (index, element) in (boundedList(node, "panel.chords", max: Limits.chordsMax) ?? []).enumerated() {
      let place = "panel.chords[" + String(index) + "]"
      guard let mapping = mapping(element, place, keys: ["buttons", "press"]) else { continue }
      let action = required("press", in: mapping).flatMap { actionName($0, place + ".press", actionNames) }
      guard let value = required("buttons", in: mapping) else { continue }
      guard case .sequence(let elements) = value.content, elements.count == 2 else {
        invalid(value, place + ".buttons", expected: "a list of two buttons")
        continue
      }
      guard let first = buttonIndex(elements[0], place + ".buttons[0]", panel),
        let second = buttonIndex(elements[1], place + ".buttons[1]", panel), let action
      else { continue }
      let isTaken = panel.chords.contains {
        ($0.first, $0.second) == (first, second) || ($0.first, $0.second) == (second, first)
      }
      if first == second || isTaken {
        invalid(elements[1], place + ".buttons[1]", expected: "another button, and no pair twice")
      }
      panel.chords.append(ChordPlan(first: first, second: second, action: action))
    }
  }

  /// The button of this name.
  private mutating func buttonIndex(_ node: YAMLNode, _ place: String, _ panel: PanelSettings) -> Int? {
    guard let name = text(node, place) else { return nil }
    var names: [String] = []
    for (index, button) in panel.buttons.enumerated() {
      if button.plan.name == name { return index }
      names.append(button.plan.name)
    }
    note(
      .unknownButton(Self.shortened(name), nearest: Spelling.nearest(to: name, among: names)), at: node.position, place)
    return nil
  }

  /// A button that does nothing is a forgotten `press`.
  private mutating func checkUse(_ node: YAMLNode, _ panel: PanelSettings) {
    guard case .sequence(let elements) = node.content, elements.count == panel.buttons.count else { return }
    for (index, button) in panel.buttons.enumerated() {
      let isUsed =
        button.plan.gestures.actions.contains { $0 != nil } || panel.unlockCode.contains(index)
        || panel.chords.contains { $0.first == index || $0.second == index }
      if !isUsed, problems.isEmpty {
        note(.missingKey("press"), at: elements[index].position, "panel.buttons[" + String(index) + "]")
      }
    }
  }
}
