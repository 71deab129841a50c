// Actions and outputs for Home Assistant's people, and the buttons that people press at the kiosk.

import TappetConfig
import TappetCore
import TappetJSON

extension Discovery {
  /// A button for each action.
  var actionButtons: [Component] {
    configuration.actions.filter { plan.actions.contains($0.name) }.map { action in
      entity(
        "button", Discovery.key(of: action), action.title,
        [
          "cmd_tpl": Discovery.commandTemplate(#""action":"# + Discovery.quoted(action.name)), "qos": .number(1),
        ])
    }
  }

  /// An index that was given stays when the action is renamed; a position does not stay when another one is added.
  private static func key(of action: Action) -> String {
    action.isIndexGiven ? "index_" + String(action.index) : "action_" + DiscoveryName.mapped(action.name)
  }

  /// The outputs by their kinds.
  var outputEntities: [Component] {
    let outputs = configuration.panel.outputs.map { $0.plan }
    return outputs.filter { plan.outputs.contains($0.name) }.compactMap { output in
      switch output.kind {
      case .switch: toggle(output)
      case .button: pulse(output)
      case .lock: lock(output)
      case .cover:
        cover(output.name, output.name, open: output.name, close: output.name, stop: Discovery.pulse(output.name))
      case .open: drive(output, among: outputs)
      // It is a part of the drive that the other one stands for.
      case .close: nil
      }
    }
  }

  private func toggle(_ output: OutputPlan) -> Component {
    entity(
      "switch", "switch_" + DiscoveryName.mapped(output.name), output.name,
      [
        "cmd_tpl": Discovery.template(output.name, "{{ value }}"),
        "stat_t": .string(topics.output(output.name)), "qos": .number(1),
      ])
  }

  private func pulse(_ output: OutputPlan) -> Component {
    entity(
      "button", "pulse_" + DiscoveryName.mapped(output.name), output.name,
      [
        "cmd_tpl": Discovery.template(output.name, "pulse"), "qos": .number(1),
      ])
  }

  /// A pulse unlocks it, and its safe level is locked.
  private func lock(_ output: OutputPlan) -> Component {
    let (locked, unlocked) = output.isSafeOn ? ("ON", "OFF") : ("OFF", "ON")
    return entity(
      "lock", "lock_" + DiscoveryName.mapped(output.name), output.name,
      [
        "cmd_tpl": Discovery.template(output.name, "{{ value }}"),
        "pl_lock": .string(locked), "pl_unlk": .string("PULSE"), "stat_t": .string(topics.output(output.name)),
        "stat_locked": .string(locked), "stat_unlocked": .string(unlocked), "qos": .number(1),
      ])
  }

  private func drive(_ output: OutputPlan, among outputs: [OutputPlan]) -> Component? {
    guard let group = output.interlock,
      let other = outputs.first(where: { $0.kind == .close && $0.interlock == group })
    else { return nil }
    return cover("drive_" + group, group, open: output.name, close: other.name, stop: .null)
  }

  /// A cover, for whose commands Home Assistant has no template, and so no time.
  ///
  /// With QoS 0 none waits for a broker that is away.
  private func cover(_ key: String, _ name: String, open: String, close: String, stop: JSON) -> Component {
    entity(
      "cover", "cover_" + DiscoveryName.mapped(key), name,
      [
        "cmd_t": .string(topics.coverCommand), "pl_open": Discovery.pulse(open), "pl_cls": Discovery.pulse(close),
        "pl_stop": stop, "qos": .number(0),
      ])
  }

  private static func pulse(_ output: String) -> JSON {
    .string(
      String(decoding: JSON.object(["output": .string(output), "do": .string("pulse")]).encoded(), as: UTF8.self))
  }

  private static func template(_ output: String, _ request: String) -> JSON {
    commandTemplate(#""output":"# + quoted(output) + #","do":""# + request + #"""#)
  }

  /// The panel's buttons: an event entity for each, and a trigger for each of its gestures.
  var panelButtons: [Component] {
    configuration.panel.buttons.flatMap { button -> [Component] in
      let gestures = Gesture.allCases.filter { button.plan.gestures[$0] != nil }
      let key = DiscoveryName.mapped(button.plan.name)
      let topic = topics.button(button.plan.name)
      guard !gestures.isEmpty else { return [] }
      return [presses("event_" + key, button.plan.name, gestures, topic)]
        + gestures.map { trigger($0, $0.name + "_" + key, button.plan.name, topic) }
    }
  }

  /// The pairs of buttons that are pressed together, each as a button of its own.
  var panelChords: [Component] {
    configuration.panel.chords.indices.compactMap { configuration.panel.chordNames($0) }.flatMap { names in
      let key = DiscoveryName.mapped(names.first, names.second)
      let name = names.first + " + " + names.second
      let topic = topics.chord(names.first, names.second)
      return [
        presses("chord_" + key, name, [.press], topic), trigger(.press, "chord_press_" + key, name, topic),
      ]
    }
  }

  private func presses(_ key: String, _ name: String, _ gestures: [Gesture], _ topic: String) -> Component {
    entity(
      "event", key, name,
      [
        "dev_cla": .string("button"), "evt_typ": .array(gestures.map { .string($0.name) }), "stat_t": .string(topic),
        "qos": .number(1),
      ])
  }

  private func trigger(_ gesture: Gesture, _ key: String, _ name: String, _ topic: String) -> Component {
    let members: KeyValuePairs<String, JSON> = [
      "atype": .string("trigger"), "type": .string(gesture.triggerType), "stype": .string(name), "t": .string(topic),
      "val_tpl": .string("{{value_json.event_type}}"), "pl": .string(gesture.name), "qos": .number(1),
    ]
    return Component(
      key: key, platform: "device_automation", members: members.map { JSON.Member(name: $0.key, value: $0.value) })
  }
}

extension Gesture {
  /// Home Assistant's word, which it translates; it shows any other one as it is.
  fileprivate var triggerType: String {
    switch self {
    case .press: "button_short_press"
    case .hold: "button_long_press"
    case .double: "button_double_press"
    case .triple: "button_triple_press"
    case .repeat: "button_repeat"
    case .release: "button_short_release"
    }
  }
}
