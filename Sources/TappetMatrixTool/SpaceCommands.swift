// tappet space: groups of rooms. The result for each room is reported; a failure does not affect the other rooms.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages

extension Operand {
  fileprivate static let space = Operand("SPACE")
}

extension Command {
  static var spaceCreate: Command {
    Command(
      words: "space create", section: .rooms, summary: "create a space",
      operands: [Operand("NAME")], options: RoomRequest.options,
      details: """
        Creates a space, joins it, and prints its id. Without --public, only invited users can join, and with
        --space also the members of that other space, to which the new one is added. Without --admin, only the
        kiosk's account can ever change the space.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let content = JSON.object(["type": .string("m.space")])
        try RoomRequest.perform(arguments, configuration, [JSON.Member(name: "creation_content", value: content)])
      })
  }

  static var spaceAdd: Command {
    Command(
      words: "space add", section: .rooms, summary: "add a room to a space", operands: [.space, Operand("ROOM")],
      details: """
        Adds a room to a space: links the room in the space, and the space in the room. The result of each link is
        reported, since one of them can fail.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let client = try Homeserver.connect(configuration)
        let via = JSON.array([.string(Homeserver.server(configuration))])
        try relate(
          arguments, client, "added", child: .object(["via": via, "suggested": .bool(false)]),
          parent: .object(["via": via, "canonical": .bool(true)]))
      })
  }

  static var spaceRemove: Command {
    Command(
      words: "space remove", section: .rooms, summary: "remove a room from a space",
      operands: [.space, Operand("ROOM")],
      details: """
        Removes a room from a space. The room and its members remain.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let client = try Homeserver.connect(configuration)
        let nothing = JSON.object([JSON.Member]())
        try relate(arguments, client, "removed", child: nothing, parent: nothing)
      })
  }

  static var spaceJoinAll: Command {
    Command(
      words: "space join-all", section: .rooms, summary: "join all rooms of a space",
      operands: [.space],
      details: """
        Joins every room of a space that the kiosk is allowed to join, and reports each. Nested spaces are
        skipped.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let client = try Homeserver.connectForSpace(configuration)
        let id = try Homeserver.resolve(arguments.operands[0], client)
        var results = SpaceResults()
        if let answer = client.askForSpace(id, "join-all", JSON.object([JSON.Member]())) {
          results.take(answer, done: "joined")
        } else {
          let server = Homeserver.server(configuration)
          for room in try client.rooms(of: id) {
            let via = room.server ?? server
            results.take(room.id, "joined") { () throws(CommandFailure) in
              _ = try client.require(
                .post, "/_matrix/client/v3/join/\(room.id.percentEncoded)?server_name=\(via.percentEncoded)",
                .object([JSON.Member]()), mayRepeat: true)
            }
          }
        }
        try results.end()
      })
  }

  static var spaceKickAll: Command {
    Command(
      words: "space kick-all", section: .rooms, summary: "remove a user from a space and all of its rooms",
      operands: [.space, Operand("USER")],
      details: """
        Removes a user (@name:server) from a space and from each of its rooms, and withdraws their invitations.
        Each room is reported; a failure in one room does not stop the others.
        """,
      body: .configured { (arguments, configuration) throws(CommandFailure) in
        let client = try Homeserver.connectForSpace(configuration)
        let id = try Homeserver.resolve(arguments.operands[0], client)
        let user = arguments.operands[1]
        // The kiosk itself leaves the space last, because the rooms are not visible to a user outside the space.
        let isOwn = configuration.matrix.flatMap { Homeserver.session($0) }?.user == user
        var results = SpaceResults()
        // The rooms are read before anyone is removed: if they cannot be read, nothing is changed.
        let rooms = try client.rooms(of: id)
        if !isOwn { results.kick(user, from: id, client) }
        if let answer = client.askForSpace(id, "remove", .object(["user_id": .string(user)])) {
          results.take(answer, done: "removed")
        } else {
          for room in rooms { results.kick(user, from: room.id, client) }
        }
        if isOwn { results.kick(user, from: id, client) }
        try results.end()
      })
  }

  /// Writes both state events that link a room and a space.
  private static func relate(
    _ arguments: Arguments, _ client: HomeserverClient, _ done: String, child: JSON, parent: JSON
  ) throws(CommandFailure) {
    let space = try Homeserver.resolve(arguments.operands[0], client)
    let room = try Homeserver.resolve(arguments.operands[1], client)
    var results = SpaceResults()
    for (place, type, key, content) in [(space, "m.space.child", room, child), (room, "m.space.parent", space, parent)]
    {
      results.take(place, done) { () throws(CommandFailure) in
        _ = try client.require(
          .put, "/_matrix/client/v3/rooms/\(place.percentEncoded)/state/\(type)/\(key.percentEncoded)", content)
      }
    }
    try results.end()
  }
}

/// Prints the result for each room.
private struct SpaceResults {
  private var failed = 0

  mutating func take(_ room: String, _ done: String, _ body: () throws(CommandFailure) -> Void) {
    do throws(CommandFailure) {
      try body()
      show(done, room)
    } catch { note(room, error.sentence ?? "") }
  }

  /// Handles the response from a server that processed all rooms.
  mutating func take(_ answer: JSON, done: String) {
    for room in answer[done]?.elements ?? [] { show(done, room.text ?? "") }
    for failure in answer["failed"]?.elements ?? [] {
      note(failure["room_id"]?.text ?? "", (failure["error"]?.text ?? "").escaped)
    }
  }

  /// Removes a user who has joined or was invited to the room.
  mutating func kick(_ user: String, from room: String, _ client: HomeserverClient) {
    do throws(CommandFailure) {
      let path = "/_matrix/client/v3/rooms/\(room.percentEncoded)"
      guard try client.isIn(path, user) else { return show("absent", room) }
      do throws(CommandFailure) {
        _ = try client.require(.post, path + "/kick", .object(["user_id": .string(user)]), mayRepeat: true)
      } catch {
        // The user may have left in the meantime, or the response to the first request was lost.
        guard (try? client.isIn(path, user)) == false else { throw error }
      }
      show("removed", room)
    } catch { note(room, error.sentence ?? "") }
  }

  private mutating func note(_ room: String, _ sentence: String) {
    failed += 1
    Output.print("failed  \(room.escaped)  \(sentence)")
  }

  private func show(_ result: String, _ room: String) { Output.print("\(result)  \(room.escaped)") }

  func end() throws(CommandFailure) {
    if failed > 0 { throw .refused("\(plural(failed, "room")) failed; see the list above") }
  }
}

extension Homeserver {
  /// Connects for requests about each room of a space, which a homeserver may limit for minutes.
  fileprivate static func connectForSpace(_ configuration: KioskConfiguration) throws(CommandFailure)
    -> HomeserverClient
  {
    let client = try connect(configuration)
    client.pauseMax = Limits.spacePauseMax
    let place = client.place
    client.onPause = { pause in
      guard pause >= .seconds(1) else { return }
      Output.printError("\(place) limits the number of requests: waiting for \(pause.brief) …")
    }
    return client
  }
}

extension HomeserverClient {
  /// A room of a space.
  struct Child {
    var id: String
    /// A server through which to join it.
    var server: String?
    /// The rest is `nil` if the kiosk may not see the room.
    var alias: String?
    var name: String?
    /// Number of joined members.
    var members: Int64?
  }

  /// Requests the operation for all rooms in one call, which only some servers support; returns `nil` if not supported.
  fileprivate func askForSpace(_ id: String, _ word: String, _ body: JSON) -> JSON? {
    // For an unsupported request, a proxy in front of the server may return any response, or none.
    guard let answer = try? ask(.post, "/_clap/client/v1/spaces/\(id.percentEncoded)/" + word, body),
      answer.status == 200, let json = answer.json, json["failed"]?.elements != nil
    else { return nil }
    return json
  }

  /// Returns whether a user has joined the room at a path, or is invited.
  ///
  /// If the membership is unknown, the kiosk may still be allowed to remove the user.
  fileprivate func isIn(_ path: String, _ user: String) throws(CommandFailure) -> Bool {
    let member = try ask(.get, path + "/state/m.room.member/" + user.percentEncoded, mayRepeat: true)
    let isAbsent = member.status == 404 && member.code != nil
    let state = isAbsent ? "leave" : member.json?["membership"]?.text ?? "join"
    return state != "leave" && state != "ban"
  }

  /// Returns the rooms of a space sorted by id, without nested spaces.
  ///
  /// Rooms that the kiosk cannot see are included, so that a failure is reported for each of them.
  func rooms(of space: String) throws(CommandFailure) -> [Child] {
    var children: [Child] = []
    var spaces: [String] = []
    var visible: [String: JSON] = [:]
    var from: String?
    for _ in 0..<Limits.spacePagesMax {
      let query = "?max_depth=1&limit=\(Limits.spacePageCount)" + (from.map { "&from=" + $0.percentEncoded } ?? "")
      let path = "/_matrix/client/v1/rooms/\(space.percentEncoded)/hierarchy"
      let page = try require(.get, path + query, mayRepeat: true)
      for room in page["rooms"]?.elements ?? [] {
        guard let id = room["room_id"]?.text else { continue }
        if id == space {
          guard room["room_type"]?.text == "m.space" else { throw .refused("\(space.escaped) is a room, not a space") }
          children = (room["children_state"]?.elements ?? []).compactMap { child in
            guard let key = child["state_key"]?.text, RoomAddress.isValid(key) else { return nil }
            return Child(id: key, server: child["content"]?["via"]?.elements?.first?.text)
          }
        } else if room["room_type"]?.text == "m.space" {
          spaces.append(id)
        } else {
          visible[id] = room
        }
      }
      from = page["next_batch"]?.text
      if from == nil { break }
    }
    for place in children.indices {
      guard let room = visible[children[place].id] else { continue }
      children[place].alias = room["canonical_alias"]?.text
      children[place].name = room["name"]?.text
      children[place].members = room["num_joined_members"]?.wholeNumber
    }
    return children.filter { !spaces.contains($0.id) }.inOrder { $0.id < $1.id }
  }
}
