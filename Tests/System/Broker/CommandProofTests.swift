// Commands that have to prove who sent them and when, through the shipped programs and a real mosquitto: proved by
// openssl.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct CommandProofTests {
  @Test func `a token acts once, and never if it is old, early, forged or from before the start`() throws {
    let board = try CommandWorld()
    try board.start()
    func send(_ id: String, _ token: String) throws -> String {
      try board.publish("sealed", #"{"id":"\#(id)","output":"gate","do":"pulse","token":"\#(token)"}"#)
      return try board.reply(to: id)
    }
    #expect(try send("0", try board.token()) == "0 refused kiosk-just-started")
    #expect(try send("1", try board.token(ahead: -600)) == "1 refused command-late")
    #expect(try send("2", try board.token(ahead: 600)) == "2 refused command-early")
    try board.awaitStart(window: 120, ahead: 118)
    #expect(try send("3", try board.token(ahead: 118, isForged: true)) == "3 refused token-invalid")
    let good = try board.token(ahead: 118)
    #expect(try send("4", good) == "4 done")
    #expect(try send("5", good) == "5 refused command-repeated")
    #expect(try eventually { try board.levels(of: "gate") == [true, false] })
  }

  @Test func `tokens are verified with a stored key as soon as it is stored`() throws {
    let board = try CommandWorld()
    let world = board.world
    let text = textSoFar(world.configPath).replacingOccurrences(of: "{file: timestamp.key}", with: "{stored: true}")
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    #expect(try world.tappet("token", "key", input: String(Signing.key().prefix(32)) + "\n").status == 0)
    try board.start()
    #expect(try world.tappet("token", "key", input: world.timestampKey + "\n").status == 0)
    try board.awaitStart(window: 120, ahead: 118)
    var count = 0
    let isDone = try eventually {
      count += 1
      let token = try board.token(ahead: 118)
      try board.publish("sealed", #"{"id":"k\#(count)","output":"gate","do":"pulse","token":"\#(token)"}"#)
      return try board.reply(to: "k\(count)") == "k\(count) done"
    }
    #expect(isDone, "\(board.replies)")
  }

  @Test func `signed commands and fresh action URLs act once`() throws {
    let board = try CommandWorld()
    let world = board.world
    try board.start()
    func payload(_ id: String, to topic: String = "signed") throws -> String {
      let time = Int(Date().timeIntervalSince1970) + 118
      let nonce = Signing.key().prefix(16)
      let text = "tappet-command-1\nhome/lobby/\(topic)\n\(time)\n\(nonce)\n\(id)\noutput\ngate\npulse"
      let code = try Signing.signature(of: text, key: world.keys[0])
      return #"{"id":"\#(id)","output":"gate","do":"pulse","t":\#(time),"nonce":"\#(nonce)","hmac":"\#(code)"}"#
    }
    try board.awaitStart(window: 120, ahead: 118)
    let text = try payload("s")
    try board.publish("signed", text)
    #expect(eventually { board.replies.contains("s done") }, "\(board.replies)")
    try board.publish("signed", text)
    #expect(eventually { board.replies.contains("s refused command-repeated") }, "\(board.replies)")
    try board.publish("signed", try payload("other", to: "elsewhere"))
    #expect(try board.reply(to: "other") == "other refused signature-invalid")
    // The tag's own URL is too old; one that was made now acts. Neither has an id.
    try board.publish("signed", try world.url(1))
    #expect(eventually { board.replies.contains("refused command-late") }, "\(board.replies)")
    let time = "\(Int(Date().timeIntervalSince1970) + 118)"
    try board.publish("signed", try Signing.url(index: "1", key: world.keys[1], timestamp: time))
    #expect(eventually { board.replies.suffix(2) == ["accepted", "done"] }, "\(board.replies)")
  }

  @Test func `as an ESP32 device the kiosk obeys the phone app's messages, and reports its state`() throws {
    let board = try CommandWorld(expires: "5 s")
    let world = board.world
    try board.start()
    func reports() -> [String] {
      (world.witness?.all ?? []).filter { $0.topic == "home/lobby/device" && $0.payload.hasPrefix(#"{"TT_ID":"TT-"#) }
        .map { $0.payload }
    }
    #expect(eventually { reports().count == 1 })
    let report = try JSONSerialization.jsonObject(with: Data(reports()[0].utf8)) as? [String: Any]
    #expect(report?["event_timestamp"] is Int && (report?["tt_net_info"] as? [String: Any])?["ipv4"] is String)
    try board.publish("device", #"{"command":5}"#)
    #expect(eventually { reports().count == 2 })
    // The window of this role is 5 s to either side, and cannot be configured: a token of 4 s ahead has 9 s to arrive.
    try board.awaitStart(window: 5, ahead: 4)
    func refusalCount() -> Int { world.log.components(separatedBy: "event=command-refused").count }
    let isOpen = try eventually {
      let before = refusalCount()
      try board.publish("device", #"{"command":1,"otp-auth":"\#(try board.token(ahead: 4))","sender":"phone"}"#)
      return try eventually { try !board.levels(of: "gate").isEmpty || refusalCount() > before }
        && !board.levels(of: "gate").isEmpty
    }
    #expect(isOpen, "\(world.log.suffix(2000))")
    #expect(try eventually { try board.levels(of: "gate").prefix(2) == [true, false] })
    try board.publish("device", #"{"command":1,"otp-auth":"\#(try board.token(ahead: 4, isForged: true))"}"#)
    #expect(eventually { world.log.contains("code=token-invalid") })
  }

  @Test func `a timed opening stops on time even if the kiosk is killed in between`() throws {
    let board = try CommandWorld(expires: "5 s")
    let world = board.world
    try board.start()
    try board.awaitStart(window: 5, ahead: 0)
    #expect(try eventually { try world.tappet("command", "test", "home/lobby/device", "4").status == 0 })
    #expect(try eventually { try board.levels(of: "gate") == [true, false] }, "\(world.log.suffix(1000))")
    world.kiosk?.end(SIGKILL)
    try world.start()
    #expect(try board.levels(of: "pump").allSatisfy { !$0 })
    #expect(try eventually { try board.levels(of: "pump").contains(true) }, "\(world.log.suffix(1000))")
  }

  @Test func `a person can test each topic, and sees the form of its commands`() throws {
    let board = try CommandWorld(expires: "5 s")
    let world = board.world
    #expect(try world.tappet("command", "test", "home/lobby/command", "gate", "pulse").status == 4)
    try board.start()
    let done = try world.tappet("command", "test", "home/lobby/command", "gate", "pulse")
    #expect(done.status == 0 && done.output == #"{"id":"test","output":"gate","do":"pulse"}"# + "\ndone\n")
    #expect(try eventually { try board.levels(of: "gate") == [true, false] })
    let refused = try world.tappet("command", "test", "home/lobby/command", "pump", "on")
    #expect(refused.status == 1 && refused.output.contains("refused: not permitted here"))
    #expect(try world.tappet("command", "test", "home/nowhere", "bell").errors.contains("does not contain this topic"))
    // The tool makes its proofs at the time of its own start; what acts needs a second more than 5 s after the kiosk's.
    try board.awaitStart(window: 5, ahead: 0)
    for words in [
      ["home/lobby/sealed", "gate", "pulse"], ["home/lobby/signed", "light"], ["home/lobby/device", "2"],
    ] {
      let isDone = try eventually {
        try world.tappet("command", "test", words[0], words[1], words.count > 2 ? words[2] : "--json").status == 0
      }
      #expect(isDone, "\(words): \(world.log.suffix(1000))")
    }
    #expect(eventually { world.received.contains { $0.topic == "home/light" } }, "\(world.log.suffix(1000))")
  }
}
