// tappet room: the rooms in which the kiosk is, and who else is there.

import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages

extension Operand {
  fileprivate static let room = Operand("ROOM")
  fileprivate static let user = Operand("USER")
}

extension Command {
  static var roomList: Command {
    Command(
      words: "room list", section: .rooms, summary: "list the rooms in which the kiosk is",
      details: """
        Lists the rooms: id, address, name, and whether a room is a space or is encrypted. Nothing can be sent in
        an encrypted room.
        """,
      body: .configured { (_, configuration) throws(CommandFailure) in
        let client = try Homeserver.connect(configuration)
        let rooms = try client.require(.get, "/_matrix/client/v3/joined_rooms")["joined_rooms"]?.elements ?? []
        if rooms.isEmpty { Output.printError("The kiosk is in no room; 'tappet room join ROOM' lets it in.") }
        for room in rooms {
          guard let id = room.text else { continue }
          let facts = try RoomFacts(id, client)
          Output.print(
            [id, facts.alias ?? "-", facts.name ?? "-"].joined(separator: "  ") + (facts.isSpace ? "  space" : "")
              + (facts.isEncrypted ? "  encrypted" : ""))
        }
      })
  }

  static var roomJoin: Command {
    Command(
      words: "room join", section: .rooms, summary: "let the kiosk into a room", operands: [.room],
      details: """
        Joins a room by its address (#door:example.org) or its id (!…); this is how an invitation is accepted, too.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let room = try Homeserver.checked(room: arguments.operands[0])
        let client = try Homeserver.connect(configuration)
        let answer = try client.require(
          .post, "/_matrix/client/v3/join/" + room.percentEncoded, .object([JSON.Member]()))
        let id = answer["room_id"]?.text ?? ""
        let isEncrypted = try RoomFacts(id, client).isEncrypted
        Output.printError(
          "Joined: \(id)." + (isEncrypted ? " It is encrypted: nothing can be sent there." : ""))
      })
  }

  static var roomLeave: Command {
    change("leave", "let the kiosk leave a room", "Leaves a room. Messages to it are given up from now on.", "Left")
  }

  static var roomInvite: Command {
    change(
      "invite", "invite somebody into a room", "Invites a user (@name:server) into a room in which the kiosk is.",
      "Invited", needsUser: true)
  }

  static var roomKick: Command {
    change(
      "kick", "remove somebody from a room",
      "Removes a user (@name:server) from a room, or withdraws their invitation, if the room lets the kiosk do so.",
      "Removed", needsUser: true)
  }

  static var roomSend: Command {
    Command(
      words: "room send", section: .rooms, summary: "say something in a room",
      operands: [.room, Operand("TEXT")],
      details: """
        Says something in a room, at once and once. Into an encrypted room nothing is sent.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let client = try Homeserver.connect(configuration)
        let id = try Homeserver.resolve(arguments.operands[0], client)
        if try RoomFacts(id, client).isEncrypted {
          throw .refused(WebhookRefusal.roomEncrypted.sentence(), WebhookRefusal.roomEncrypted.code)
        }
        guard let bytes = try? LibCrypto.random(count: 16) else { throw .failed("the system has no randomness") }
        let event = try client.require(
          .put,
          "/_matrix/client/v3/rooms/\(id.percentEncoded)/send/m.room.message/" + Hex.encode(bytes),
          .object(["msgtype": .string("m.notice"), "body": .string(arguments.operands[1])]))
        Output.printError("Said: \(event["event_id"]?.text ?? "").")
      })
  }

  static var roomCreate: Command {
    Command(
      words: "room create", section: .rooms, summary: "make a room",
      operands: [Operand("NAME")],
      options: [
        CommandOption("alias", "WORD", "its address: #WORD:server"),
        CommandOption("invite", "USER,…", "users to invite into it"),
        CommandOption("public", "anybody may join"),
      ],
      details: """
        Makes a room without encryption, in which the kiosk is, and prints its id. Without --public only those who
        are invited can join.
        """,
      example: "tappet room create 'Front door' --alias door --invite @ann:example.org",
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let client = try Homeserver.connect(configuration)
        var request = JSON.Member.text("name", arguments.operands[0])
        request += JSON.Member.text("room_alias_name", arguments.value("alias"))
        request += JSON.Member.text("preset", arguments.has("public") ? "public_chat" : "private_chat")
        let users = arguments.value("invite")?.split(separator: ",").map { JSON.string(String($0)) } ?? []
        request.append(JSON.Member(name: "invite", value: .array(users)))
        let answer = try client.require(.post, "/_matrix/client/v3/createRoom", .object(request))
        Output.print(answer["room_id"]?.text ?? "")
      })
  }

  /// A command that changes who is in a room.
  private static func change(
    _ word: String, _ summary: String, _ details: String, _ done: String, needsUser: Bool = false
  ) -> Command {
    Command(
      words: "room " + word, section: .rooms, summary: summary, operands: needsUser ? [.room, .user] : [.room],
      details: details,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let client = try Homeserver.connect(configuration)
        let id = try Homeserver.resolve(arguments.operands[0], client)
        let user = needsUser ? JSON.Member.text("user_id", arguments.operands[1]) : []
        _ = try client.require(.post, "/_matrix/client/v3/rooms/\(id.percentEncoded)/" + word, .object(user))
        Output.printError("\(done): \(needsUser ? arguments.operands[1] : id).")
      })
  }
}
