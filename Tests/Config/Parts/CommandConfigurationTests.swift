// `commands:` of kiosk.yaml and the payloads that it lets in: what is read, and the sentence for each mistake.

import Foundation
import TappetCore
import TappetJSON
import Testing
import TestSupport

@testable import TappetConfig
@testable import TappetMessages

private func parse(_ commands: String, files: NamedFiles = .used, folder: String = "/etc/tappet")
  -> ConfigurationParser.Outcome
{
  let text = """
    broker: {url: 'mqtts://broker.example', client_id: kiosk}
    panel:
      outputs:
        - {name: gate, line: GPIO23}
    actions:
      - {name: garage, topic: home/garage, message: x}
    commands:
    \(commands)
    """
  return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: folder, files: files)
}

private func problems(_ commands: String, folder: String = "/etc/tappet") -> [String] {
  switch parse(commands, folder: folder) {
  case .loaded: []
  case .refused(let problems): problems.map(\.sentence)
  }
}

@Suite struct CommandConfigurationTests {
  @Test func `everything that can be configured is read`() throws {
    let folder = TestFolder.make("commands")
    for (name, digits) in [("token", 32), ("sign", 64)] {
      try String(repeating: "5a", count: digits / 2).write(
        toFile: folder + "/" + name, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder + "/" + name)
    }
    let outcome = parse(
      """
        - {topic: a, trust: trusted, outputs: [gate], per_minute: 5, locked: true, reply: a/reply}
        - {topic: b, trust: token, key: {file: token}, actions: [garage], expires: 10 s}
        - {topic: c, trust: signed, key: {file: sign}, actions: [garage], outputs: [gate]}
        - {topic: d, trust: signed, actions: [garage]}
        - {topic: e, trust: trusted, actions: [garage], expires: 30 s}
      """, folder: folder)
    guard case .loaded(let configuration) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let plans = configuration.commands
    #expect(
      plans.map(\.topic) == ["a", "b", "c", "d", "e"] && configuration.broker?.commandTopics == plans.map(\.topic))
    #expect(plans.map(\.window) == [nil, .seconds(10), .seconds(5), .seconds(5), .seconds(30)])
    #expect(plans.map { $0.trust.word } == ["trusted", "token", "signed", "signed", "trusted"])
    #expect(plans[0].perMinute == 5 && plans[0].obeysLock && plans[0].replyTopic == "a/reply")
    #expect(plans[2].actions == ["garage"] && plans[2].outputs == ["gate"] && plans[2].replyTopic == nil)
    guard case .token(.some) = plans[1].trust, case .signed(.some) = plans[2].trust, case .signed(nil) = plans[3].trust
    else {
      Issue.record("the keys were not read")
      return
    }
    #expect(KioskSettings(configuration).usesTimestamp)
  }

  @Test(arguments: [
    ("- {topic: a, trust: trusted}", "'topic' also needs 'actions', 'outputs' or 'check'"),
    ("- {topic: a, trust: trusted, check: true}", "used together with 'trust: signed' and 'key'"),
    ("- {topic: a, trust: signed, check: true}", "used together with 'trust: signed' and 'key'"),
    ("- {topic: a/#, trust: trusted, outputs: [gate]}", "a topic without '+', '#' and control characters"),
    ("- {topic: a, trust: maybe, outputs: [gate]}", "'trusted' or 'token' or 'signed'"),
    ("- {topic: a, trust: token, outputs: [gate]}", "requires its own 'key', or a global 'timestamp_key'"),
    ("- {topic: a, trust: trusted, key: {file: x}, outputs: [gate]}", "'token' or 'signed' if 'key' is set"),
    ("- {topic: a, trust: trusted, outputs: [gaet]}", "there is no output 'gaet'"),
    ("- {topic: a, trust: trusted, actions: [garaeg]}", "there is no action 'garaeg'"),
    ("- {topic: a, trust: trusted, outputs: [gate], per_minute: 0}", "a whole number from 1 to 600"),
    ("- {topic: a, trust: trusted, outputs: [gate], expires: 1 h}", "at most 600 s"),
    ("- {topic: home/garage, trust: trusted, outputs: [gate]}", "topics to which no action or reply is published"),
    ("- {topic: a, trust: trusted, outputs: [gate], reply: a}", "topics to which no action or reply is published"),
  ])
  func `each error in a command is reported`(_ element: String, _ sentence: String) {
    let found = problems("  " + element)
    #expect(found.count == 1 && found.allSatisfy { $0.contains(sentence) }, "\(found)")
  }

  @Test(
    arguments: [
      ("a", "true", nil), ("a", "maybe", "'true' or 'false'"),
      ("tappet/kiosk/check", "true", "topics to which no action or reply is published"),
    ] as [(String, String, String?)])
  func `a topic may allow checks, unless its replies return to it`(
    _ topic: String, _ word: String, _ mistake: String?
  ) {
    let element = "  - {topic: \(topic), trust: signed, key: {file: k}, check: \(word)}"
    switch parse(element, files: .ignored) {
    case .loaded(let configuration): #expect(mistake == nil && configuration.commands[0].asksChecks)
    case .refused(let problems):
      #expect(problems.count == 1 && problems[0].sentence.contains(mistake ?? "-"), "\(problems.map(\.sentence))")
    }
  }

  @Test(
    arguments: [
      ("topic: 'home/%{text}', message: x", "", "home/gate", true),
      ("topic: 'home/%{text}/set', message: x", "", "home/gate", false),
      ("topic: 'home/%{text}-%{tag}', message: x", "", "home/a-b-c", true),
      ("topic: 'home/%{kiosk}/%{action}', message: x", "", "home/kiosk/door", true),
      ("topic: 'home/%{kiosk}/%{action}', message: x", "", "home/kiosk/gate", false),
      ("topic: 'home/%{uid}', message: x", "", "home/gate", false),
      ("topic: 'home/%{uid}', message: x", "", "home/04a1b2c3", true),
      ("topic: 'home/%{uid}', message: x", "", "home/none", true),
      ("topic: 'home/%{unix}', message: x", "", "home/gate", false),
      ("topic: 'home/%{text}', message: x, format: literal", "", "home/gate", false),
      ("topic: a, message: x, mode: hold, on_remove: {topic: home/gate, message: y}", "", "home/gate", true),
      ("topic: a, message: x, mode: hold, on_remove: {topic: 'home/%{tag}', message: y}", "", "home/gate", true),
      ("topic: a, message: x", "unknown_tags: {topic: 'home/%{text}', message: '%{text}'}", "home/gate", true),
      ("topic: a, message: x", "unknown_tags: {topic: home/scan, message: x}", "home/gate", false),
      ("topic: a, message: x", "inventory: {publish: true}", "tappet/kiosk/inventory", true),
      ("topic: a, message: x", "telemetry: {state: true}", "tappet/kiosk/state", true),
      ("topic: a, message: x", "", "tappet/kiosk/status", true),
    ])
  func `an action whose message would return as a command is refused`(
    _ action: String, _ more: String, _ topic: String, _ isLoop: Bool
  ) {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      panel: {outputs: [{name: gate, line: GPIO23}]}
      actions: [{name: door, \(action)}]
      \(more)
      commands: [{topic: '\(topic)', trust: trusted, outputs: [gate]}]
      """
    switch ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/") {
    case .loaded: #expect(!isLoop)
    case .refused(let problems):
      #expect(
        isLoop && problems.count == 1 && problems[0].sentence.contains("topics to which no action"),
        "\(problems.map(\.sentence))")
    }
  }

  @Test func `two elements cannot have the same topic`() {
    let element = "  - {topic: a, trust: trusted, outputs: [gate]}\n"
    #expect(problems(element + element)[0].contains("a topic that no other element uses"))
  }

  @Test func `a topic can accept the ESP32 firmware's commands`() {
    let role = "  - {topic: a, role: esp32, key: {file: k}, open: gate, stop: gate, close: gate, lax: true}"
    guard case .loaded(let configuration) = parse(role, files: .ignored) else {
      Issue.record("\(problems(role))")
      return
    }
    #expect(
      configuration.commands[0].firmware == FirmwareRole(open: "gate", stop: "gate", close: "gate", isLax: true))
    let wrong = problems("  - {topic: a, role: esp32, open: gaet, stop: gate, trust: token}")
    #expect(
      wrong.contains { $0.contains("unknown key 'trust'") } && wrong.contains { $0.contains("'close' is missing") })
    #expect(
      wrong.contains { $0.contains("there is no output 'gaet'") }
        && wrong.contains { $0.contains("requires its own 'key'") })
  }

  @Test func `the firmware's payloads are parsed as the firmware does`() {
    func content(_ text: String) -> CommandArrival.Content {
      CommandArrival.Content(Array(text.utf8), isFirmware: true)
    }
    var open = CommandRequest(.number(1))
    open.token = "ab"
    var stated = open
    stated.statedSender = "phone"
    #expect(content(#"{"command":1,"otp-auth":"ab","sender":"phone"}"#) == .request(stated))
    #expect(content(#"{"command":1,"otp-auth":"ab","sender":"two\nlines"}"#) == .request(open))
    #expect(content(#"{"Command":1,"OTP-Auth":"ab","command":2,"otp-auth":"cd"}"#) == .request(open))
    #expect(content(#"{"command":5}"#) == .request(CommandRequest(.number(5))))
    #expect(content(#"{"TT_ID":"TT-AABBCCDDEEFF","command":1}"#) == .report)
    for text in [#"{"command":"1"}"#, #"{"command":"x","command":1}"#, #"{"command":1.5}"#, "{}", "[1]", "on", ""] {
      #expect(content(text) == .malformed, "\(text)")
    }
  }

  // MARK: Payloads

  private func content(_ text: String) -> CommandArrival.Content { CommandArrival.Content(Array(text.utf8)) }

  @Test func `JSON, single words and action URLs are accepted`() {
    var gate = CommandRequest(.target(.output(OutputOrder(output: "gate", request: .pulse))), id: "7", unixSeconds: 12)
    #expect(content(#" {"id":7,"output":"gate","do":"PULSE","t":12} "#) == .request(gate))
    gate.token = "ab"
    gate.nonce = "12345678"
    gate.hmac = "cd"
    #expect(
      content(#"{"output":"gate","do":"pulse","id":"7","t":12,"token":"ab","nonce":"12345678","hmac":"cd","x":[1]}"#)
        == .request(gate))
    #expect(content(#"{"action":"garage"}"#) == .request(CommandRequest(.target(.action("garage")))))
    #expect(content("ON\n") == .request(CommandRequest(.word("ON"))))
    let url = "smp://action?idx=0&ts=1&sig=00"
    #expect(content(url) == .request(CommandRequest(.url(Array(url.utf8)))))
    #expect(content(#"{"url":"\#(url)","id":"u"}"#) == .request(CommandRequest(.url(Array(url.utf8)), id: "u")))
  }

  @Test(arguments: [
    "", " ", "{", "[]", "{}", "7", #"{"action":7}"#, #"{"output":"gate"}"#, #"{"output":"gate","do":"open"}"#,
    #"{"action":"garage","output":"gate","do":"on"}"#, #"{"action":"garage","t":"12"}"#,
    #"{"action":"garage","t":1.5}"#,
    #"{"action":"garage","id":["7"]}"#, #"{"action":"garage","nonce":"short"}"#,
    #"{"action":"garage","id":"a\u0007b"}"#,
    "onononononon", "o n", "\u{FF}\u{FE}", String(repeating: "[", count: 2048),
    #"{"action":"# + String(repeating: "[", count: 2000),
  ])
  func `garbage is reported as malformed`(_ text: String) { #expect(content(text) == .malformed) }

  @Test(arguments: [
    #"{"id":"7","result":"refused","output":"gate","do":"pulse"}"#, #"{"result":null,"action":"garage"}"#,
    #"{"command":5,"result":"done"}"#,
  ])
  func `a reply is never taken for a command, even if another kiosk was tricked into sending it`(_ text: String) {
    #expect(content(text) == .report && CommandArrival.Content(Array(text.utf8), isFirmware: true) == .report)
  }

  @Test func `any bytes yield a request, or are refused as malformed`() {
    var random = Randomness(seed: (3, 1, 4, 1))
    for _ in 0..<2_000 {
      let size = Int(random.next() % 64)
      let bytes = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      _ = CommandArrival.Content([UInt8(ascii: "{")] + bytes)
      _ = CommandArrival.Content(bytes)
    }
  }

  @Test func `payloads signed by other implementations are read exactly`() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: Repository.path("Tests/Vectors/commands.json")))
    let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    for vector in try #require(json["commands"] as? [[String: String]]) {
      guard case .request(let request) = content(vector["payload"] ?? "") else {
        Issue.record("\(vector)")
        continue
      }
      #expect(request.signedBytes(topic: vector["topic"] ?? "") == Array((vector["message"] ?? "").utf8))
      #expect(request.hmac == vector["hmac"])
    }
  }
}
