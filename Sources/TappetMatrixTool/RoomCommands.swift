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
        .roomLogin, .roomLogout, .roomList, .roomJoin, .roomLeave, .roomInvite, .roomKick, .roomSend, .roomCreate,
        .spaceCreate, .spaceAdd, .spaceRemove, .spaceJoinAll, .spaceKickAll,
      ]
    }
  }

  static var roomList: Command {
    Command(
      words: "matrix list", section: .rooms, summary: "list the rooms that the kiosk has joined",
      options: [CommandOption("by-space", "list each room under its space, newest message first, with unread counts")],
      details: """
        Lists the rooms: id, address, name, and whether a room is a space or is encrypted. A room that cannot be
        read is reported, and the others are listed. Invitations are listed last, with their sender; use 'tappet
        matrix join' to accept an invitation. With --by-space, each room is listed under its space, if the kiosk
        has joined both; the counts of a space are the sums over its rooms.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let client = try Homeserver.connect(configuration)
        let joined = try client.require(.get, "/_matrix/client/v3/joined_rooms")["joined_rooms"]?.elements ?? []
        let invitations = try Invitation.all(client)
        defer { for invitation in invitations { Output.print(invitation.line) } }
        if joined.isEmpty { Output.printError("No rooms joined yet; use 'tappet matrix join ROOM' to join a room.") }
        var rooms: [ListedRoom] = []
        var failures: [String] = []
        for (index, id) in joined.compactMap({ $0.text }).enumerated() {
          if isatty(2) == 1, joined.count > 10 { Output.printErrorInPlace("Room \(index + 1) of \(joined.count)") }
          do throws(CommandFailure) {
            rooms.append(try ListedRoom(id, client, countsUnread: arguments.has("by-space")))
          } catch { failures.append("failed  \(id.escaped)  \(error.sentence ?? "")") }
        }
        if isatty(2) == 1, joined.count > 10 { Output.printErrorInPlace("") }
        if arguments.has("by-space") {
          let entries = ListedEntry.entries(rooms) { space in
            do throws(CommandFailure) { return try client.rooms(of: space.id).map { $0.id } } catch {
              failures.append("failed  \(space.id.escaped)  \(error.sentence ?? "")")
              return []
            }
          }
          for line in entries.flatMap({ $0.lines }) { Output.print(line) }
        } else {
          for room in rooms { Output.print(room.line) }
        }
        for failure in failures { Output.print(failure) }
        if !failures.isEmpty { throw .refused("\(failures.count) rooms could not be read; see the list above") }
      })
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
    change("leave", "leave a room", "Leaves a room. Messages to the room are given up from now on.", "Left")
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
        guard let bytes = try? LibCrypto.random(count: 16) else {
          throw .failed("the system's random number generator failed")
        }
        let event = try client.require(
          .put,
          "/_matrix/client/v3/rooms/\(id.percentEncoded)/send/m.room.message/" + Hex.encode(bytes),
          .object([
            "msgtype": .string("m.notice"), "m.mentions": .object([JSON.Member]()),
            "body": .string(arguments.operands[1]),
          ]))
        Output.printError("Sent: \((event["event_id"]?.text ?? "").escaped).")
      })
  }

  static var roomCreate: Command {
    Command(
      words: "matrix create", section: .rooms, summary: "create a room",
      operands: [Operand("NAME")],
      options: RoomRequest.options,
      details: """
        Creates a room without encryption, joins it, and prints its id. Without --public, only invited users can
        join. Without --admin, only the kiosk's account can ever change the room.
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
        let client = try Homeserver.connect(configuration)
        let id = try Homeserver.resolve(arguments.operands[0], client)
        let user = needsUser ? JSON.Member.text("user_id", arguments.operands[1]) : []
        _ = try client.require(.post, "/_matrix/client/v3/rooms/\(id.percentEncoded)/" + word, .object(user))
        Output.printError("\(done): \(needsUser ? arguments.operands[1] : id).")
      })
  }
}
