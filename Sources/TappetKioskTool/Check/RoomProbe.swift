// The rooms of 'tappet check': whether the session is valid, and whether messages can be sent to each room.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages

extension CheckReport {
  mutating func checkRooms(_ configuration: KioskConfiguration) {
    // A missing program was reported by `checkWebhooks`.
    guard let matrix = configuration.matrix, access(WebhookProgram.path, X_OK) == 0 else { return }
    let encryption = matrix.encryption
    do throws(CommandFailure) {
      let client = try Homeserver.connect(configuration)
      let user = try client.require(.get, "/_matrix/client/v3/account/whoami")["user_id"]?.text ?? ""
      let joined = try client.require(.get, "/_matrix/client/v3/joined_rooms")["joined_rooms"]?.elements ?? []
      let rooms = plural(joined.count, "room")
      note("homeserver", .good, "accepts the session of \(user), who has joined \(rooms)")
      for post in matrix.posts { check(post.room, of: post.action, user, joined, client, encryption) }
      for plan in configuration.commands where plan.isRoom {
        let asks = configuration.actions.contains { $0.confirmRoom == plan.topic }
        check(plan.topic, of: "commands", user, joined, client, encryption, asks: asks)
      }
      if let will = matrix.lastWill { try check(will, user, joined, client) }
      if let unread = matrix.unread { try check(unreadOf: unread, joined, client) }
    } catch { note("homeserver", .bad, error.sentence ?? "", code: error.code) }
  }

  private mutating func check(
    _ will: RoomWill, _ user: String, _ joined: [JSON], _ client: HomeserverClient
  ) throws(CommandFailure) {
    let limits = try client.ask(.get, "/_matrix/client/v3/capabilities").json?["capabilities"]
    var lack: RoomWillState?
    if let most = limits?["org.matrix.msc4140.delayed_events"]?["max_delay_ms"]?.wholeNumber {
      lack = will.lack(longest: .milliseconds(min(max(most, 0), Limits.roomWillMax.wholeMilliseconds)))
    } else {
      let features = try client.ask(.get, "/_matrix/client/versions").json?["unstable_features"]
      if features?["org.matrix.msc4140"] != .bool(true) { lack = .unsupported }
    }
    if let lack { return note("last will", .bad, lack.sentence, code: lack.code) }
    // The homeserver posts it as it is, so the room must not be encrypted.
    check(will.room, of: "last will", user, joined, client, nil)
  }

  private mutating func check(
    unreadOf room: String, _ joined: [JSON], _ client: HomeserverClient
  ) throws(CommandFailure) {
    if room.begins(with: "#"),
      try client.ask(.get, "/_matrix/client/v3/directory/room/" + room.percentEncoded).code == "M_NOT_FOUND"
    {
      return note("unread", .bad, "\(room): " + RoomUnread.unknown.sentence, code: RoomUnread.unknown.code)
    }
    let id = try Homeserver.resolve(room, client)
    guard joined.contains(.string(id)) else {
      return note("unread", .bad, "\(room): " + RoomUnread.closed.sentence, code: RoomUnread.closed.code)
    }
    let creation = try client.ask(.get, "/_matrix/client/v3/rooms/\(id.percentEncoded)/state/m.room.create").json
    let isSpace = creation?["type"] == .string("m.space")
    note("unread", .good, isSpace ? "\(room), a space: its rooms that the kiosk has joined" : "\(room), a single room")
  }

  private mutating func check(
    _ room: String, of action: String, _ user: String, _ joined: [JSON], _ client: HomeserverClient,
    _ encryption: RoomEncryption?, asks: Bool = false
  ) {
    do throws(CommandFailure) {
      let id = try Homeserver.resolve(room, client)
      var refusal: WebhookRefusal?
      var isEncrypted = false
      if !joined.contains(.string(id)) {
        refusal = .roomClosed
      } else {
        isEncrypted = try RoomFacts(id, client).isEncrypted
        if isEncrypted, encryption == nil { refusal = .roomEncrypted }
        if !isEncrypted, encryption?.allowsPlain == false { refusal = .roomPlain }
      }
      if isEncrypted, asks {
        let sentence = "\(room) is encrypted, but answers to questions are not; set 'confirm_in' to a different room"
        return note("room", .bad, sentence, code: WebhookRefusal.roomEncrypted.code)
      }
      guard let refusal else {
        if let sentence = try client.reasonForSilence(of: user, in: id, isEncrypted: isEncrypted) {
          return note("room", .bad, "\(action): \(room): " + sentence, code: WebhookRefusal.roomClosed.code)
        }
        return note("room", .good, "\(action): \(room), \(isEncrypted ? "encrypted" : "without encryption")")
      }
      note("room", .bad, "\(action): \(room): " + refusal.sentence(), code: refusal.code)
    } catch { note("room", .bad, "\(action): \(room): " + (error.sentence ?? ""), code: error.code) }
  }
}

extension HomeserverClient {
  /// Returns the reason why the kiosk's user cannot write to a room that it has joined; `nil` if it can.
  ///
  /// Client-server API §11.5, `m.room.power_levels`; without that event, all members may write. From room version 12
  /// on, creators need no power level.
  fileprivate func reasonForSilence(
    of user: String, in id: String, isEncrypted: Bool
  ) throws(CommandFailure) -> String? {
    let state = "/_matrix/client/v3/rooms/\(id.percentEncoded)/state/"
    guard let levels = try ask(.get, state + "m.room.power_levels").json, levels["errcode"] == nil else { return nil }
    let type = isEncrypted ? "m.room.encrypted" : "m.room.message"
    let needed = levels["events"]?[type]?.wholeNumber ?? levels["events_default"]?.wholeNumber ?? 0
    let own = levels["users"]?[user]?.wholeNumber ?? levels["users_default"]?.wholeNumber ?? 0
    if own >= needed { return nil }
    let event = try ask(.get, state + "m.room.create?format=event").json
    var powers = RoomPowers()
    powers.creation = RoomPowers.Creation(
      version: event?["content"]?["room_version"]?.text, sender: event?["sender"]?.text ?? "",
      others: (event?["content"]?["additional_creators"]?.elements ?? []).compactMap { $0.text })
    if powers.level(of: user) == RoomPowers.creator { return nil }
    return "the kiosk is not allowed to post there: its power level is \(own), and messages require \(needed)"
  }
}
