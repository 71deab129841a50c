// Questions of the commands about one room.

import TappetConfig
import TappetCore

extension Homeserver {
  /// A room's id.
  static func resolve(_ room: String, _ client: HomeserverClient) throws(CommandFailure) -> String {
    if try checked(room: room).begins(with: "!") { return room }
    let answer = try client.require(.get, "/_matrix/client/v3/directory/room/" + room.percentEncoded)
    guard let id = answer["room_id"]?.text, RoomDestination.isRoom(id) else {
      throw HomeserverClient.Answer(status: 200, json: nil).failure("the homeserver")
    }
    return id
  }

  static func checked(room: String) throws(CommandFailure) -> String {
    guard RoomDestination.isRoom(room) else {
      throw .usage("a room is '#door:example.org' or '!id:example.org', not '\(room)'")
    }
    return room
  }
}

/// The facts in a room's state.
struct RoomFacts {
  private(set) var name: String?
  private(set) var alias: String?
  private(set) var isEncrypted = false
  private(set) var isSpace = false

  init(_ id: String, _ client: HomeserverClient) throws(CommandFailure) {
    func content(_ type: String) throws(CommandFailure) -> JSON? {
      let answer = try client.ask(.get, "/_matrix/client/v3/rooms/\(id.percentEncoded)/state/" + type)
      if answer.status == 404, answer.code == "M_NOT_FOUND" { return nil }
      guard answer.status == 200, let json = answer.json else { throw answer.failure("the homeserver") }
      return json
    }
    name = try content("m.room.name")?["name"]?.text
    alias = try content("m.room.canonical_alias")?["alias"]?.text
    isEncrypted = try content("m.room.encryption") != nil
    isSpace = try content("m.room.create")?["type"]?.text == "m.space"
  }
}

/// The request for a new room.
enum RoomRequest {
  static let options = [
    CommandOption("alias", "WORD", "its address: #WORD:server"),
    CommandOption("invite", "USER,…", "users to invite into it"),
    CommandOption("public", "anybody may join"),
  ]

  static func members(_ arguments: Arguments) -> [JSON.Member] {
    var request = JSON.Member.text("name", arguments.operands[0])
    request += JSON.Member.text("room_alias_name", arguments.value("alias"))
    request += JSON.Member.text("preset", arguments.has("public") ? "public_chat" : "private_chat")
    let users = arguments.value("invite")?.split(separator: ",").map { JSON.string(String($0)) } ?? []
    return request + [JSON.Member(name: "invite", value: .array(users))]
  }
}
