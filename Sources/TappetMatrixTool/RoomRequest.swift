// The request for a new room.

import TappetCommandLine
import TappetJSON

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
