// The rooms of 'tappet check': whether the session is good, and whether something can be sent in each of them.

import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages

extension Checkup {
  mutating func checkRooms(_ configuration: KioskConfiguration) {
    guard configuration.matrix != nil else { return }
    do throws(CommandFailure) {
      let client = try Homeserver.connect(configuration)
      let user = try client.require(.get, "/_matrix/client/v3/account/whoami")["user_id"]?.text ?? ""
      let joined = try client.require(.get, "/_matrix/client/v3/joined_rooms")["joined_rooms"]?.elements ?? []
      note("homeserver", .good, "it accepts the session of \(user), who is in \(joined.count) rooms")
      for endpoint in configuration.webhooks {
        if let room = endpoint.room { check(room, of: endpoint.action, joined, client) }
      }
    } catch { note("homeserver", .bad, error.sentence ?? "", code: error.code) }
  }

  private mutating func check(_ room: String, of action: String, _ joined: [JSON], _ client: HomeserverClient) {
    do throws(CommandFailure) {
      let id = try Homeserver.resolve(room, client)
      var refusal: WebhookRefusal?
      if !joined.contains(.string(id)) {
        refusal = .roomClosed
      } else if try RoomFacts(id, client).isEncrypted {
        refusal = .roomEncrypted
      }
      guard let refusal else { return note("room", .good, "\(action): \(room), without encryption") }
      note("room", .bad, "\(action): \(room): " + refusal.sentence(), code: refusal.code)
    } catch { note("room", .bad, "\(action): \(room): " + (error.sentence ?? ""), code: error.code) }
  }
}
