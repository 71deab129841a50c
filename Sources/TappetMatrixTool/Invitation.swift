// Pending invitations to rooms, with the name and the inviter, which the homeserver provides before the kiosk joins.

import TappetCommandLine
import TappetCore
import TappetJSON

struct Invitation {
  let id: String
  let name: String?
  let sender: String?

  /// Returns all invitations, using an initial sync without joined rooms (client-server API §6.4, `rooms.invite`).
  static func all(_ client: HomeserverClient) throws(CommandFailure) -> [Invitation] {
    let nothing = JSON.object(["types": .array([])])
    let filter = JSON.object([
      "presence": nothing, "account_data": nothing,
      "room": .object([
        "state": nothing, "ephemeral": nothing, "account_data": nothing,
        "timeline": .object(["limit": .number(1), "types": .array([])]),
      ]),
    ])
    let query = String(decoding: filter.encoded(), as: UTF8.self).percentEncoded
    let answer = try client.require(.get, "/_matrix/client/v3/sync?timeout=0&set_presence=offline&filter=" + query)
    guard case .object(let invitations)? = answer["rooms"]?["invite"] else { return [] }
    return invitations.map { Invitation($0.name, $0.value["invite_state"]?["events"]?.elements ?? []) }
  }

  private init(_ id: String, _ events: [JSON]) {
    self.id = id.escaped
    func content(_ type: String, _ member: String) -> String? {
      events.first { $0["type"]?.text == type }?["content"]?[member]?.text?.escaped
    }
    name = content("m.room.canonical_alias", "alias") ?? content("m.room.name", "name")
    sender =
      events.last {
        $0["type"]?.text == "m.room.member" && $0["content"]?["membership"]?.text == "invite"
      }?["sender"]?.text?.escaped
  }

  /// The invitation as one line of text.
  var line: String { [id, name ?? "-", "invited by " + (sender ?? "an unknown user")].joined(separator: "  ") }
}
