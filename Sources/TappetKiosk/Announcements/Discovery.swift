// Home Assistant discovery of the kiosk: one message, from which Home Assistant creates a device with all its entities.
//
// On any error in the message, Home Assistant silently rejects the whole device, so everything is explicit: every
// component has its own `qos` and every entity a `uniq_id`, and the abbreviations are Home Assistant's own. Ids do not
// depend on displayed text: titles, labels and the device's name may change without creating a new entity.

import TappetConfig
import TappetCore
import TappetJSON

/// The Home Assistant device for a configuration.
///
/// Pure.
struct Discovery {
  /// One part of the device: an entity, a trigger or the tag scanner.
  struct Component {
    /// Key that is unique within the device, built only from stable parts.
    var key: String
    /// Home Assistant's platform for this kind of component.
    var platform: String
    var members: [JSON.Member]
  }

  /// The device's id, in topics and in the ids of its entities.
  let id: String
  let configuration: KioskConfiguration
  let broker: BrokerSettings
  let plan: HomeAssistantPlan
  let topics: HomeAssistantTopics

  /// Returns `nil` if Home Assistant is not configured.
  init?(_ configuration: KioskConfiguration) {
    guard let plan = configuration.homeAssistant, let broker = configuration.broker else { return nil }
    self.plan = plan
    self.broker = broker
    self.configuration = configuration
    id = "tappet-" + DiscoveryName.mapped(broker.clientID)
    topics = broker.homeAssistantTopics
  }

  /// Topic of the discovery message.
  var topic: String { plan.prefix + "/device/" + id + "/config" }

  /// All components, in the order of the configuration.
  var components: [Component] {
    actionButtons + outputEntities + inputEntities + panelButtons + panelChords
      + (configuration.reader != nil ? tapEntities : []) + inventoryEntities + diagnostics
  }

  /// Returns the discovery message as JSON.
  ///
  /// A component of an earlier message is removed by listing only its platform.
  func message(removing removed: [AnnouncedTopics.Component]) -> [UInt8] {
    var parts = components.map { component in
      JSON.Member(
        name: component.key,
        value: .object([JSON.Member(name: "p", value: .string(component.platform))] + component.members))
    }
    for component in removed {
      parts.append(JSON.Member(name: component.key, value: .object(["p": .string(component.platform)])))
    }
    let message: JSON = .object([
      "dev": .object([
        "ids": .array([.string(id)]), "name": .string(plan.name ?? broker.clientID),
        "mf": .string("Tappet"), "mdl": .string("NFC kiosk"), "sw": .string(Version.text),
      ]),
      "o": .object(["name": .string("tappet"), "sw": .string(Version.text)]),
      "avty": .array([.object(["t": .string(broker.statusTopic + "/status")])]),
      // Inherited by every component without a separate command topic.
      "cmd_t": .string(topics.command), "cmps": .object(parts),
    ])
    return message.encoded()
  }

  /// Topics with retained messages, except the discovery topic.
  var keptTopics: [String] {
    [broker.statusTopic + "/status", topics.lastTap]
      + configuration.panel.outputs.map { topics.output($0.plan.name) }
      + configuration.panel.inputs.filter { $0.plan.isContact }.map { topics.input($0.plan.name) }
  }

  // MARK: Parts

  /// Returns an entity: a component with a name and a unique id.
  func entity(_ platform: String, _ key: String, _ name: String, _ members: KeyValuePairs<String, JSON>) -> Component {
    let common = [
      JSON.Member(name: "name", value: .string(name)), JSON.Member(name: "uniq_id", value: .string(id + "_" + key)),
    ]
    return Component(
      key: key, platform: platform, members: common + members.map { JSON.Member(name: $0.key, value: $0.value) })
  }

  /// Returns a Home Assistant template for a command with the given members and the time of sending.
  static func commandTemplate(_ members: String) -> JSON {
    .string("{" + members + #","t":{{now().timestamp()|int}}}"#)
  }

  /// Returns the text as JSON, with braces escaped, because they would start template syntax.
  static func quoted(_ text: String) -> String {
    var quoted = ""
    for scalar in String(decoding: JSON.string(text).encoded(), as: UTF8.self).unicodeScalars {
      switch scalar {
      case "{": quoted += #"\u007b"#
      case "}": quoted += #"\u007d"#
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted
  }
}
