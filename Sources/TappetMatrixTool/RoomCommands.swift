// tappet matrix: the rooms that the kiosk has joined, and their members.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages

extension Operand {
  fileprivate static let room = Operand("ROOM")
  fileprivate static let user = Operand("USER")
}

extension Command {
  /// The commands for rooms and spaces, in the order of the overview.
  package static var matrix: [Command] {
    @export(interface) get {
      [
        .roomLogin, .roomLogout, .roomList, .roomWatch, .roomJoin, .roomLeave, .roomInvite, .roomKick, .roomSend,
        .roomRedact, .roomCreate, .spaceCreate, .spaceAdd, .spaceRemove, .spaceJoinAll, .spaceKickAll,
      ]
    }
  }

  static var roomJoin: Command {
    Command(
      words: "matrix join", section: .rooms, summary: "join a room", operands: [.room],
      details: """
        Joins a room by its address (#door:example.org) or its id (!…). This command also accepts invitations.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let room = try Homeserver.checked(room: arguments.operands[0])
        let client = try Homeserver.connect(configuration)
        let answer = try client.require(
          .post, "/_matrix/client/v3/join/" + room.percentEncoded, .object([JSON.Member]()))
        let id = answer["room_id"]?.text ?? ""
        let isEncrypted = try RoomFacts(id, client).isEncrypted
        Output.printError(
          "Joined: \(id.escaped)." + (isEncrypted ? " The room is encrypted." : ""))
      })
  }

  static var roomLeave: Command {
    change(
      "leave", "leave a room",
      "Leaves a room, or declines an invitation. Messages to the room are given up from now on.", "Left")
  }

  static var roomInvite: Command {
    change(
      "invite", "invite a user to a room", "Invites a user (@name:server) to a room that the kiosk has joined.",
      "Invited", needsUser: true)
  }

  static var roomKick: Command {
    change(
      "kick", "remove a user from a room",
      "Removes a user (@name:server) from a room, or withdraws their invitation, if the kiosk has permission.",
      "Removed", needsUser: true)
  }

  static var roomSend: Command {
    Command(
      words: "matrix send", section: .rooms, summary: "send a message to a room",
      operands: [.room, Operand("TEXT")],
      details: """
        Sends a message to a room, immediately and without retries. Nothing is sent to an encrypted room.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let client = try Homeserver.connect(configuration)
        let id = try Homeserver.resolve(arguments.operands[0], client)
        if try RoomFacts(id, client).isEncrypted {
          throw .refused(WebhookRefusal.roomEncrypted.sentence(), WebhookRefusal.roomEncrypted.code)
        }
        let event = try client.require(
          .put,
          "/_matrix/client/v3/rooms/\(id.percentEncoded)/send/m.room.message/" + transactionID(),
          .object([
            "msgtype": .string("m.notice"), "m.mentions": .object([JSON.Member]()),
            "body": .string(arguments.operands[1]),
          ]))
        Output.printError("Sent: \((event["event_id"]?.text ?? "").escaped).")
      })
  }

  static var roomRedact: Command {
    Command(
      words: "matrix redact", section: .rooms, summary: "remove a message from a room",
      operands: [.room, Operand("EVENT")],
      options: [CommandOption("reason", "TEXT", "reason that clients show in place of the message")],
      details: """
        Removes the content of an event ($…) for good, if the kiosk sent it or may remove the messages of others.
        'tappet matrix send' prints the id of its event, and clients show it as the source or link of a message.
        The reason is not encrypted, not even in an encrypted room.
        """,
      example: "tappet matrix redact '#door:example.org' '$event' --reason 'wrong room'",
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let event = arguments.operands[1]
        guard event.begins(with: "$"), RoomAddress.isValid("!" + event) else {
          throw .usage("an event must be '$id', not '\(event)'")
        }
        let client = try Homeserver.connect(configuration)
        let id = try Homeserver.resolve(arguments.operands[0], client)
        _ = try client.require(
          .put,
          "/_matrix/client/v3/rooms/\(id.percentEncoded)/redact/\(event.percentEncoded)/" + transactionID(),
          .object(JSON.Member.text("reason", arguments.value("reason"))))
        Output.printError("Removed: \(event).")
      })
  }

  /// Returns a new id under which the homeserver accepts a request once.
  private static func transactionID() throws(CommandFailure) -> String {
    guard let bytes = try? LibCrypto.random(count: 16) else {
      throw .failed(SharedSentence.noRandomness)
    }
    return Hex.encode(bytes)
  }

  static var roomCreate: Command {
    Command(
      words: "matrix create", section: .rooms, summary: "create a room",
      operands: [Operand("NAME")],
      options: RoomRequest.options,
      details: """
        Creates a room without encryption, joins it, and prints its id. Without --public, only invited users can
        join, and with --space also the members of that space, to which the room is added. Without --admin, only
        the kiosk's account can ever change the room.
        """,
      example: "tappet matrix create 'Front door' --alias door --admin @ann:example.org",
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        try RoomRequest.perform(arguments, configuration)
      })
  }

  /// Returns a command that changes a membership in a room.
  private static func change(
    _ word: String, _ summary: String, _ details: String, _ done: String, needsUser: Bool = false
  ) -> Command {
    Command(
      words: "matrix " + word, section: .rooms, summary: summary, operands: needsUser ? [.room, .user] : [.room],
      details: details,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        if needsUser { try Homeserver.check(user: arguments.operands[1]) }
        let client = try Homeserver.connect(configuration)
        let id = try Homeserver.resolve(arguments.operands[0], client)
        let user = needsUser ? JSON.Member.text("user_id", arguments.operands[1]) : []
        _ = try client.require(.post, "/_matrix/client/v3/rooms/\(id.percentEncoded)/" + word, .object(user))
        Output.printError("\(done): \(needsUser ? arguments.operands[1] : id).")
      })
  }
}
