// Where a reply goes: a stranger must not choose a topic on which others are commanded.

import Testing

@testable import TappetCore

@Suite struct CommandReplyTests {
  @Test func `a reply is never published to a topic for commands, whatever its sender requests`() {
    let lamp = CommandPlan(
      topic: "home/lobby/lamp", trust: .trusted, window: nil, outputs: ["lamp"], replyTopic: "home/lobby")
    let gate = CommandPlan(topic: "home/lobby/command", trust: .trusted, window: nil, outputs: ["gate"])
    let request = CommandRequest(.target(.output(OutputOrder(output: "gate", request: .pulse))), id: "7")
    let story = KioskScript(commands: [lamp, gate])
    story.startAll()
    for (topic, destination) in [("home/lobby/me", "home/lobby/me"), ("home/lobby/command", "home/lobby")] {
      var arrival = CommandArrival(topic: "home/lobby/lamp", size: 10, content: .request(request))
      arrival.response = CommandResponse(topic: topic, correlation: [])
      #expect(
        story.at(20_000, .commandArrived(arrival)).contains("reply 7 refused notAllowed to " + destination), "\(topic)")
    }
  }
}
