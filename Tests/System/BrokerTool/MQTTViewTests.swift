// The broker tool's figures and views: stats, history, recent, sub --diff and --decode-token.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct MQTTViewTests {
  private func run(_ broker: TestBroker, _ command: String, _ more: String...) throws -> Finished {
    try Programs.run(
      try Programs.built("tappet"), ["mqtt", command, "--url", "mqtt://localhost:\(broker.port)"] + more)
  }

  @Test func `stats measures round trips, and lists what the broker publishes about itself`() throws {
    let silent = try TestBroker(.plain)
    let done = try run(silent, "stats")
    #expect(done.status == 0 && done.output.contains("round trip of 50: min "), "\(done)")
    #expect(done.output.contains("nothing was received on $SYS"), "\(done)")
    let world = try KioskWorld()
    // It listens to $SYS for a second, which a busy broker may miss.
    #expect(
      try eventually {
        try world.tappet("mqtt", "stats").output.contains("$SYS/broker/version  mosquitto version ")
      })
  }

  @Test func `the history lists recent entries of each kind without passwords, and can repeat an entry`() throws {
    let broker = try TestBroker(.plain)
    let folder = TestFolder.make("history")
    func tappet(_ words: String...) throws -> Finished {
      try Programs.run(try Programs.built("tappet"), words, environment: ["XDG_STATE_HOME": folder + "/state"])
    }
    let url = "mqtt://localhost:\(broker.port)"
    #expect(try tappet("mqtt", "history").output == "no history yet\n")
    for index in 0..<12 { #expect(try tappet("mqtt", "pub", "--url", url, "home/\(index)", "it's on").status == 0) }
    #expect(try tappet("mqtt", "pub", "--url", url, "home/5", "it's on").status == 0)
    #expect(try tappet("mqtt", "sub", "--url", url, "garden/#", "--for", "3").status == 0)
    #expect(try tappet("mqtt", "pub", "--url", url, "home/+", "wrong").status == 2)
    let list = try tappet("mqtt", "history").output.split(separator: "\n").map(String.init)
    try #require(list.count == 13, "\(list)")
    #expect(list[0] == "subscriptions" && list[1].hasSuffix("tappet mqtt sub --url \(url) 'garden/#' --for 3"))
    #expect(list[2] == "publishes" && list[3].hasPrefix("   2  "), "\(list)")
    #expect(list[3].hasSuffix(#"home/5 'it'\''s on'"#) && list[4].hasSuffix(#"home/11 'it'\''s on'"#), "\(list)")
    #expect(!list.contains { $0.contains("home/1 ") } && list.contains { $0.contains("home/2 ") }, "\(list)")
    let file = try FileManager.default.attributesOfItem(atPath: folder + "/state/tappet/mqtt.db")
    #expect(file[.posixPermissions] as? Int == 0o600)
    let witness = try broker.subscribe("home/#")
    let again = try tappet("mqtt", "history", "--again", "3")
    #expect(again.status == 0 && again.output.contains("1 of 1 acknowledged"), "\(again)")
    #expect(eventually { witness.messages.contains { $0.contains("home/11") } })
    #expect(try tappet("mqtt", "history", "--again", "40").errors.contains("there is no command 40"))
    let offered = try tappet("completion", "--words", "--", "mqtt", "sub", "gar")
    #expect(offered.output == "words\ngarden/#\t\n", "\(offered)")
  }

  @Test func `the newest messages are listed, exported and followed`() throws {
    let broker = try TestBroker(.plain)
    let folder = TestFolder.make("recent")
    func tappet(_ words: String...) throws -> Finished {
      try Programs.run(try Programs.built("tappet"), words, environment: ["XDG_STATE_HOME": folder + "/state"])
    }
    let url = "mqtt://localhost:\(broker.port)"
    #expect(try tappet("mqtt", "recent").output.hasPrefix("no messages yet"))
    for (topic, text) in [("home/light", "on"), ("home/\u{200B}meter", "12"), ("garden", "dry")] {
      #expect(try tappet("mqtt", "pub", "--url", url, topic, text, "--retain").status == 0)
    }
    #expect(try tappet("mqtt", "sub", "--url", url, "#", "--count", "3").status == 0)
    let all = try tappet("mqtt", "recent").output.split(separator: "\n").map(String.init)
    try #require(all.count == 3, "\(all)")
    #expect(all[0].hasPrefix("   1  ") && all.contains { $0.hasSuffix("home/\\u{200b}meter  12") }, "\(all)")
    let wanted = try tappet("mqtt", "recent", "home/+", "--match", "o", "--format", "%t %p %r")
    #expect(wanted.output == "home/light on 1\n", "\(wanted)")
    #expect(try tappet("mqtt", "recent", "--export", folder + "/out", "garden").status == 0)
    #expect(try tappet("mqtt", "replay", folder + "/out", "--url", url).output.contains("1 of 1 acknowledged"))
    let file = try FileManager.default.attributesOfItem(atPath: folder + "/state/tappet/recent.jsonl")
    #expect(file[.posixPermissions] as? Int == 0o600)
    let number = try #require(all.firstIndex { $0.hasSuffix("garden  dry") }) + 1
    let follow = try TestProcess(
      try Programs.built("tappet"), ["mqtt", "recent", "--follow", "\(number)"],
      environment: ["XDG_STATE_HOME": folder + "/state"], output: folder + "/followed", errors: folder + "/errors")
    #expect(
      eventually { textSoFar(folder + "/followed").contains("garden  dry") }, "\(textSoFar(folder + "/errors"))")
    #expect(textSoFar(folder + "/errors").contains("tappet mqtt sub --url \(url) -- garden"))
    follow.stop(SIGINT)
    #expect(try tappet("mqtt", "recent", "--follow", "50").errors.contains("there is no message 50"))
    #expect(try tappet("mqtt", "recent", "--follow", "1", "--json").status == 2)
  }

  @Test func `a lost connection is counted with its reason`() throws {
    let broker = try TestBroker(.plain)
    let folder = TestFolder.make("losses")
    let process = try TestProcess(
      try Programs.built("tappet"), ["mqtt", "sub", "--url", "mqtt://localhost:\(broker.port)", "#"],
      output: folder + "/out", errors: folder + "/err")
    func subscriptions() -> Int { textSoFar(folder + "/err").components(separatedBy: "subscribed to ").count - 1 }
    #expect(eventually { subscriptions() == 1 })
    broker.stop()
    try broker.start()
    #expect(eventually { subscriptions() == 2 })
    process.stop(SIGINT)
    let text = textSoFar(folder + "/err")
    #expect(text.contains("; 1 reconnect\n  1 × "), "\(text)")
  }

  @Test func `the retained messages of two brokers are compared`() throws {
    let (here, there) = (try TestBroker(.plain), try TestBroker(.plain))
    for (broker, topic, text) in [
      (here, "home/a", "1"), (there, "home/a", "1"), (here, "home/b", "on"), (there, "home/b", "off"),
      (here, "home/old", "x"), (there, "home/new\u{200B}", "y"), (there, "other", "z"),
    ] { #expect(try run(broker, "pub", topic, text, "--retain").status == 0) }
    let other = "mqtt://localhost:\(there.port)"
    let done = try run(here, "diff", "home/#", "--other", other)
    #expect(done.status == 1 && done.errors.contains("1 the same, 1 different, 1 only here, 1 only there"), "\(done)")
    #expect(
      done.output == """
        only here   home/old  x
        only there  home/new\\u{200b}  y
        different   home/b  on → off

        """, "\(done)")
    let equal = try run(here, "diff", "home/a", "--other", other, "--json")
    #expect(equal.status == 0 && equal.output.contains(#""same":1"#), "\(equal)")
    #expect(try run(here, "diff").status == 2)
  }

  @Test func `a correct bridge passes the check, and a loop is detected`() throws {
    let there = try TestBroker(.plain)
    let bridge = "connection out\naddress 127.0.0.1:\(there.port)\ntry_private false\nnotifications false\n"
    let here = try TestBroker(.plain, more: bridge + "topic site/# out 1\n")
    let other = ["--other", "mqtt://localhost:\(there.port)", "--topic", "site/test"]
    func check(_ broker: TestBroker, _ more: [String]) throws -> Finished {
      try Programs.run(
        try Programs.built("tappet"),
        ["mqtt", "bridge-check", "--url", "mqtt://localhost:\(broker.port)"] + other + more)
    }
    #expect(eventually { (try? check(here, []))?.output.contains("arrived after") ?? false })
    let both = try check(here, ["--direction", "both"])
    #expect(both.status == 1 && both.output.contains("published, but did not arrive"), "\(both)")
    // Without its private way of telling that it is a bridge, it gets back what it brought.
    let loop = try TestBroker(.plain, more: bridge + "topic site/# both 1\n")
    #expect(eventually { (try? check(loop, []))?.output.contains("a loop: in a second, the message arrived") ?? false })
    #expect(try run(here, "bridge-check").status == 2)
  }

  @Test func `a subscriber shows changes, and the age of a token`() throws {
    let world = try KioskWorld()
    let token = try world.tappet("token", "seal").output.trimmingCharacters(in: .newlines)
    let service = try Service(
      try Programs.built("tappet"),
      ["mqtt", "sub", "home/#", "--count", "3", "--diff", "--decode-token", "--config", world.configPath],
      log: world.folder + "/sub")
    #expect(eventually { service.text.contains("subscribed to") })
    for text in [#"{"power":"off"}"#, #"{"power":"on"}"#, "open \(token)"] {
      #expect(try world.tappet("mqtt", "pub", "home/light", text).status == 0)
    }
    #expect(eventually { service.text.contains("3 messages") }, "\(service.text)")
    #expect(service.text.contains(#"home/light  power: "off" → "on""#), "\(service.text)")
    #expect(service.text.contains(" s old]"), "\(service.text)")
  }
}
