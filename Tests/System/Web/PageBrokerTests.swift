// The broker on the kiosk's socket for the page: a test of the connection, live messages, and publishing.

import Foundation
import TappetJSON
import TestSupport
import Testing

@Suite struct PageBrokerTests {
  /// The processes that perform requests about the broker.
  private func processes(of world: KioskWorld) -> [pid_t] {
    Kernel.children(of: world.kiosk?.pid ?? 0).filter { Kernel.commandLine($0).contains("--page-socket") }
  }

  /// The messages of a job until its result, and the result.
  private func job(
    _ browser: PageClient, _ name: String, _ facts: KeyValuePairs<String, JSON> = [:]
  ) throws -> (messages: [JSON], result: JSON) {
    var messages = [try browser.ask(name, facts)]
    while messages.last?["result"] == nil {
      if messages.last?["error"] != nil { throw TestFault("\(messages)") }
      messages.append(try message(browser))
    }
    return (messages, try #require(messages.last?["result"]))
  }

  private func publish(_ world: KioskWorld, _ words: String..., input: String = "") throws {
    let done = try world.tappet(["mqtt", "pub"] + words, input: input)
    guard done.status == 0 else { throw TestFault(done.errors) }
  }

  private func message(_ browser: PageClient) throws -> JSON {
    let bytes = try #require(try browser.next())
    return try #require(JSON(decoding: bytes))
  }

  /// Waits for the next message with this member; its value.
  private func next(_ name: String, _ browser: PageClient) throws -> JSON {
    while true { if let value = try message(browser)[name] { return value } }
  }

  @Test func `a manager tests the connection, and sees the step that fails`() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    let token = try world.pair("Phone", level: "manage")
    let (messages, result) = try job(try world.browser(token), "broker-test")
    let endpoint = try #require(messages.compactMap { $0["endpoint"] }.first)
    #expect(endpoint["good"] == .bool(true), "\(endpoint)")
    #expect((endpoint["steps"]?.elements ?? []).map { $0["step"]?.text } == ["name", "tcp", "tls", "mqtt"])
    #expect((result["round_trip_microseconds"]?.wholeNumber ?? 0) > 0, "\(result)")
    #expect(world.log.components(separatedBy: "event=offline").count == 1, "the kiosk keeps its connection")
    world.broker.stop()
    let failed = try job(try world.browser(token), "broker-test")
    let steps = failed.messages.compactMap { $0["endpoint"] }.first?["steps"]?.elements ?? []
    #expect(steps.last?["good"] == .bool(false), "\(steps)")
    #expect(steps.last?["text"]?.text?.contains("refused the connection") == true, "\(steps)")
    #expect(eventually { processes(of: world).isEmpty })
    let yaml = try String(contentsOfFile: world.configPath, encoding: .utf8)
    try ("# changed\n" + yaml).write(toFile: world.configPath, atomically: true, encoding: .utf8)
    let stale = try world.browser(token).ask("broker-test")
    #expect(stale["error"]?.text?.contains("changed after the kiosk loaded it") == true, "\(stale)")
  }

  @Test func `messages arrive live, a storm is left out, and the process ends with its browser`() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    let token = try world.pair("Phone", level: "manage")
    do {
      let browser = try world.browser(token)
      #expect(try browser.ask("broker-listen", ["filter": .string("page/#")])["notice"] == .string("begun"))
      #expect(try next("subscribed", browser) == .bool(true))
      try publish(world, "page/<b>", "\u{202E}evil\u{7}")
      let shown = try next("message", browser)
      #expect(shown["topic"]?.text == "page/<b>" && shown["text"]?.text?.contains("\u{202E}") == false, "\(shown)")
      try publish(world, "page/storm", "--lines", input: String(repeating: "drop\n", count: 600))
      var (received, leftOut, count): (Int64, Int64, Int) = (0, 0, 0)
      while received < 601 {
        let next = try message(browser)
        if next["message"] != nil { count += 1 }
        if let number = next["received"]?.wholeNumber { received = number }
        if let number = next["left_out"]?.wholeNumber { leftOut = number }
      }
      #expect(received == 601 && leftOut == 600 - Int64(count) && leftOut > 400, "\(received) \(leftOut) \(count)")
      // Large messages are limited by their size, and the newest is shown.
      let large = (0..<60).map { "\($0)" + String(repeating: "x", count: 4000) }.joined(separator: "\n")
      try publish(world, "page/large", "--lines", input: large + "\n")
      var last = ""
      while received < 661 {
        let next = try message(browser)
        if let text = next["message"]?["text"]?.text { last = text }
        if let number = next["received"]?.wholeNumber { received = number }
      }
      #expect(last.hasPrefix("59x"), "\(last.prefix(9))")
      #expect(processes(of: world).count == 1)
    }
    #expect(eventually { processes(of: world).isEmpty })
  }

  @Test func `a filter that is wrong is explained, and so is a lost broker`() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    let token = try world.pair("Phone", level: "manage")
    let wrong = try job(try world.browser(token), "broker-listen", ["filter": .string("a/#/b")])
    #expect(wrong.result["error"]?.text?.contains("'#' must be an entire level") == true, "\(wrong)")
    let shared = try world.browser(token).ask("broker-listen", ["filter": .string("$share/jobs/#")])
    #expect(shared["error"]?.text?.contains("take messages from other clients") == true, "\(shared)")
    let browser = try world.browser(token)
    _ = try browser.ask("broker-listen", ["filter": .string("page/#")])
    #expect(try next("subscribed", browser) == .bool(true))
    world.broker.stop()
    #expect(try next("result", browser)["error"]?.text?.isEmpty == false)
  }

  @Test func `a fifth request at once is refused`() throws {
    let world = try KioskWorld.withPage()
    try world.start()
    let token = try world.pair("Phone", level: "manage")
    let browsers = try (0..<5).map { _ in try world.browser(token) }
    let answers = try browsers.map { try $0.ask("broker-listen", ["filter": .string("#")]) }
    #expect(answers.map { $0["code"]?.text } == [nil, nil, nil, nil, "busy"])
  }

  @Test func `publishing needs its setting and the password, and the audit says who it was`() throws {
    let commands = "commands: [{topic: home/lobby/command, trust: trusted, actions: [bell]}]"
    let world = try KioskWorld.withPage(commands, publish: true)
    try world.start()
    #expect(try world.tappet("web", "password", input: "correct horse\n").status == 0)
    let token = try world.pair("Phone", level: "manage")
    let facts: KeyValuePairs<String, JSON> = ["topic": .string("page/x"), "text": .string("hello")]
    #expect(try world.browser(token).ask("broker-publish", facts)["code"]?.text == "again")
    let browser = try world.browser(token)
    #expect(try browser.ask("again", secret: "correct horse")["error"] == nil)
    let done = try job(browser, "broker-publish", facts)
    #expect(done.result["heard"] == .bool(false), "\(done)")  // MQTT 5: nobody has subscribed
    let audit = try world.tappet("audit").output
    #expect(audit.contains("page-published") && audit.contains("page: Phone") && audit.contains("page/x"), "\(audit)")
    let command: KeyValuePairs<String, JSON> = ["topic": .string("home/lobby/command"), "text": .string("bell")]
    let refused = try world.browser(token).ask("broker-publish", command)
    #expect(refused["error"]?.text?.contains("where this kiosk takes commands") == true, "\(refused)")
    for topic in ["", "a/+", "$SYS/x", "a\u{1}"] {
      let refused = try world.browser(token).ask("broker-publish", ["topic": .string(topic), "text": .string("")])
      #expect(refused["error"]?.text?.contains("contains no '+'") == true, "\(refused)")
    }
    try world.write(KioskWorld.KioskConfiguration(more: KioskWorld.pageLines()))
    world.kiosk?.signal(SIGHUP)
    #expect(eventually { world.log.contains("event=reloaded") }, "\(world.log)")
    #expect(try world.browser(token).ask("broker-publish", facts)["code"]?.text == "not-allowed")
  }
}
