// Home Assistant's description of a kiosk, as JSON.

import Foundation
import TappetConfig
import TappetCore
import Testing

@testable import TappetKiosk

@Suite struct DiscoveryTests {
  private func configuration(_ text: String, client: String = "kiosk") throws -> KioskConfiguration {
    let text = "broker: {url: 'mqtts://broker.example', client_id: '\(client)'}\n" + text
    let outcome = ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet", files: .ignored)
    guard case .loaded(let configuration) = outcome else { throw Refused(outcome: outcome) }
    return configuration
  }

  private struct Refused: Error { var outcome: ConfigurationParser.Outcome }

  private func json(_ discovery: Discovery, removing: [AnnouncedTopics.Component] = []) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(discovery.message(removing: removing)))
    return try #require(object as? [String: Any])
  }

  private func components(_ text: String) throws -> [String: [String: Any]] {
    let discovery = try #require(Discovery(configuration(text)))
    return try #require(try json(discovery)["cmps"] as? [String: [String: Any]])
  }

  private static let small = """
    panel:
      lock_after: 60 s
      outputs:
        - {name: pump, line: GPIO20}
        - {name: door, line: GPIO21, kind: lock}
        - {name: magnet, line: GPIO22, kind: lock, safe: on}
        - {name: gate, line: GPIO23, kind: button}
        - {name: chime, line: GPIO27, pulse: 1 s}
        - {name: garage, line: GPIO24, kind: cover}
        - {name: up, line: GPIO25, kind: open, interlock: blind}
        - {name: down, line: GPIO26, kind: close, interlock: blind}
      buttons:
        - {name: 'Bell 🔔', line: GPIO5, press: bell, hold: light}
        - {name: a/b, line: GPIO6}
      chords:
        - {buttons: ['Bell 🔔', a/b], press: light}
      unlock_code: ['Bell 🔔']
    actions:
      - {name: bell, title: 'Ring "it" {{ now() }}', topic: home/bell, message: x}
      - {name: light, index: 7, topic: home/light, message: x}
    home_assistant: {name: Lobby}
    """

  @Test func `a contact is a binary sensor with a trigger for each alarm, and an exit is nothing`() throws {
    let components = try components(
      """
      panel:
        outputs: [{name: latch, line: GPIO20}]
        inputs:
          - {name: front, line: GPIO5, of: latch, held_open: 30 s}
          - {name: gate, line: GPIO6, kind: garage_door}
          - {name: exit, line: GPIO7, kind: exit, of: latch}
      actions: [{name: bell, topic: home/bell, message: x}]
      home_assistant: true
      """)
    let front = try #require(components["input_front"])
    #expect(front["p"] as? String == "binary_sensor" && front["dev_cla"] as? String == "door")
    #expect(front["stat_t"] as? String == "tappet/kiosk/input/front" && front["json_attr_t"] != nil)
    #expect(components["input_gate"]?["dev_cla"] as? String == "garage_door" && components["input_exit"] == nil)
    let forced = try #require(components["forced_front"])
    #expect(forced["t"] as? String == "tappet/kiosk/input/front/event" && forced["pl"] as? String == "forced")
    #expect(components["held_open_front"]?["type"] as? String == "held_open" && components["forced_gate"] == nil)
  }

  @Test func `the description has every member that Home Assistant requires`() throws {
    let message = try json(try #require(Discovery(configuration(Self.small, client: "front.door:1"))))
    #expect(Set(message.keys) == ["dev", "o", "avty", "cmd_t", "cmps"])
    #expect(message["cmd_t"] as? String == "tappet/front.door:1/command")
    let device = try #require(message["dev"] as? [String: Any])
    #expect((device["ids"] as? [String])?.first?.hasPrefix("tappet-front_door_1-") == true)
    #expect(device["name"] as? String == "Lobby" && device["mf"] as? String == "Tappet")
    #expect((message["o"] as? [String: String])?["name"] == "tappet")
    #expect((message["avty"] as? [[String: String]]) == [["t": "tappet/front.door:1/status"]])
    let parts = try #require(message["cmps"] as? [String: [String: Any]])
    for (key, part) in parts {
      let platform = try #require(part["p"] as? String)
      #expect(part["qos"] is Int, "\(key)")
      #expect(!part.keys.contains("retain") && !part.keys.contains("~"))
      if platform == "tag" || platform == "device_automation" { continue }
      #expect((part["uniq_id"] as? String)?.hasSuffix("_" + key) == true, "\(key)")
      #expect(!(part["name"] as? String ?? "").isEmpty, "\(key)")
    }
    let safe = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    #expect(parts.keys.allSatisfy { $0.allSatisfy { safe.contains($0) } })
    let topic = Discovery(try configuration(Self.small, client: "front.door:1"))?.topic ?? ""
    #expect(topic.split(separator: "/").count == 4 && topic.hasPrefix("homeassistant/device/tappet-front_door_1-"))
  }

  @Test func `actions become buttons with ids that do not depend on their titles`() throws {
    let parts = try components(Self.small)
    let bell = try #require(parts["action_bell"])
    #expect(bell["p"] as? String == "button" && bell["name"] as? String == #"Ring "it" {{ now() }}"#)
    #expect(bell["cmd_tpl"] as? String == #"{"action":"bell","t":{{now().timestamp()|int}}}"#)
    #expect(bell["cmd_t"] == nil)
    #expect(parts["index_7"]?["name"] as? String == "light")
  }

  @Test func `each output becomes the matching kind of component`() throws {
    let parts = try components(Self.small)
    let pump = try #require(parts["switch_pump"])
    #expect(pump["p"] as? String == "switch" && pump["stat_t"] as? String == "tappet/kiosk/output/pump")
    #expect(
      pump["cmd_tpl"] as? String == #"{"output":"pump","do":"{{ value }}","t":{{now().timestamp()|int}}}"#)
    #expect(
      parts["lock_door"]?["stat_locked"] as? String == "OFF" && parts["lock_door"]?["pl_unlk"] as? String == "PULSE")
    #expect(parts["lock_magnet"]?["stat_locked"] as? String == "ON")
    #expect(parts["pulse_gate"]?["p"] as? String == "button" && parts["pulse_chime"]?["p"] as? String == "button")
    let garage = try #require(parts["cover_garage"])
    #expect(garage["pl_open"] as? String == #"{"output":"garage","do":"pulse"}"# && garage["qos"] as? Int == 0)
    let blind = try #require(parts["cover_drive_blind"])
    #expect(blind["pl_open"] as? String == #"{"output":"up","do":"pulse"}"# && blind["pl_stop"] is NSNull)
    #expect(blind["pl_cls"] as? String == #"{"output":"down","do":"pulse"}"#)
    #expect(parts.values.filter { $0["p"] as? String == "cover" }.count == 2)
  }

  @Test func `buttons become events and triggers for their gestures`() throws {
    let parts = try components(Self.small)
    let key = DiscoveryName.mapped("Bell 🔔")
    #expect(parts["event_" + key]?["evt_typ"] as? [String] == ["press", "hold"])
    #expect(parts["press_" + key]?["type"] as? String == "button_short_press")
    #expect(parts["press_" + key]?["stype"] as? String == "Bell 🔔" && parts["double_" + key] == nil)
    #expect(parts["hold_" + key]?["t"] as? String == "tappet/kiosk/button/" + key)
  }

  @Test func `a chord becomes an event and a trigger under both buttons' names`() throws {
    let parts = try components(Self.small)
    let key = DiscoveryName.mapped("Bell 🔔", "a/b")
    let event = try #require(parts["chord_" + key])
    #expect(event["p"] as? String == "event" && event["name"] as? String == "Bell 🔔 + a/b")
    #expect(event["evt_typ"] as? [String] == ["press"] && event["stat_t"] as? String == "tappet/kiosk/chord/" + key)
    let trigger = try #require(parts["chord_press_" + key])
    #expect(trigger["t"] as? String == "tappet/kiosk/chord/" + key && trigger["pl"] as? String == "press")
    #expect(trigger["stype"] as? String == "Bell 🔔 + a/b")
    // A button without a gesture of its own is nothing by itself.
    #expect(parts["event_" + DiscoveryName.mapped("a/b")] == nil)
  }

  @Test func `an inventory adds components for low stock, loans and taps`() throws {
    let parts = try components(Self.small + "\ninventory:\n")
    let stock = try #require(parts["low_stock"])
    #expect(stock["p"] as? String == "binary_sensor" && stock["dev_cla"] as? String == "problem")
    #expect(stock["stat_t"] as? String == "tappet/kiosk/inventory/low")
    #expect(stock["json_attr_t"] as? String == "tappet/kiosk/inventory/low")
    #expect(stock["val_tpl"] as? String == "{{ 'ON' if value_json.count else 'OFF' }}")
    let items = try #require(parts["low_items"])
    #expect(items["p"] as? String == "sensor" && items["stat_cla"] as? String == "measurement")
    #expect(items["stat_t"] as? String == "tappet/kiosk/state")
    #expect(
      items["val_tpl"] as? String == "{{ value_json.inventory.low if value_json.inventory else none }}")
    let out = try #require(parts["checked_out"])
    #expect(out["p"] as? String == "sensor" && out["val_tpl"] as? String == "{{ value_json.count }}")
    #expect(out["stat_t"] as? String == "tappet/kiosk/inventory/out")
    #expect(out["json_attr_t"] as? String == "tappet/kiosk/inventory/out")
    let tap = try #require(parts["inventory_tap"])
    #expect(tap["p"] as? String == "event" && tap["stat_t"] as? String == "tappet/kiosk/inventory/tap")
    let types = try #require(tap["evt_typ"] as? [String])
    #expect(Set(types).isSuperset(of: TouchResult.allCases.map(\.rawValue) + ["person", "unknown", "refused"]))
    let others = try components(Self.small)
    #expect(Set(parts.keys).subtracting(others.keys) == ["low_stock", "low_items", "checked_out", "inventory_tap"])
  }

  @Test func `a name cannot break out of its template`() throws {
    let text = #"a"b{{ states }}{% x %}\"#
    let quoted = Discovery.quoted(text)
    #expect(!quoted.contains("{") && !quoted.contains("}"))
    let back = try JSONSerialization.jsonObject(with: Data(("[" + quoted + "]").utf8))
    #expect(back as? [String] == [text])
  }

  @Test func `a removed component is described by its platform alone`() throws {
    let discovery = try #require(Discovery(configuration(Self.small)))
    let now = discovery.components.map { AnnouncedTopics.Component(key: $0.key, platform: $0.platform) }
    let before = AnnouncedTopics.Component(key: "switch_old", platform: "switch")
    var memory = AnnouncedTopics()
    let content = AnnouncedTopics.content([before] + now)
    #expect(memory.replace(by: [("other", ""), (discovery.topic, content)]).count == 2)
    let removed = memory.removed(from: discovery.topic, keeping: now)
    #expect(removed == [before])
    let parts = try json(discovery, removing: removed)["cmps"] as? [String: [String: Any]]
    #expect(parts?["switch_old"] as? [String: String] == ["p": "switch"])
    let changes = memory.replace(by: [(discovery.topic, content)])
    #expect(changes.map { $0.topic } == ["other"] && changes[0].content == nil)
  }

  @Test func `the description of 20 actions, 8 buttons and 8 outputs fits into 16 KB`() throws {
    var text = "home_assistant: true\nactions:\n"
    for index in 1...20 {
      text +=
        "  - {name: action-\(index), title: Open the gate number \(index), topic: home/gate/\(index), message: x}\n"
    }
    text += "panel:\n  outputs:\n"
    for index in 1...8 { text += "    - {name: output-\(index), line: GPIO\(index)}\n" }
    text += "  buttons:\n"
    for index in 1...8 {
      text +=
        "    - {name: Button \(index), line: GPIO\(index + 8), press: action-1, hold: action-2, double: action-3}\n"
    }
    let discovery = try #require(Discovery(configuration(text, client: "kiosk-in-the-lobby")))
    let size = discovery.message(removing: []).count
    #expect(size < 16 * 1024, "\(size)")
  }
}
