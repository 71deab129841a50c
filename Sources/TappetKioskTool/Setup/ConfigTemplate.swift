// The text of a new kiosk.yaml, with comments on the settings that are most likely to be changed.

import TappetCommandLine
import TappetCore

/// The contents of a kiosk.yaml.
struct ConfigTemplate {
  struct Action {
    var name: String
    var title: String?
    var index: Int64?
    /// `nil` until it is known; the configuration is only a draft until then.
    var effect: Effect?
    var message: String
    /// Whether `%{` is literal text in the message.
    var isLiteral = false
  }

  /// Where an action sends its message.
  enum Effect: Equatable {
    case topic(String)
    case room(String)
    case webServer(url: String)
    /// It sends none, and only drives the panel's output.
    case output
  }

  /// Comment lines at the top.
  var heading: [String] = []
  /// The broker's URL; `nil` if there is no broker.
  var url: String?
  var alpn: String?
  var clientID = ""
  var clientIDComment: String?
  var username: String?
  var hasPassword = false
  var hasCA = false
  var hasCertificate = false
  var hasTimestampKey = false
  var reader: String?
  var panel = PanelDraft()
  var state: String?
  var isHomeAssistant = false
  var trustsClock = false
  var actions: [Action] = []

  struct PanelDraft {
    var profile: String?
    var simulator: String?
    var led: String?
    var button: String?
    /// The line of the first action's output.
    var relay: String?
  }

  /// The file names, relative to the configuration's folder.
  static let ca = "ca.pem"
  static let certificate = "kiosk.pem"
  static let key = "kiosk.key"
  static let timestampKey = "timestamp.key"
  static let password = "broker.password"

  /// Whether it is still unknown what one of the actions does.
  var isDraft: Bool { actions.contains { $0.effect == nil } }

  var text: String {
    var text = ""
    for line in heading { text += "# " + Self.oneLine(line) + "\n" }
    text += "# Use 'tappet check' to test the file. docs/configuration.md (share/doc/tappet) describes every key.\n"
    text += "# Relative paths are relative to this file.\n\n"
    text += url.map { brokerText($0) } ?? "# broker: {url: HOST, client_id: NAME}        # required for topics\n"
    if actions.contains(where: { if case .room? = $0.effect { true } else { false } }) {
      text += "\nmatrix: {session: matrix.session}        # written by 'tappet matrix login'\n"
    }
    text +=
      hasTimestampKey
      ? "\n# The key for %T: the receiver must have the same key.\ntimestamp_key: {file: " + Self.timestampKey + "}\n"
      : "\n# timestamp_key: {file: timestamp.key}        # required if a message contains %T\n"
    text +=
      reader.map { $0 == "none" ? "\nreader: none\n" : "\nreader: {device: " + Self.quoted($0) + "}\n" }
      ?? "\n# reader: {device: \"pn532_uart:/dev/ttyUSB0\"}        # if omitted: the first reader that libnfc finds\n"
    text += trustsClock ? "\nclock: trust        # %T is sent even if the clock is not synchronized\n" : ""
    text +=
      state.map { "\nstate: " + Self.quoted($0) + "        # the database and its key\n" }
      ?? "\n# state: /var/lib/tappet        # the database and its key\n"
    text +=
      isHomeAssistant
      ? "\nhome_assistant: true        # Home Assistant finds this kiosk automatically\n"
      : "\n# home_assistant: true        # Home Assistant finds this kiosk automatically\n"
    // Somebody who answers on a page expects to find the kiosk on one.
    if Dialogue.current != nil {
      text += "\nweb: " + (state == nil ? "{socket: /run/tappet/web}" : "{}") + "        # the page for browsers\n"
    }
    text += panelText + "\nactions:\n"
    for (index, action) in actions.enumerated() {
      text += "  - name: " + Self.quoted(action.name) + "\n"
      if let title = action.title { text += "    title: " + Self.quoted(title) + "\n" }
      if let index = action.index { text += "    index: " + String(index) + "        # the idx on its tags\n" }
      if index == 0, panel.relay != nil { text += "    output: {relay: pulse}\n" }
      guard let place = Self.place(of: action) else { continue }
      text += "    " + place + "\n"
      text += "    message: " + Self.quoted(action.message) + "\n"
      if action.isLiteral { text += "    format: literal        # '%{' has no special meaning in this message\n" }
    }
    return text
  }

  private func brokerText(_ url: String) -> String {
    var text = "broker:\n"
    text += "  url: " + Self.quoted(url) + "        # or a list of URLs: if one fails, the next is tried\n"
    if let alpn { text += "  alpn: " + Self.quoted(alpn) + "        # offered in the TLS handshake\n" }
    text += "  client_id: " + Self.quoted(clientID) + "        # "
    text += Self.oneLine(clientIDComment ?? "must be unique on the broker") + "\n"
    if let username {
      text += "  username: " + Self.quoted(username) + "\n"
      if hasPassword { text += "  password: {file: " + Self.password + "}\n" }
      // 'tappet init' has asked.
      if hasPassword, url.begins(with: "mqtt://") {
        text += "  plain_password: true        # everyone on the network can read it\n"
      }
    }
    text +=
      hasCA
      ? "  ca: " + Self.ca + "        # only these CA certificates are trusted\n"
      : "  # ca: ca.pem        # if omitted: the system's trust store\n"
    if hasCertificate {
      text += "  certificate: " + Self.certificate + "        # use 'tappet cert import' to replace it and the key\n"
      text += "  private_key: " + Self.key + "\n"
    } else {
      text += "  # certificate: kiosk.pem\n  # private_key: kiosk.key\n"
    }
    return text
  }

  private static func place(of action: Action) -> String? {
    switch action.effect {
    case .topic(let topic): "topic: " + quoted(topic)
    case .room(let room): "room: " + quoted(room)
    case .webServer(let url):
      // 'tappet init' has asked.
      "webhook: {url: " + quoted(url) + (WebhookURL(url)?.isExposed == true ? ", allow_http: true" : "") + "}"
    case .output, nil: nil
    }
  }

  private var panelText: String {
    var text = ""
    if let profile = panel.profile { text += "  profile: " + Self.quoted(profile) + "\n" }
    if let simulator = panel.simulator { text += "  simulator: " + Self.quoted(simulator) + "\n" }
    if let led = panel.led { text += "  leds: {status: " + Self.quoted(led) + "}\n" }
    if let button = panel.button, let action = actions.first {
      text += "  buttons:\n    - line: " + Self.quoted(button) + "\n      press: " + Self.quoted(action.name) + "\n"
    }
    if let relay = panel.relay {
      text += "  outputs:        # add 'active_low: true' if a low level switches it on\n"
      text += "    - {name: relay, line: " + Self.quoted(relay) + ", pulse: 1 s}\n"
    }
    return text.isEmpty
      ? "\n# panel: {leds: {status: GPIO17}, buttons: [{line: GPIO5, press: "
        + (actions.first.map { Self.quoted($0.name) } ?? "light") + "}]}\n" : "\npanel:\n" + text
  }

  /// Returns a double-quoted scalar (YAML 1.1 §9.2.1), or the text unchanged if it needs no quotes.
  static func quoted(_ text: String) -> String {
    if text.hasOnlyASCIIAlphanumerics(and: "-/_."), let first = text.utf8.first,
      first.isASCIILowercase || first == 0x2F, !reserved.contains(text)
    {
      return text
    }
    if text.utf8.contains(0x22), text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != 0x27 }) {
      return "'" + text + "'"
    }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22, 0x5C:
        result += "\\"
        result.unicodeScalars.append(scalar)
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Words that YAML 1.1 does not parse as strings.
  private static var reserved: [String] { ["true", "false", "null", "yes", "no", "on", "off", "y", "n"] }

  /// Replaces line breaks and control characters, because a line break would end the comment.
  private static func oneLine(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      result.unicodeScalars.append(
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
          ? " " : scalar)
    }
    return result
  }

  /// Returns an action name derived from a title: lower-case words with hyphens; `fallback` for non-Latin scripts.
  static func name(of title: String, fallback: String) -> String {
    var name: [UInt8] = []
    for byte in title.utf8 {
      if byte.isASCIIAlphanumeric {
        name.append(byte.asciiLowercased)
      } else if byte < 0x80, let last = name.last, last != 0x2D {
        name.append(0x2D)
      }
    }
    while name.last == 0x2D { name.removeLast() }
    guard let first = name.first, first.isASCIILowercase, name.count <= Limits.actionNameSizeMax,
      title.utf8.allSatisfy({ $0 < 0x80 })
    else { return fallback }
    return String(decoding: name, as: UTF8.self)
  }
}
