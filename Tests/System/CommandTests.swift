// Commands through the shipped programs and a real mosquitto: published by Debian's own clients, proved by openssl, and
// seen at a virtual panel.

import Foundation
import TestSupport
import Testing

extension KioskWorld {
  fileprivate static func withCommands() throws -> KioskWorld {
    let world = try KioskWorld(
      KioskWorld.KioskConfiguration(
        more: """
          panel:
            simulator: panel
            outputs:
              - {name: gate, line: GPIO20, pulse: 300 ms}
              - {name: pump, line: GPIO21}
          commands:
            - {topic: home/lobby/command, trust: trusted, outputs: [gate], actions: [bell], reply: home/lobby/reply}
            - {topic: home/lobby/sealed, trust: token, outputs: [gate], reply: home/lobby/reply}
            - {topic: home/lobby/signed, trust: signed, key: {file: signing.key}, outputs: [gate],
               actions: [light], reply: home/lobby/reply}
            - {topic: home/lobby/pump, trust: trusted, outputs: [pump], per_minute: 600}
            - {topic: home/lobby/device, role: esp32, open: gate, stop: pump, close: gate}
          """))
    try Data("\(world.keys[0])\n".utf8).write(to: URL(fileURLWithPath: world.folder + "/signing.key"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: world.folder + "/signing.key")
    return world
  }

  fileprivate func client(_ program: String, _ arguments: [String], input: String = "") throws -> Finished {
    try Programs.run(
      try Programs.installed(program),
      [
        "-h", "localhost", "-p", "\(broker.port)", "-q", "1", "--cafile", try Certificates.path("ca.pem"), "--cert",
        try Certificates.path("second-client.pem"), "--key", try Certificates.path("second-client.key"),
      ] + arguments, input: input)
  }

  fileprivate func publish(_ topic: String, _ message: String, isRetained: Bool = false) throws {
    let done = try client(
      "mosquitto_pub", ["-t", "home/lobby/" + topic, "-s"] + (isRetained ? ["-r"] : []), input: message)
    guard done.status == 0 else { throw TestFault(done.errors) }
  }

  /// The replies so far: their `result`, and `code` where there is one.
  fileprivate var replies: [String] {
    (witness?.all ?? []).filter { $0.topic == "home/lobby/reply" }.map { reply in
      let json = (try? JSONSerialization.jsonObject(with: Data(reply.payload.utf8))) as? [String: Any]
      let words = ["id", "result", "code"].compactMap { json?[$0] as? String }
      return words.joined(separator: " ")
    }
  }

  fileprivate func levels(of output: String) throws -> [Bool] {
    try tell("levels").split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      return words.count == 4 && words[0] == output ? words[1] == "1" : nil
    }
  }

  /// A token as the ESP32 project makes it (docs/formats.md, "%T"), by openssl.
  fileprivate func token(age: Int = 0) throws -> String {
    let seconds = UInt32(Int(Date().timeIntervalSince1970) - age)
    var block = (0..<4).map { _ in UInt8.random(in: 0...255) }
    block += (0..<4).map { UInt8(truncatingIfNeeded: seconds >> (8 * $0)) }
    block += (0..<7).map { _ in UInt8.random(in: 0...255) }
    block.append(block.reduce(0) { $0 &+ $1 })
    let file = folder + "/block"
    try Data(block).write(to: URL(fileURLWithPath: file))
    let sealed = try Programs.run(
      try Programs.installed("openssl"),
      ["enc", "-aes-128-ecb", "-nopad", "-K", timestampKey, "-in", file, "-out", file + ".sealed"])
    guard sealed.status == 0 else { throw TestFault(sealed.errors) }
    return try Data(contentsOf: URL(fileURLWithPath: file + ".sealed")).map {
      String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }.joined()
  }

  /// Starts, and waits for the broker's answers to all subscriptions.
  fileprivate func startForCommands() throws {
    try start()
    guard eventually({ self.log.components(separatedBy: "event=commands-ready").count == 6 }) else {
      throw TestFault(log)
    }
  }
}

@Suite(.serialized) struct CommandTests {
  @Test func `commands drive outputs and actions, and their senders learn what became of them`() throws {
    let world = try KioskWorld.withCommands()
    try world.startForCommands()
    try world.tell("levels clear")
    try world.publish("command", #"{"id":"1","output":"gate","do":"pulse"}"#)
    #expect(try eventually { try world.levels(of: "gate") == [true, false] })
    #expect(eventually { world.replies == ["1 done"] }, "\(world.replies)")
    try world.publish("command", #"{"id":"2","action":"bell"}"#)
    #expect(eventually { world.replies == ["1 done", "2 accepted", "2 done"] }, "\(world.replies)")
    #expect(world.received.contains { $0.topic == "home/bell" && $0.payload == "ring" })
    try world.publish("pump", "ON")
    #expect(try eventually { try world.levels(of: "pump") == [true] })
    let status = try world.tappet("status", "--json")
    #expect(status.output.contains(#""topic":"home/lobby/command""#) || status.output.contains("home/lobby/command"))
    #expect(world.log.contains("event=command-accepted") && world.log.contains("event=command-performed") == false)
  }

  @Test func `a kept command never acts, and is reported with the way to clear it`() throws {
    let world = try KioskWorld.withCommands()
    try world.publish("command", #"{"id":"r","output":"gate","do":"on"}"#, isRetained: true)
    try world.startForCommands()
    try world.tell("levels clear")
    try world.publish("command", #"{"id":"k","output":"gate","do":"on"}"#, isRetained: true)
    #expect(eventually { world.log.contains("code=command-retained") }, "\(world.log)")
    #expect(world.log.contains("mosquitto_pub -r -n -t home/lobby/command"))
    try world.publish("command", #"{"id":"3","output":"gate","do":"pulse"}"#)
    #expect(eventually { world.replies == ["3 done"] }, "\(world.replies)")
    #expect(try eventually { try world.levels(of: "gate") == [true, false] })
  }

  @Test func `a token acts once, and not at all when it is old, early, forged, or from before the start`() throws {
    let world = try KioskWorld.withCommands()
    try world.startForCommands()
    try world.tell("levels clear")
    func send(_ id: String, _ token: String) throws -> String? {
      try world.publish("sealed", #"{"id":"\#(id)","output":"gate","do":"pulse","token":"\#(token)"}"#)
      return eventually { world.replies.contains { $0.hasPrefix(id + " ") } }
        ? world.replies.first { $0.hasPrefix(id + " ") } : nil
    }
    #expect(try send("0", try world.token()) == "0 refused kiosk-just-started")
    #expect(try send("1", try world.token(age: 60)) == "1 refused command-late")
    #expect(try send("2", try world.token(age: -60)) == "2 refused command-early")
    #expect(try send("3", String(repeating: "0", count: 32)) == "3 refused token-invalid")
    // Seconds later a fresh token is younger than the start. Of the replies to refusals a minute has only 60.
    var good = ""
    let begun = Date()
    let isDone = try eventually {
      guard Date().timeIntervalSince(begun) > 6 else { return false }
      good = try world.token()
      return try send("g" + good.prefix(8), good)?.hasSuffix("done") == true
    }
    #expect(isDone, "\(world.replies)")
    #expect(try send("5", good) == "5 refused command-repeated")
    #expect(try eventually { try world.levels(of: "gate") == [true, false] })
  }

  @Test func `tokens are judged under a stored key from the moment it is stored`() throws {
    let world = try KioskWorld.withCommands()
    let text = textSoFar(world.configPath).replacingOccurrences(of: "{file: timestamp.key}", with: "{stored: true}")
    try text.write(toFile: world.configPath, atomically: true, encoding: .utf8)
    #expect(try world.tappet("token", "key", input: String(Signing.key().prefix(32)) + "\n").status == 0)
    try world.startForCommands()
    #expect(try world.tappet("token", "key", input: world.timestampKey + "\n").status == 0)
    let isDone = try eventually {
      try world.publish("sealed", #"{"id":"k","output":"gate","do":"pulse","token":"\#(try world.token())"}"#)
      return eventually { world.replies.contains("k done") }
    }
    #expect(isDone, "\(world.replies)")
  }

  @Test func `signed commands and fresh action URLs act once`() throws {
    let world = try KioskWorld.withCommands()
    try world.startForCommands()
    func payload(_ id: String, to topic: String = "signed") throws -> String {
      let time = Int(Date().timeIntervalSince1970)
      let nonce = Signing.key().prefix(16)
      let text = "tappet-command-1\nhome/lobby/\(topic)\n\(time)\n\(nonce)\n\(id)\noutput\ngate\npulse"
      let code = try Signing.signature(of: text, key: world.keys[0])
      return #"{"id":"\#(id)","output":"gate","do":"pulse","t":\#(time),"nonce":"\#(nonce)","hmac":"\#(code)"}"#
    }
    // Seconds later a fresh command is younger than the start. Of the replies to refusals a minute has only 60.
    let begun = Date()
    let isDone = try eventually {
      guard Date().timeIntervalSince(begun) > 6 else { return false }
      let id = "s\(Int.random(in: 0...999_999))"
      let text = try payload(id)
      try world.publish("signed", text)
      guard eventually({ world.replies.contains { $0.hasPrefix(id + " ") } }) else { return false }
      guard world.replies.contains(id + " done") else { return false }
      try world.publish("signed", text)
      return eventually { world.replies.contains(id + " refused command-repeated") }
    }
    #expect(isDone, "\(world.replies)")
    try world.publish("signed", try payload("other", to: "elsewhere"))
    #expect(eventually { world.replies.contains("other refused signature-invalid") })
    // The tag's own URL is too old; one that was made now acts.
    try world.publish("signed", try world.url(1))
    #expect(eventually { world.replies.last == "refused command-late" }, "\(world.replies)")
    // The kiosk knows its start to the second only: what is as young as the command before may be from before it.
    let hasActed = try eventually {
      let now = "\(Int(Date().timeIntervalSince1970))"
      try world.publish("signed", try Signing.url(index: "1", key: world.keys[1], timestamp: now))
      return eventually { world.replies.suffix(2) == ["accepted", "done"] }
    }
    #expect(hasActed, "\(world.replies)")
  }

  @Test func `garbage, a megabyte and deep JSON are refused, a flood is bounded, and taps go on`() throws {
    let world = try KioskWorld.withCommands()
    try world.startForCommands()
    for text in ["{", String(repeating: "[", count: 2000), #"{"id":"x","output":"pump","do":"on"}"#] {
      try world.publish("command", text)
    }
    try world.publish("command", String(repeating: "x", count: 1 << 20))
    #expect(eventually { world.log.contains("code=command-too-large") }, "\(world.log)")
    #expect(world.log.contains("code=command-malformed") && world.log.contains("code=command-not-allowed"))
    let flood = Array(repeating: "garbage!!", count: 2_000).joined(separator: "\n")
    #expect(try world.client("mosquitto_pub", ["-t", "home/lobby/pump", "-l"], input: flood).status == 0)
    try world.goodTap()
    #expect(world.log.components(separatedBy: "event=command-refused").count <= 61)
    #expect(!world.log.contains("event=broker-lost"), "\(world.log)")
  }

  @Test func `a second board with the same client id is named, and no command acts more often than it was sent`() throws
  {
    let world = try KioskWorld.withCommands()
    try world.startForCommands()
    try world.tell("levels clear")
    let twin = try Service(
      try Programs.installed("mosquitto_sub"),
      [
        "-h", "localhost", "-p", "\(world.broker.port)", "-i", "kiosk", "-t", "home/none", "-q", "1",
        "--cafile", try Certificates.path("ca.pem"), "--cert", try Certificates.path("second-client.pem"),
        "--key", try Certificates.path("second-client.key"),
      ], log: world.folder + "/twin.log")
    #expect(eventually { world.log.contains("event=broker-lost") && world.log.contains("same client_id") })
    var sent = 0
    let isDone = try eventually {
      sent += 1
      try world.publish("command", #"{"id":"\#(sent)","output":"gate","do":"pulse"}"#)
      return eventually { world.replies.contains { $0.hasSuffix(" done") } }
    }
    #expect(isDone, "\(world.log.suffix(2000))")
    #expect(Set(world.replies).count == world.replies.count && world.replies.count <= sent)
    twin.end()
    #expect(try eventually { try world.tappet("status").status == 0 }, "\(world.log.suffix(2000))")
    try world.publish("command", #"{"id":"last","output":"gate","do":"pulse"}"#)
    #expect(eventually { world.replies.contains("last done") })
  }

  @Test func `a request of MQTT 5 gets its reply where it asked, with its correlation`() throws {
    let world = try KioskWorld.withCommands()
    try world.startForCommands()
    let done = try world.client(
      "mosquitto_rr",
      [
        "-V", "mqttv5", "-t", "home/lobby/command", "-e", "home/lobby/reply/me", "-W", "10", "-D", "publish",
        "correlation-data", "abc", "-F", "%D %p", "-m", #"{"id":"q","output":"gate","do":"pulse"}"#,
      ])
    #expect(done.status == 0 && done.output.contains(#""result":"done""#), "\(done)")
  }

  @Test func `as an ESP32 device it obeys the phone app's message, and reports`() throws {
    let world = try KioskWorld.withCommands()
    try world.startForCommands()
    try world.tell("levels clear")
    func reports() -> [String] {
      (world.witness?.all ?? []).filter { $0.topic == "home/lobby/device" && $0.payload.hasPrefix(#"{"TT_ID":"TT-"#) }
        .map { $0.payload }
    }
    #expect(eventually { reports().count == 1 })
    let report = try JSONSerialization.jsonObject(with: Data(reports()[0].utf8)) as? [String: Any]
    #expect(report?["event_timestamp"] is Int && (report?["tt_net_info"] as? [String: Any])?["ipv4"] is String)
    try world.publish("device", #"{"command":5}"#)
    #expect(eventually { reports().count == 2 })
    let isOpen = try eventually {
      try world.publish("device", #"{"command":1,"otp-auth":"\#(try world.token())","sender":"phone"}"#)
      return try eventually { try world.levels(of: "gate") == [true, false] }
    }
    #expect(isOpen, "\(world.log.suffix(2000))")
    try world.publish("device", #"{"command":1,"otp-auth":"\#(String(repeating: "0", count: 32))"}"#)
    #expect(eventually { world.log.contains("code=token-invalid") })
  }

  @Test func `a person can test each topic, and learns how its commands look`() throws {
    let world = try KioskWorld.withCommands()
    #expect(try world.tappet("command", "test", "home/lobby/command", "gate", "pulse").status == 4)
    try world.startForCommands()
    try world.tell("levels clear")
    let done = try world.tappet("command", "test", "home/lobby/command", "gate", "pulse")
    #expect(done.status == 0 && done.output == #"{"id":"test","output":"gate","do":"pulse"}"# + "\ndone\n")
    #expect(try eventually { try world.levels(of: "gate") == [true, false] })
    let refused = try world.tappet("command", "test", "home/lobby/command", "pump", "on")
    #expect(refused.status == 1 && refused.output.contains("refused: nobody may do that here"))
    #expect(try world.tappet("command", "test", "home/nowhere", "bell").errors.contains("does not have this topic"))
    for words in [
      ["home/lobby/sealed", "gate", "pulse"], ["home/lobby/signed", "light"], ["home/lobby/device", "2"],
    ] {
      let isDone = try eventually {
        try world.tappet("command", "test", words[0], words[1], words.count > 2 ? words[2] : "--json").status == 0
      }
      #expect(isDone, "\(words): \(world.log.suffix(1000))")
    }
    #expect(eventually { world.received.contains { $0.topic == "home/light" } })
  }

  @Test func `commands of an outage do not act late`() throws {
    let world = try KioskWorld.withCommands()
    try world.startForCommands()
    try world.tell("levels clear")
    world.kiosk?.end(SIGKILL)
    try world.publish("command", #"{"id":"late","output":"gate","do":"on"}"#)
    try world.start()
    try world.publish("command", #"{"id":"now","output":"gate","do":"off"}"#)
    #expect(eventually { world.replies.contains("now done") })
    #expect(try world.levels(of: "gate").contains(true) == false && !world.replies.contains { $0.hasPrefix("late") })
  }
}
