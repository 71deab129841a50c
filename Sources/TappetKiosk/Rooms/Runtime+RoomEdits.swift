// Sends the edits of messages in rooms.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages

extension Runtime {
  func postEdit(_ edit: RoomEdit, room: String?) {
    // The store contains only messages that the configuration parser built.
    guard let body = edit.body else {
      return inbox.append(.webhook(.failed(edit.transaction, .messageRefused, code: 0)))
    }
    post(body, edit.transaction, action: edit.action, room: room)
  }
}

extension RoomEdit {
  /// The content of the edit (client-server API, "Event replacements"); `nil` if the message is not a JSON object.
  ///
  /// The edit itself is a notice without mentions, so that no phone rings a second time.
  var body: [UInt8]? {
    guard case .object(let members)? = JSON(decoding: message.fill(token: nil, id: entry)) else { return nil }
    var text = ""
    let content = members.map { member in
      switch (member.name, member.value) {
      case ("body", .string(let body)):
        text = body + "\n" + outcome.text
        return JSON.Member(name: member.name, value: .string(text))
      case ("formatted_body", .string(let markup)):
        return JSON.Member(name: member.name, value: .string(markup + "<br>" + outcome.text))
      case _: return member
      }
    }
    guard !text.isEmpty else { return nil }
    return JSON.object([
      "msgtype": .string("m.notice"), "m.mentions": .object([]), "body": .string("* " + text),
      "m.new_content": .object(content),
      "m.relates_to": .object(["rel_type": .string("m.replace"), "event_id": .string(event)]),
    ]).encoded()
  }
}
