import Testing

@testable import TappetCore

@Suite struct WebhookSupervisionTests {
  private var process = WebhookSupervision()
  private var random = Randomness(seed: (1, 2, 3, 4))
  private let start = Instant(nanoseconds: 0)

  init() {
    process.roomActions = ["bell", "door"]
    _ = process.want(at: start)
    _ = process.ready(at: start)
  }

  private func mayPost(_ action: String) -> Bool { process.mayPost(action, roomsRun: true) }

  @Test(arguments: [WebhookFault.status(429), .trouble(.unreachable, code: 7)])
  mutating func `a homeserver that is away or demands a pause gets one request for all rooms`(
    _ fault: WebhookFault
  ) throws {
    let pause = process.failed("bell", fault, retryAfter: nil, at: start, random: &random)
    #expect(process.isResting("door") && process.hasFailed("door") && process.restingActions.count == 2)
    #expect(process.trouble?.action == "bell" && !process.isResting("hook") && mayPost("hook"))
    let deadline = try #require(process.deadline)
    #expect(deadline == start + pause)
    #expect(process.timerFired(at: deadline).restIsOver)
    #expect(mayPost("bell") && mayPost("door"))
    let id = try #require(EntryID(hex: "00112233445566778899aabbccddeeff"))
    process.willPost(id, "door", at: deadline)
    #expect(!mayPost("bell") && !mayPost("door") && mayPost("hook"))
    #expect(process.answered(id, at: deadline) && process.succeeded("door"))
    #expect(!process.hasFailed("bell") && mayPost("bell") && process.trouble == nil)
  }

  @Test mutating func `a failed request in one room delays no other room`() {
    _ = process.failed("bell", .status(503), retryAfter: nil, at: start, random: &random)
    #expect(process.isResting("bell") && !process.hasFailed("door") && process.restingActions == ["bell"])
    #expect(mayPost("door") && process.succeeded("bell") && !process.succeeded("door"))
  }

  @Test mutating func `a short pause demanded by a busy homeserver counts as a failure only when repeated`() {
    let pause = process.failed("bell", .status(429), retryAfter: .milliseconds(25), at: start, random: &random)
    #expect(pause == .milliseconds(100) && process.isResting("door"))
    #expect(!process.hasFailed("bell") && process.trouble == nil)
    let over = start + pause
    #expect(process.timerFired(at: over).restIsOver && !process.succeeded("bell"))
    for isAgain in [false, true] {
      let pause = process.failed("bell", .status(429), retryAfter: .milliseconds(300), at: over, random: &random)
      #expect(pause >= .milliseconds(300) && process.hasFailed("bell") == isAgain)
      _ = process.timerFired(at: over + pause)
    }
    #expect(process.trouble?.action == "bell" && process.succeeded("door"))
  }

  @Test mutating func `a process with outdated files ends once idle, and its successor reads the new ones`()
    throws
  {
    let id = try #require(EntryID(hex: "00112233445566778899aabbccddeeff"))
    process.willPost(id, "hook", at: start)
    process.replace(at: start)
    #expect(!mayPost("hook") && process.renew(at: start).isEmpty)
    #expect(process.answered(id, at: start) && !process.renew(at: start).isEmpty)
    #expect(process.want(at: start).isEmpty && !process.isRunning)
    #expect(!process.ended(.exited(0), at: start, random: &random).isEmpty)
    #expect(process.ready(at: start).isEmpty && mayPost("hook") && process.renew(at: start).isEmpty)
  }

  @Test mutating func `files replaced while no process runs do not end the next process`() {
    let idle = start + Limits.webhookIdleMax
    #expect(!process.timerFired(at: idle).effects.isEmpty)
    #expect(process.ended(.exited(0), at: idle, random: &random).isEmpty && process.deadline == nil)
    process.replace(at: idle)
    #expect(!process.want(at: idle).isEmpty && process.ready(at: idle).isEmpty && mayPost("hook"))
  }
}
