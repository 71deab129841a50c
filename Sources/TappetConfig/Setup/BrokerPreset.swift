// Requirements and limits of each kind of broker, read from share/tappet/presets, which has one YAML file per kind.
//
//   title: AWS IoT Core
//   example: a1b2…-ats.iot.eu-central-1.amazonaws.com    a typical host name
//   port: 8883
//   also: {port: 443, alpn: x-amzn-mqtt-ca}               alternative, if a firewall allows only that port
//   certificate: required                                 or optional
//   client_id_max: 128   topic_size_max, topic_levels_max, message_size_max, keepalive_min, keepalive_max
//   notes: [what to set up at the broker]

import CPlatform
import TappetCore
import TappetPlatform

/// One kind of broker.
package struct BrokerPreset: Sendable {
  /// The file name without its extension.
  package var name: String
  /// Display name of the kind of broker.
  package var title: String
  /// An example of a host name.
  package var example: String
  /// The port for TLS.
  package var port: UInt16
  /// An alternative port, and the ALPN name that selects MQTT on this port.
  package var other: (port: UInt16, alpn: String)?
  /// Whether a client certificate is required.
  package var wantsCertificate: Bool
  /// Maximum size of a client id, in bytes.
  package var clientIDSizeMax: Int?
  /// Maximum size of a topic, in bytes.
  package var topicSizeMax: Int?
  /// Maximum number of topic levels.
  package var topicLevelsMax: Int?
  /// Maximum size of a message, in bytes.
  package var messageSizeMax: Int?
  /// Minimum and maximum interval between PINGREQs.
  package var keepalive: (min: Duration?, max: Duration?)
  /// Whether the broker is used by Home Assistant, so that the kiosk publishes its description.
  package var isHomeAssistant: Bool
  /// Notes on what to set up at the broker.
  package var notes: [String]

  /// A setting that this kind of broker would refuse.
  package enum PresetConflict: Hashable, Sendable {
    case clientIDTooLong(max: Int)
    case topicTooLong(action: String, max: Int)
    case topicTooDeep(action: String, max: Int)
    case messageTooLong(action: String, max: Int)
    case keepalive(min: Int64, max: Int64)
    case certificateMissing
  }

  /// Returns the settings that this kind of broker would refuse, in the order of the configuration.
  @export(interface)
  package func objections(to broker: BrokerSettings, actions: [Action]) -> [PresetConflict] {
    var objections: [PresetConflict] = []
    if let max = clientIDSizeMax, broker.clientID.utf8.count > max { objections.append(.clientIDTooLong(max: max)) }
    if wantsCertificate, broker.certificateFile == nil { objections.append(.certificateMissing) }
    let seconds = Duration.seconds(Int64(broker.keepaliveSeconds))
    let least = keepalive.min ?? .zero
    if seconds < least || seconds > keepalive.max ?? seconds {
      let most = keepalive.max ?? seconds
      objections.append(.keepalive(min: least.wholeMilliseconds / 1000, max: most.wholeMilliseconds / 1000))
    }
    for action in actions {
      guard let topic = action.topic else { continue }
      if let max = topicSizeMax, action.topicSizeMax > max {
        objections.append(.topicTooLong(action: action.name, max: max))
      }
      if let max = topicLevelsMax, topic.utf8.filter({ $0 == 0x2F }).count >= max {
        objections.append(.topicTooDeep(action: action.name, max: max))
      }
      // Measured without a token: a message just below the limit may still exceed it once a token is inserted.
      if let max = messageSizeMax, action.message.fill(token: nil, id: EntryID(high: 0, low: 0)).count > max {
        objections.append(.messageTooLong(action: action.name, max: max))
      }
    }
    return objections
  }
}

extension BrokerPreset {
  /// Reads the preset `name`; `nil` if it does not exist or has errors.
  @export(interface)
  package static func load(name: String) -> BrokerPreset? {
    guard known().contains(name),
      case .success(let file) = TextFile.read(folder() + "/" + name + ".yaml", sizeMax: Limits.profileSizeMax)
    else { return nil }
    return parse(file.bytes, name: name).preset
  }

  /// Returns the names that `load` accepts, sorted.
  package static func known() -> [String] { DataFolder.names(in: folder()) }

  /// Returns the known name nearest to `name`.
  package static func nearest(to name: String) -> String? { Spelling.nearest(to: name, among: known()) }

  /// Parses a preset, which is `nil` after an error.
  static func parse(_ bytes: [UInt8], name: String) -> (preset: BrokerPreset?, problems: [ConfigurationProblem]) {
    var reader = YAMLReader(file: name, folder: ".")
    do throws(YAMLFailure) {
      let root = try YAMLDocument.parse(bytes)
      return (reader.preset(root, name: name), reader.problems)
    } catch {
      reader.note(.yaml(error.error), at: error.position, "")
      return (nil, reader.problems)
    }
  }

  private static func folder() -> String { DataFolder.path("presets", variable: "TAPPET_PRESETS") }
}

extension YAMLReader {
  fileprivate mutating func preset(_ root: YAMLNode, name: String) -> BrokerPreset? {
    let keys = [
      "title", "example", "port", "also", "certificate", "client_id_max", "topic_size_max", "topic_levels_max",
      "message_size_max", "keepalive_min", "keepalive_max", "home_assistant", "notes",
    ]
    guard let top = mapping(root, keys: keys) else { return nil }
    let title = shortText(required("title", in: top), sizeMax: 64)
    let example = shortText(required("example", in: top), sizeMax: 253)
    let port = port(required("port", in: top))
    var other: (port: UInt16, alpn: String)?
    if let node = top["also"], let mapping = mapping(node, keys: ["port", "alpn"]) {
      let port = self.port(required("port", in: mapping))
      let alpn = shortText(required("alpn", in: mapping), sizeMax: Limits.protocolNameSizeMax)
      if let port, let alpn { other = (port, alpn) }
    }
    let certificate = choice(required("certificate", in: top), of: ["required", "optional"])
    var notes: [String] = []
    for node in top["notes"].flatMap({ list($0) }) ?? [] {
      if let note = shortText(node, sizeMax: 400) { notes.append(note) }
    }
    let preset = BrokerPreset(
      name: name, title: title ?? "", example: example ?? "", port: port ?? 0, other: other,
      wantsCertificate: certificate == 0, clientIDSizeMax: bound(top["client_id_max"]),
      topicSizeMax: bound(top["topic_size_max"]), topicLevelsMax: bound(top["topic_levels_max"]),
      messageSizeMax: bound(top["message_size_max"]),
      keepalive: (
        duration(top["keepalive_min"], max: .seconds(65_535)), duration(top["keepalive_max"], max: .seconds(65_535))
      ), isHomeAssistant: flag(top["home_assistant"]) ?? false, notes: notes)
    return problems.isEmpty ? preset : nil
  }

  private mutating func port(_ node: YAMLNode?) -> UInt16? { whole(node, in: 1...65_535).map { UInt16($0) } }

  private mutating func bound(_ node: YAMLNode?) -> Int? { whole(node, in: 1...(1 << 30)).map { Int($0) } }
}
