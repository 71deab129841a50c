// Two boards with one client id, for as long as they take the broker's connection from each other.

import Foundation
import TestSupport
import Testing

// Not in the gate: the waits between connections grow up to a minute, and a reply comes only between two losses.
@Suite(.serialized) struct CommandTwinVerifyTests {
  @Test func `a second board with the same client id is reported, and no command acts more often than sent`() throws {
    let board = try CommandWorld()
    let world = board.world
    try board.start()
    let twin = try Service(
      try Programs.installed("mosquitto_sub"),
      [
        "-h", "localhost", "-p", "\(world.broker.port)", "-i", "kiosk", "-t", "home/none", "-q", "1",
        "--cafile", try Certificates.path("ca.pem"), "--cert", try Certificates.path("second-client.pem"),
        "--key", try Certificates.path("second-client.key"),
      ], log: world.folder + "/twin.log")
    #expect(eventually { world.log.contains("event=broker-lost") && world.log.contains("same client_id") })
    var sent = 0
    let isDone = try eventually(within: 5 * patience) {
      sent += 1
      try board.publish("command", #"{"id":"\#(sent)","output":"gate","do":"pulse"}"#)
      // A command that comes between two connections is lost.
      return eventually(within: 5) { board.replies.contains { $0.hasSuffix(" done") } }
    }
    #expect(isDone, "\(world.log.suffix(2000))")
    #expect(Set(board.replies).count == board.replies.count && board.replies.count <= sent)
    twin.end()
    #expect(try eventually { try world.tappet("status").status == 0 }, "\(world.log.suffix(2000))")
    try board.publish("command", #"{"id":"last","output":"gate","do":"pulse"}"#)
    #expect(eventually { board.replies.contains("last done") })
  }
}
