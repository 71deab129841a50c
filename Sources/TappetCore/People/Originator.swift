// The originator of a tap, a press, a command or the switching of an output: `by` in every record.

/// Someone or something that caused an action, or the switching of an output.
package enum Originator: Hashable, Sendable {
  /// The tag's owner, whom the records contain separately (`TagOwner`).
  case tag
  /// A user in a room, by a command, or by confirming a tap or a press.
  case user(String, room: String, confirming: Trigger? = nil)
  /// The sender on a command topic; `key` is the label of the secret that signed an action URL, and `unverified` the
  /// name that an ESP32 command states.
  case command(topic: String, key: String? = nil, unverified: String? = nil)
  case button(String)
  /// An exit, or the contact of a door that was forced or held open.
  case input(String)
  /// A browser on the page, by the name of its device.
  case page(device: String)
  /// A user of `tappet output`.
  case tool
  /// The program that embeds the kiosk.
  case program
  /// The kiosk itself, because of the inventory or of `on_start`.
  case kiosk
}

extension Originator {
  /// The trigger of an action with this originator.
  package var trigger: Trigger {
    @export(interface) get {
      switch self {
      case .tag: .tag
      case .user(_, _, let trigger): trigger ?? .command
      case .command, .tool: .command
      case .button, .page, .program: .button
      case .input: .input
      case .kiosk: .inventory
      }
    }
  }

  /// The name in logs and in the store; `nil` for a tag, because names of people are sealed.
  package var text: String? {
    @export(interface) get {
      switch self {
      case .tag: nil
      case .user(let name, _, _): name
      case .command(let topic, let key, let name):
        "topic " + topic + (key.map { ", key " + $0 } ?? "") + (name.map { ", unverified " + $0 } ?? "")
      case .button(let name): "button " + name
      case .input(let name): "input " + name
      case .page(let device): "page " + device
      case .tool: "tappet output"
      case .program: "program"
      case .kiosk: "kiosk"
      }
    }
  }

  /// Returns the name for messages and the live view.
  package func name(_ owner: TagOwner?) -> String? {
    Originator.name(text, person: owner?.person?.name, tag: owner?.label)
  }

  /// Returns the name in a record that contains `text`, the name of the tag's owner, and the tag's label.
  package static func name(_ text: String?, person: String?, tag: String?) -> String? {
    text ?? person ?? tag.map { "tag " + $0 }
  }
}
