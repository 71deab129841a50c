// The request to create a room, its link to a space, and the subsequent invitations.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

enum RoomRequest {
  static let options = [
    CommandOption("alias", "WORD", "local part of the address: #WORD:server"),
    CommandOption("invite", "USER,…", "users to invite"),
    CommandOption("admin", "USER,…", "users to invite with the same permissions as the kiosk"),
    CommandOption("space", "SPACE", "space to add the room to, whose members can join without an invitation"),
    CommandOption("public", "allow everyone to join without an invitation"),
  ]

  /// Creates the room, with additional members `more` in the request; prints its id, then sends the invitations.
  static func perform(
    _ arguments: Arguments, _ configuration: KioskConfiguration, _ more: [JSON.Member] = []
  ) throws(CommandFailure) {
    let admins = try users("admin", arguments)
    let guests = try users("invite", arguments)
    let client = try Homeserver.connect(configuration)
    let space = try space(arguments, client)
    let via = JSON.array([.string(Homeserver.server(configuration))])
    var request = JSON.Member.text("name", arguments.operands[0])
    request += JSON.Member.text("room_alias_name", arguments.value("alias"))
    // This preset gives invited users the creator's power level, in every room version.
    let preset = arguments.has("public") ? "public_chat" : "private_chat"
    request += JSON.Member.text("preset", admins.isEmpty ? preset : "trusted_private_chat")
    var state: [JSON] = []
    if let rule = joinRule(space, isPublic: arguments.has("public")) { state.append(event("m.room.join_rules", rule)) }
    if let space {
      state.append(event("m.space.parent", key: space, .object(["via": via, "canonical": .bool(true)])))
    }
    request.append(JSON.Member(name: "initial_state", value: .array(state)))
    let first = admins.isEmpty ? guests : admins
    request.append(JSON.Member(name: "invite", value: .array(first.map { .string($0) })))
    let answer = try client.require(.post, "/_matrix/client/v3/createRoom", .object(request + more))
    let id = answer["room_id"]?.text ?? ""
    Output.print(id.escaped)
    let fault = space.flatMap { link(id, in: $0, via, client) }
    for user in guests where !first.contains(user) {
      _ = try client.require(
        .post, "/_matrix/client/v3/rooms/\(id.percentEncoded)/invite", .object(JSON.Member.text("user_id", user)))
    }
    if let fault { throw fault }
  }

  /// Returns the id of the space in `--space`, checked before anything is created.
  private static func space(_ arguments: Arguments, _ client: HomeserverClient) throws(CommandFailure) -> String? {
    guard let name = arguments.value("space") else { return nil }
    let id = try Homeserver.resolve(name, client)
    guard try RoomFacts(id, client).isSpace else { throw .refused("\(id.escaped) is a room, not a space") }
    return id
  }

  /// Returns the content of the join rules; `nil` means that only invited users can join.
  private static func joinRule(_ space: String?, isPublic: Bool) -> JSON? {
    if isPublic { return .object(["join_rule": .string("public")]) }
    return space.map { space in
      let members = JSON.object(["type": .string("m.room_membership"), "room_id": .string(space)])
      return .object(["join_rule": .string("restricted"), "allow": .array([members])])
    }
  }

  private static func event(_ type: String, key: String = "", _ content: JSON) -> JSON {
    .object(["type": .string(type), "state_key": .string(key), "content": content])
  }

  /// Adds the new room to the space; returns the reason if the homeserver refuses.
  private static func link(
    _ id: String, in space: String, _ via: JSON, _ client: HomeserverClient
  ) -> CommandFailure? {
    do throws(CommandFailure) {
      _ = try client.require(
        .put, "/_matrix/client/v3/rooms/\(space.percentEncoded)/state/m.space.child/\(id.percentEncoded)",
        .object(["via": via, "suggested": .bool(false)]))
      return nil
    } catch {
      var failure = error
      failure.sentence =
        "the room was created, but could not be added to \(space.escaped): \(error.sentence ?? "")"
      return failure
    }
  }

  /// Returns the users in an option, checked before anything is created.
  private static func users(_ option: String, _ arguments: Arguments) throws(CommandFailure) -> [String] {
    let users = arguments.value(option)?.split(separator: ",").map { String($0) } ?? []
    for user in users { try Homeserver.check(user: user) }
    return users
  }
}

extension JSON.Member {
  /// Returns an array with a text member; empty if there is no value.
  static func text(_ name: String, _ value: String?) -> [JSON.Member] {
    value.map { [JSON.Member(name: name, value: .string($0))] } ?? []
  }
}
