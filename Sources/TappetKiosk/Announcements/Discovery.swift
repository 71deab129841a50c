// Home Assistant's description of the kiosk: one message, from which it makes a device with all its entities.
//
// A mistake in it makes Home Assistant refuse the whole device without an answer, so nothing of it is left to chance:
// every component has its own `qos`, every entity a `uniq_id`, the abbreviations are Home Assistant's own. An id does
// not depend on what people read: titles, labels and the device's name may change without a new entity.

import TappetConfig
import TappetCore
import TappetJSON

/// The device that Home Assistant makes of a configuration.
///
/// Pure.
struct Discovery {
  /// One part of the device: an entity, a trigger or the tag scanner.
  struct Component {
    /// Unique in the device, and made of what stays the same.
    var key: String
    /// Home Assistant's word for its kind.
    var platform: String
    var members: [JSON.Member]
  }

  /// The device's id, in topics and in the ids of its entities.
  let id: String
  let configuration: KioskConfiguration
  let plan: HomeAssistantPlan
  let topics: HomeAssistantTopics

  /// `nil` when Home Assistant is not configured.
  init?(_ configuration: KioskConfiguration) {
    guard let plan = configuration.homeAssistant else { return nil }
    self.plan = plan
    self.configuration = configuration
    id = "tappet-" + DiscoveryName.mapped(configuration.broker.clientID)
    topics = configuration.broker.homeAssistantTopics
  }

  /// Topic of the message.
  var topic: String { plan.prefix + "/device/" + id + "/config" }

  /// All components, in the order of the configuration.
  var components: [Component] {
    actionButtons + outputEntities + panelButtons + panelChords + (configuration.hasReader ? tapEntities : [])
      + diagnostics
  }

  /// The description in JSON.
  ///
  /// A component that was in an earlier one is removed by its platform alone.
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
        "ids": .array([.string(id)]), "name": .string(plan.name ?? configuration.broker.clientID),
        "mf": .string("Tappet"), "mdl": .string("NFC kiosk"), "sw": .string(Version.text),
      ]),
      "o": .object(["name": .string("tappet"), "sw": .string(Version.text)]),
      "avty": .array([.object(["t": .string(configuration.broker.statusTopic + "/status")])]),
      // Inherited by every component that has none of its own.
      "cmd_t": .string(topics.command), "cmps": .object(parts),
    ])
    return message.encoded()
  }

  /// The topics whose messages the broker keeps, without the discovery's.
  var keptTopics: [String] {
    [configuration.broker.statusTopic + "/status", topics.lastTap]
      + configuration.panel.outputs.map { topics.output($0.plan.name) }
  }

  // MARK: Parts

  /// An entity, which has a name and an id.
  func entity(_ platform: String, _ key: String, _ name: String, _ members: KeyValuePairs<String, JSON>) -> Component {
    let common = [
      JSON.Member(name: "name", value: .string(name)), JSON.Member(name: "uniq_id", value: .string(id + "_" + key)),
    ]
    return Component(
      key: key, platform: platform, members: common + members.map { JSON.Member(name: $0.key, value: $0.value) })
  }

  /// A template of Home Assistant's for a command: these members, and the time at which it is sent.
  static func commandTemplate(_ members: String) -> JSON {
    .string("{" + members + #","t":{{now().timestamp()|int}}}"#)
  }

  /// The text in JSON, without the braces that would begin something in a template.
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
