// The properties of a Matrix room that the commands use, such as its name and encryption.

import TappetCore
import TappetJSON

/// The properties found in a room's state.
package struct RoomFacts {
  package private(set) var name: String?
  package private(set) var alias: String?
  package private(set) var isEncrypted = false
  package private(set) var isSpace = false

  @export(interface)
  package init(_ id: String, _ client: HomeserverClient) throws(CommandFailure) {
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
