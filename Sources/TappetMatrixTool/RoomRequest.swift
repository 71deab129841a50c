// The request to create a room, and the subsequent invitations.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

enum RoomRequest {
  static let options = [
    CommandOption("alias", "WORD", "local part of the address: #WORD:server"),
    CommandOption("invite", "USER,…", "users to invite"),
    CommandOption("admin", "USER,…", "users to invite with the same permissions as the kiosk"),
    CommandOption("public", "allow everyone to join without an invitation"),
  ]

  /// Creates the room, with additional members `more` in the request; prints its id, then sends the invitations.
  static func perform(
    _ arguments: Arguments, _ configuration: KioskConfiguration, _ more: [JSON.Member] = []
  ) throws(CommandFailure) {
    let client = try Homeserver.connect(configuration)
    let admins = users("admin", arguments)
    var request = JSON.Member.text("name", arguments.operands[0])
    request += JSON.Member.text("room_alias_name", arguments.value("alias"))
    // This preset gives invited users the creator's power level, in every room version.
    let preset = arguments.has("public") ? "public_chat" : "private_chat"
    request += JSON.Member.text("preset", admins.isEmpty ? preset : "trusted_private_chat")
    if !admins.isEmpty, arguments.has("public") {
      let rule = JSON.object([
        "type": .string("m.room.join_rules"), "state_key": .string(""),
        "content": .object(["join_rule": .string("public")]),
      ])
      request.append(JSON.Member(name: "initial_state", value: .array([rule])))
    }
    let first = admins.isEmpty ? users("invite", arguments) : admins
    request.append(JSON.Member(name: "invite", value: .array(first.map { .string($0) })))
    let answer = try client.require(.post, "/_matrix/client/v3/createRoom", .object(request + more))
    let id = answer["room_id"]?.text ?? ""
    Output.print(id.escaped)
    for user in users("invite", arguments) where !first.contains(user) {
      _ = try client.require(
        .post, "/_matrix/client/v3/rooms/\(id.percentEncoded)/invite", .object(JSON.Member.text("user_id", user)))
    }
  }

  private static func users(_ option: String, _ arguments: Arguments) -> [String] {
    arguments.value(option)?.split(separator: ",").map { String($0) } ?? []
  }
}

extension JSON.Member {
  /// Returns an array with a text member; empty if there is no value.
  static func text(_ name: String, _ value: String?) -> [JSON.Member] {
    value.map { [JSON.Member(name: name, value: .string($0))] } ?? []
  }
}
