// Home Assistant entities for actions and outputs, and for the buttons on the panel.

import TappetConfig
import TappetCore
import TappetJSON

extension Discovery {
  /// Button entities, one for each action.
  var actionButtons: [Component] {
    configuration.actions.filter { plan.actions.contains($0.name) }.map { action in
      entity(
        "button", Discovery.key(of: action), action.title,
        [
          "cmd_tpl": Discovery.commandTemplate(#""action":"# + Discovery.quoted(action.name)), "qos": .number(1),
        ])
    }
  }

  /// Returns the key of an action: its explicit index, or otherwise its name; positions change when actions are added.
  private static func key(of action: Action) -> String {
    action.isIndexGiven ? "index_" + String(action.index) : "action_" + DiscoveryName.mapped(action.name)
  }

  /// Entities for the outputs, by kind.
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
      // Already part of the cover that the `open` output represents.
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

  /// Returns a lock entity: a pulse unlocks it, and its safe level is locked.
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

  /// Returns a cover entity; Home Assistant supports no templates for cover commands, so they contain no timestamp.
  ///
  /// With QoS 0, no command is queued while the broker is unreachable.
  private func cover(_ key: String, _ name: String, open: String, close: String, stop: JSON) -> Component {
    entity(
      "cover", "cover_" + DiscoveryName.mapped(key), name,
      [
        "cmd_t": .string(topics.coverCommand), "pl_open": Discovery.pulse(open), "pl_cls": Discovery.pulse(close),
        "pl_stop": stop, "qos": .number(0),
      ])
  }

  /// Entities for doors and windows, with a trigger for each alarm.
  var inputEntities: [Component] {
    configuration.panel.inputs.map { $0.plan }.filter { $0.isContact }.flatMap { input -> [Component] in
      let (key, topic) = (DiscoveryName.mapped(input.name), topics.input(input.name))
      var alarms: [InputAlarm] = []
      if input.output != nil { alarms.append(.forced) }
      if input.heldOpen != nil { alarms.append(.heldOpen) }
      let contact = entity(
        "binary_sensor", "input_" + key, input.name,
        [
          "dev_cla": .string(input.kind.word), "stat_t": .string(topic),
          "val_tpl": .string("{{ {'open':'ON','closed':'OFF'}.get(value_json.state,'None') }}"),
          "json_attr_t": .string(topic), "qos": .number(1),
        ])
      return [contact]
        + alarms.map { alarm in
          trigger(alarm.name, alarm.name, alarm.name + "_" + key, input.name, topics.alarm(input.name))
        }
    }
  }

  private static func pulse(_ output: String) -> JSON {
    .string(
      String(decoding: JSON.object(["output": .string(output), "do": .string("pulse")]).encoded(), as: UTF8.self))
  }

  private static func template(_ output: String, _ request: String) -> JSON {
    commandTemplate(#""output":"# + quoted(output) + #","do":""# + request + #"""#)
  }

  /// Panel buttons: an event entity for each button, and a trigger for each of its gestures.
  var panelButtons: [Component] {
    configuration.panel.buttons.flatMap { button -> [Component] in
      let gestures = Gesture.allCases.filter { button.plan.gestures[$0] != nil }
      let key = DiscoveryName.mapped(button.plan.name)
      let topic = topics.button(button.plan.name)
      guard !gestures.isEmpty else { return [] }
      return [presses("event_" + key, button.plan.name, gestures, topic)]
        + gestures.map { trigger($0.triggerType, $0.name, $0.name + "_" + key, button.plan.name, topic) }
    }
  }

  /// Pairs of buttons pressed together; each pair is represented as a separate button.
  var panelChords: [Component] {
    configuration.panel.chords.indices.compactMap { configuration.panel.chordNames($0) }.flatMap { names in
      let key = DiscoveryName.mapped(names.first, names.second)
      let name = names.first + " + " + names.second
      let topic = topics.chord(names.first, names.second)
      return [
        presses("chord_" + key, name, [.press], topic),
        trigger(Gesture.press.triggerType, Gesture.press.name, "chord_press_" + key, name, topic),
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

  /// Returns a trigger of a type that Home Assistant knows, or displays as it is, for the event with this payload.
  private func trigger(
    _ type: String, _ payload: String, _ key: String, _ name: String, _ topic: String
  ) -> Component {
    let members: KeyValuePairs<String, JSON> = [
      "atype": .string("trigger"), "type": .string(type), "stype": .string(name), "t": .string(topic),
      "val_tpl": .string("{{value_json.event_type}}"), "pl": .string(payload), "qos": .number(1),
    ]
    return Component(
      key: key, platform: "device_automation", members: members.map { JSON.Member(name: $0.key, value: $0.value) })
  }
}

extension Gesture {
  /// Home Assistant's standard type of the trigger, which it translates; custom types are displayed untranslated.
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
