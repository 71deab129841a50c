// Home Assistant entities for taps, and for the kiosk's own state.

import TappetConfig
import TappetCore
import TappetJSON

extension Discovery {
  /// The tag scanner, the steps of each tap, and the last tap.
  var tapEntities: [Component] {
    let scanner = [
      JSON.Member(name: "t", value: .string(topics.tag)),
      JSON.Member(name: "val_tpl", value: .string("{{ value_json.tag_id }}")),
      JSON.Member(name: "qos", value: .number(1)),
    ]
    return [
      Component(key: "tag", platform: "tag", members: scanner),
      entity(
        "event", "tap", "Tap",
        [
          "ic": .string("mdi:nfc-tap"), "evt_typ": .array(TapTransition.Kind.words.map { .string($0) }),
          "stat_t": .string(topics.tap), "qos": .number(1),
        ]),
      entity(
        "sensor", "last", "Last tap",
        [
          "dev_cla": .string("timestamp"), "stat_t": .string(topics.lastTap),
          "val_tpl": .string("{{ value_json.time }}"),
          "json_attr_t": .string(topics.lastTap), "qos": .number(1),
        ]),
    ]
  }

  /// The condition that everything works; the broker does, because the state comes through it.
  private static var allGood: String {
    KioskPart.allCases.filter { $0 != .broker }.map { part in
      let state = "value_json." + part.rawValue
      return part.isStandard ? state + ".good" : "(\(state) is none or \(state).good)"
    }.joined(separator: " and ")
  }

  /// Diagnostic entities, derived from the kiosk's state.
  var diagnostics: [Component] {
    var components =
      configuration.reader != nil
      ? [binary("reader", "Reader", "connectivity", "'ON' if value_json.reader.good else 'OFF'")] : []
    components += [
      binary(
        "problem", "Problem", "problem",
        "'OFF' if " + Discovery.allGood + " else 'ON'"),
      diagnostic("light", "Light", "value_json.light", ["ic": .string("mdi:led-on")]),
      diagnostic(
        "outbox", "Waiting messages", "value_json.outbox",
        ["stat_cla": .string("measurement"), "ic": .string("mdi:tray-full")]),
    ]
    for (name, title) in [
      ("accepted", "Accepted"), ("delivered", "Delivered"), ("refused", "Refused"), ("expired", "Expired"),
    ] {
      components.append(
        diagnostic(name, title, "value_json.counters." + name, ["stat_cla": .string("total_increasing")]))
    }
    if configuration.inventory != nil {
      components.append(
        diagnostic(
          "low_items", "Low items", "value_json.inventory.low if value_json.inventory else none",
          ["stat_cla": .string("measurement"), "ic": .string("mdi:package-variant")]))
    }
    if broker.certificateFile != nil || broker.caFile != nil {
      components.append(
        diagnostic(
          "certificate", "Certificate ends", "value_json.certificate_ends_at", ["dev_cla": .string("timestamp")]))
    }
    if configuration.panel.lockAfter != nil {
      // In Home Assistant's device class for locks, "on" means unlocked.
      components.append(binary("locked", "Buttons locked", "lock", "'OFF' if value_json.locked else 'ON'"))
    }
    return components
  }

  /// The inventory: whether anything is low, what is lent, and the results of touches.
  var inventoryEntities: [Component] {
    guard configuration.inventory != nil else { return [] }
    let (low, out) = (topics.inventoryList(.low), topics.inventoryList(.out))
    return [
      entity(
        "binary_sensor", "low_stock", "Low stock",
        [
          "dev_cla": .string("problem"), "stat_t": .string(low),
          "val_tpl": .string("{{ 'ON' if value_json.count else 'OFF' }}"), "json_attr_t": .string(low),
          "qos": .number(1),
        ]),
      entity(
        "sensor", "checked_out", "Checked out",
        [
          "ic": .string("mdi:account-arrow-right"), "stat_cla": .string("measurement"), "stat_t": .string(out),
          "val_tpl": .string("{{ value_json.count }}"), "json_attr_t": .string(out), "qos": .number(1),
        ]),
      entity(
        "event", "inventory_tap", "Inventory tap",
        [
          "ic": .string("mdi:package-variant"),
          "evt_typ": .array(TouchTransition.Kind.words.map { .string($0) }), "stat_t": .string(topics.touch),
          "qos": .number(1),
        ]),
    ]
  }

  private func binary(_ key: String, _ name: String, _ deviceClass: String, _ template: String) -> Component {
    diagnostic(key, name, template, ["dev_cla": .string(deviceClass)], platform: "binary_sensor")
  }

  private func diagnostic(
    _ key: String, _ name: String, _ template: String, _ more: KeyValuePairs<String, JSON>, platform: String = "sensor"
  ) -> Component {
    var component = entity(
      platform, key, name,
      [
        "ent_cat": .string("diagnostic"), "stat_t": .string(broker.stateTopic),
        "val_tpl": .string("{{ " + template + " }}"), "qos": .number(1),
      ])
    component.members += more.map { JSON.Member(name: $0.key, value: $0.value) }
    return component
  }
}
