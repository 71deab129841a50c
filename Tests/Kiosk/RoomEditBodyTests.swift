// The content of an edit in a room.

import Foundation
import TappetCore
import Testing

@testable import TappetKiosk

@Suite struct RoomEditBodyTests {
  private func edit(_ message: String) -> RoomEdit {
    RoomEdit(
      entry: EntryID(high: 0, low: 10), action: "bell", message: PayloadTemplate(message), event: "$1",
      outcome: .expired)
  }

  @Test func `an edit replaces the text and the HTML, keeps the mentions, and notifies no one`() throws {
    let message = """
      {"msgtype":"m.text","m.mentions":{"user_ids":["@ann:h"]},"body":"\\"ring\\" %I",\
      "format":"org.matrix.custom.html","formatted_body":"<b>ring</b>"}
      """
    let body = try #require(edit(message).body)
    let content = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
    let text = "\"ring\" 0000000000000000000000000000000a\n\u{274C} not delivered in time"
    #expect(content["msgtype"] as? String == "m.notice" && content["body"] as? String == "* " + text)
    #expect((content["m.mentions"] as? [String: Any])?.isEmpty == true)
    #expect(
      content["m.relates_to"] as? [String: String] == ["rel_type": "m.replace", "event_id": "$1"])
    let new = try #require(content["m.new_content"] as? [String: Any])
    #expect(new["body"] as? String == text && new["msgtype"] as? String == "m.text")
    #expect(new["formatted_body"] as? String == "<b>ring</b><br>\u{274C} not delivered in time")
    #expect(new["m.mentions"] as? [String: [String]] == ["user_ids": ["@ann:h"]])
  }

  @Test(arguments: ["", "ring", "[]", #"{"msgtype":"m.notice"}"#])
  func `a message without text for a room is not edited`(_ message: String) { #expect(edit(message).body == nil) }
}
