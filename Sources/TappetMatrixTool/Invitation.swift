// Pending invitations to rooms, with the name and the inviter, which the homeserver provides before the kiosk joins.

import TappetCore
import TappetJSON

struct Invitation {
  let id: String
  let name: String?
  let sender: String?

  /// Creates the invitation from the events that the homeserver provides (client-server API §6.4, `rooms.invite`).
  init(_ id: String, _ events: [JSONNode]) {
    self.id = id
    func content(_ type: String, _ member: String) -> String? {
      events.first { $0["type"]?.text == type }?["content"]?[member]?.text
    }
    name = content("m.room.canonical_alias", "alias") ?? content("m.room.name", "name")
    // The other events are from the inviter's homeserver, which could have made up a second invitation.
    let senders = events.filter {
      $0["type"]?.text == "m.room.member" && $0["content"]?["membership"]?.text == "invite"
    }.map { $0["sender"]?.text }
    sender = senders.allSatisfy { $0 == senders.last } ? senders.last ?? nil : nil
  }

  /// The invitation as one line of text.
  var line: String {
    [id, name ?? "-", "invited by " + (sender ?? "an unknown user")].map { $0.escaped }.joined(separator: "  ")
  }

  var json: JSON { .object(["id": .string(id), "name": .optional(name), "sender": .optional(sender)]) }
}
