// `matrix:` and `actions[].room` of kiosk.yaml: what is read, and the sentence for each mistake.

import Foundation
import TestSupport
import Testing

@testable import TappetConfig
@testable import TappetCore
@testable import TappetMessages

private func parse(
  _ action: String, matrix: String = "matrix: {session: s}", folder: String = "/etc/tappet",
  files: NamedFiles = .ignored
) -> ConfigurationParser.Outcome {
  let text = """
    broker: {url: 'mqtts://broker.example', client_id: kiosk}
    \(matrix)
    actions:
      - {name: a, \(action)}
    """
  return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: folder, files: files)
}

private func problems(
  _ action: String, matrix: String = "matrix: {session: s}", folder: String = "/etc/tappet",
  files: NamedFiles = .ignored
) -> [String] {
  switch parse(action, matrix: matrix, folder: folder, files: files) {
  case .loaded: []
  case .refused(let problems): problems.map(\.sentence)
  }
}

@Suite struct RoomConfigurationTests {
  @Test func `the configuration of encryption selects devices, and can allow plain rooms`() throws {
    func encryption(_ text: String) -> RoomEncryption? {
      let outcome = parse("message: m, room: '!d:h'", matrix: "matrix: {session: s\(text)}")
      guard case .loaded(let configuration) = outcome else { return nil }
      #expect(KioskSettings(configuration).rooms.areEncrypted == (configuration.matrix?.encryption != nil))
      return configuration.matrix?.encryption
    }
    #expect(encryption("") == nil)
    #expect(encryption(", encryption: {}") == RoomEncryption(devices: .all, allowsPlain: true))
    #expect(
      encryption(", encryption: {devices: signed, unencrypted: refuse}")
        == RoomEncryption(devices: .signed, allowsPlain: false))
    for wrong in ["devices: some", "unencrypted: no", "other: 1"] {
      #expect(problems("message: m, room: '!d:h'", matrix: "matrix: {session: s, encryption: {\(wrong)}}").count == 1)
    }
  }

  @Test func `users whose invitations are accepted must be listed individually`() throws {
    func inviters(_ list: String) -> ConfigurationParser.Outcome {
      parse("message: m, room: '!d:h'", matrix: "matrix: {session: s, accept_invitations_of: \(list)}")
    }
    guard case .loaded(let configuration) = inviters("['@ann:h', '@ben:h:8448']") else {
      Issue.record("refused")
      return
    }
    #expect(configuration.matrix?.inviters == ["@ann:h", "@ben:h:8448"])
    #expect(KioskSettings(configuration).rooms.inviters == ["@ann:h", "@ben:h:8448"])
    for (list, sentence) in [
      ("[]", "at least one element"), ("'@ann:h'", "list"), ("[ann]", "must be a user, such as '@ann:example.org'"),
      ("['@ann']", "must be a user"), ("[{}]", "accept_invitations_of"),
    ] {
      guard case .refused(let problems) = inviters(list) else {
        Issue.record("accepted: \(list)")
        continue
      }
      #expect(problems.count == 1 && problems[0].sentence.contains(sentence), "\(problems.map(\.sentence))")
    }
  }

  @Test func `unread messages are counted for a space or room, without an action in a room`() {
    for room in ["#home:h", "!id:h"] {
      let outcome = parse("topic: t, message: m", matrix: "matrix: {session: s, unread_of: '\(room)'}")
      guard case .loaded(let configuration) = outcome else {
        Issue.record("refused: \(room)")
        continue
      }
      #expect(configuration.matrix?.unread == room && KioskSettings(configuration).rooms.unread == room)
    }
    for room in ["home", "'@ann:h'", "''", "['#a:h', '#b:h']", "{space: '#home:h'}"] {
      let told = problems("topic: t, message: m", matrix: "matrix: {session: s, unread_of: \(room)}")
      #expect(told.count == 1, "\(room): \(told)")
    }
  }

  @Test func `a last will is posted without encryption, so it must be allowed`() {
    for (word, count) in [("allow", 0), ("refuse", 1)] {
      let keys = "session: s, encryption: {unencrypted: \(word)}, last_will: {room: '!d:h', message: m}"
      let told = problems("message: m, room: '!d:h'", matrix: "matrix: {\(keys)}")
      let isNamed = told.allSatisfy { $0.contains("must be absent with 'unencrypted: refuse'") }
      #expect(told.count == count && isNamed, "\(told)")
    }
  }

  @Test func `a last will has a room, a text and a delay, and can notify users`() throws {
    func will(_ keys: String) -> ConfigurationParser.Outcome {
      parse("message: m, room: '!d:h'", matrix: "matrix: {session: s, last_will: {\(keys)}}")
    }
    guard case .loaded(let configuration) = will("room: '#door:h', message: 'The \"door\" is gone.'") else {
      Issue.record("refused")
      return
    }
    let body = #"{"msgtype":"m.notice","m.mentions":{},"body":"The \"door\" is gone."}"#
    let wanted = RoomWill(room: "#door:h", body: body, after: .seconds(300))
    #expect(configuration.matrix?.lastWill == wanted && KioskSettings(configuration).rooms.will == wanted)
    guard case .loaded(let other) = will("room: '!d:h', message: m, after: 24 h, mention: room") else {
      Issue.record("refused")
      return
    }
    #expect(other.matrix?.lastWill?.after == .seconds(86_400))
    #expect(other.matrix?.lastWill?.body.contains(#""msgtype":"m.text","m.mentions":{"room":true}"#) == true)
    for (keys, sentence) in [
      ("message: m", "'room' is missing"), ("room: '!d:h'", "'message' is missing"),
      ("room: door, message: m", "must be a room's address or id"), ("room: '!d:h', message: ''", "1 to 8192 bytes"),
      ("room: '!d:h', message: m, after: 59 s", "at least 60 s"), ("room: '!d:h', message: m, after: 2 d", "at most"),
      ("room: '!d:h', message: '\(String(repeating: "a", count: 6200))'", "at most 6144 bytes"),
      ("room: '!d:h', message: m, retain: true", "retain"),
    ] {
      guard case .refused(let problems) = will(keys) else {
        Issue.record("accepted: \(keys)")
        continue
      }
      #expect(problems.count == 1 && problems[0].sentence.contains(sentence), "\(problems.map(\.sentence))")
    }
  }

  @Test func `a room gets the message as the text of a notice`() throws {
    let outcome = parse(#"topic: t, message: '"%{person}" \ %I', room: '#door:h', expires: 1 h"#)
    guard case .loaded(let configuration) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    var wanted = MatrixSettings(sessionFile: "/etc/tappet/s")
    wanted.posts = [RoomPost(action: "a", room: "#door:h", reportsOutcome: false)]
    #expect(configuration.matrix == wanted && configuration.webhooks.isEmpty)
    let action = configuration.actions[0]
    #expect(action.topic == "t" && action.message.text == #""%{person}" \ %I"#)
    #expect(action.webhookBody?.text == #"{"msgtype":"m.notice","m.mentions":{},"body":"\"%{person}\" \\ %I"}"#)
    guard case .loaded(let alone) = parse("message: a, room: '!a:h'") else {
      Issue.record("a room needs no topic")
      return
    }
    #expect(alone.actions[0].topic == nil && alone.actions[0].message.text == "")
  }

  @Test(arguments: [
    ("notify: true", #""msgtype":"m.text","m.mentions":{}"#),
    ("notify: false", #""msgtype":"m.notice","m.mentions":{}"#),
    ("mention: room", #""msgtype":"m.text","m.mentions":{"room":true}"#),
    ("mention: ['@a:h', '@b:h:8448']", #""msgtype":"m.text","m.mentions":{"user_ids":["@a:h","@b:h:8448"]}"#),
  ])
  func `a message notifies phones if configured, and mentions the listed users`(_ keys: String, _ members: String)
    throws
  {
    guard case .loaded(let configuration) = parse("message: a, room: '!a:h', \(keys)") else {
      Issue.record("not loaded")
      return
    }
    #expect(configuration.actions[0].webhookBody?.text == "{\(members),\"body\":\"a\"}")
  }

  @Test(arguments: [
    ("room: '!a:h', notify: false, mention: room", "an action can have 'mention' or 'notify: false'"),
    ("topic: t, notify: true", "'room'"),
    ("topic: t, mention: room", "'room'"), ("room: '!a:h', mention: [ann]", "a user, such as '@ann:example.org'"),
    ("room: '!a:h', mention: ann", "list"), ("room: '!a:h', mention: []", "at least one element"),
    ("room: '!a:h', notify: loudly", "'true' or 'false'"),
  ])
  func `an invalid mention is refused`(_ keys: String, _ sentence: String) {
    let found = problems("message: a, \(keys)")
    #expect(found.count == 1 && found[0].contains(sentence), "\(found)")
  }

  @Test func `a fact about the tap cannot add members to the event`() throws {
    guard case .loaded(let configuration) = parse("message: '%{text}', room: '!a:h'") else {
      Issue.record("not loaded")
      return
    }
    #expect(configuration.actions[0].webhookBody?.names(.text) == true)
    guard case .loaded(let literal) = parse("message: '%{text}', format: literal, room: '!a:h'") else {
      Issue.record("not loaded")
      return
    }
    #expect(literal.actions[0].webhookBody?.namesFacts == false)
  }

  @Test func `HTML is sent with the text, and a fact cannot add markup or members`() throws {
    guard
      case .loaded(let configuration) = parse(
        #"message: '%{person}', html: '<b class="a">%{person}</b>', room: '!a:h'"#)
    else {
      Issue.record("not loaded")
      return
    }
    let body = try #require(configuration.actions[0].webhookBody)
    var facts = TapFacts()
    facts[.person] = #"<i>"&'"#
    let filled = body.filled(with: facts, id: EntryID(high: 0, low: 0)).fill(token: nil, id: EntryID(high: 0, low: 0))
    var event = try #require(try JSONSerialization.jsonObject(with: Data(filled)) as? [String: Any])
    #expect((event.removeValue(forKey: "m.mentions") as? [String: Any])?.isEmpty == true)
    #expect(
      event as? [String: String] == [
        "msgtype": "m.notice", "body": #"<i>"&'"#, "format": "org.matrix.custom.html",
        "formatted_body": #"<b class="a">&lt;i&gt;&quot;&amp;&#39;</b>"#,
      ])
    guard case .loaded(let literal) = parse("message: a, format: literal, html: '%{person}', room: '!a:h'") else {
      Issue.record("not loaded")
      return
    }
    #expect(literal.actions[0].webhookBody?.text.contains("%{person}") == true)
    #expect(literal.actions[0].webhookBody?.namesFacts == false)
  }

  @Test func `each error is reported`() {
    let long = String(repeating: "a", count: 8193)
    for (words, sentence) in [
      ("message: a, room: door", "must be a room's address or id"), ("room: '!a:h'", "'message' is missing"),
      (
        "message: a, room: , notify: true",
        "must be a room's address in quotation marks, such as '#door:example.org', not nothing"
      ),
      ("message: '', room: '!a:h'", "1 to 8192 bytes long"), ("message: '\(long)', room: '!a:h'", "1 to 8192 bytes"),
      ("message: a, room: '!a:h', webhook: {url: 'https://h/'}", "'webhook' or 'room', not both"),
      ("message: a, room: '!a:h', html: '%I'", "HTML without %T and %I"),
      ("message: a, room: '!a:h', html: '%{x}'", "contains a '%{'"),
      ("topic: t, message: a, html: b", "also needs 'room'"),
      ("message: a, room: '!a:h', retain: true", "'retain' also needs 'topic'"),
      ("message: '%T', room: '!a:h'", "no 'timestamp_key' is set"),
      ("message: '%{x}', room: '!a:h'", "contains a '%{'"),
      ("message: a, room: '!a:h', report: true", "'report' also needs 'topic'"),
      ("topic: t, message: a, report: true", "'report' also needs 'room'"),
      ("topic: t, message: a, room: '!a:h', report: 1", "report must be 'true' or 'false'"),
    ] {
      let told = problems(words)
      #expect(told.count == 1 && told[0].contains(sentence), "\(words): \(told)")
    }
    #expect(problems("message: a, room: '!a:h'", matrix: "").first?.contains("'room' also needs 'matrix'") == true)
    #expect(problems("topic: t, message: a", matrix: "matrix: {}").first?.contains("'session' is missing") == true)
  }

  @Test func `a room's message reports its outcome only if it has one and contains no token`() {
    func reports(_ words: String) -> Bool? {
      guard case .loaded(let configuration) = parse("topic: t, message: a, room: '!a:h'\(words)") else { return nil }
      return KioskSettings(configuration).rooms.reporting == ["a"]
    }
    #expect(reports("") == false && reports(", report: false") == false && reports(", report: true") == true)
    let told = problems("topic: t, message: '%T', room: '!a:h', report: true")
    #expect(told.contains { $0.contains("absent or false for a message with %T") }, "\(told)")
  }

  @Test func `the session's file must be private and contain a session`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    func told(_ text: String?, mode: Int, files: NamedFiles = .used) throws -> String {
      let path = folder.path + "/s"
      if let text {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      }
      return problems("message: a, room: '!a:h'", folder: folder.path, files: files).joined()
    }
    let session = "homeserver https://h\nuser @k:h\ndevice D\ntoken SECRET\n"
    #expect(try told(nil, mode: 0) == "")
    #expect(try told(nil, mode: 0, files: .required).contains("create it with 'tappet matrix login USER'"))
    #expect(try told(session, mode: 0o600) == "")
    #expect(try told(session, mode: 0o644).contains("can be read by others"))
    let bad = try told("token SECRET\n", mode: 0o600)
    #expect(bad.contains("contains no session") && !bad.contains("SECRET"))
  }

  @Test func `a backup's files include the session`() {
    let text = "broker: {}\nmatrix: {session: m.session, ca: m.pem}\n"
    #expect(ConfigurationParser.namedFiles(in: Array(text.utf8)) == ["m.session", "m.pem"])
  }

  // MARK: Commands

  private func commands(_ element: String, matrix: String = "matrix: {session: s}") -> ConfigurationParser.Outcome {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      \(matrix)
      panel: {chip: gpiochip0, outputs: [{name: gate, line: 4}]}
      actions: [{name: bell, topic: t, message: a}]
      commands:
        - \(element)
        - {topic: c, trust: trusted, actions: [bell]}
      """
    return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet", files: .ignored)
  }

  @Test func `a room with commands lists its users, and is placed after the broker's topics`() throws {
    let outcome = commands("{room: '#door:h', users: ['@ann:h', '@ben:h'], actions: [bell], outputs: [gate]}")
    guard case .loaded(let configuration) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(configuration.commands.map(\.topic) == ["c", "#door:h"] && configuration.broker?.commandTopics == ["c"])
    let plan = try #require(configuration.commands.last)
    guard case .room(let commanders) = plan.trust else {
      Issue.record("\(plan)")
      return
    }
    #expect(commanders == RoomCommanders(users: ["@ann:h", "@ben:h"]) && !plan.managesPeople)
    #expect(plan.window == .seconds(30) && plan.outputs == ["gate"] && plan.needsClock)
  }

  @Test func `a room can require a power level in addition to or instead of users, and can allow suspensions`() {
    for (words, commanders) in [
      ("power_level: 50", RoomCommanders(users: [], powerLevel: 50)),
      ("users: ['@ann:h'], power_level: 100, people: true", RoomCommanders(users: ["@ann:h"], powerLevel: 100)),
    ] {
      guard case .loaded(let configuration) = commands("{room: '#door:h', \(words), actions: [bell]}"),
        let plan = configuration.commands.last, case .room(let found) = plan.trust
      else {
        Issue.record("refused: \(words)")
        continue
      }
      #expect(found == commanders && plan.managesPeople == words.contains("people"))
    }
  }

  @Test(arguments: [
    ("{room: door, users: ['@a:h']}", "must be a room's address or id"),
    ("{room: '#d:h'}", "'users' is missing"), ("{room: '#d:h', users: []}", "at least one element"),
    ("{room: '#d:h', users: [ann]}", "must be a user, such as '@ann:example.org'"),
    ("{room: '#d:h', users: ['@a:h'], trust: trusted}", "unknown key 'trust'"),
    ("{room: '#d:h', users: ['@a:h'], actions: [bel]}", "bell"),
    ("{room: '#d:h', users: ['@a:h'], reply: r}", "unknown key 'reply'"),
    ("{room: '#d:h', power_level: 0}", "must be"), ("{room: '#d:h', power_level: 1001}", "must be"),
    ("{room: '#d:h', power_level: fifty}", "must be"),
    ("{room: '#d:h', power_level: 50, users: []}", "at least one element"),
    ("{topic: t, trust: trusted, people: true}", "unknown key 'people'"),
  ])
  func `each error in a room with commands has its own message`(_ element: String, _ sentence: String) {
    guard case .refused(let problems) = commands(element) else {
      Issue.record("accepted: \(element)")
      return
    }
    #expect(problems.map(\.sentence).contains { $0.contains(sentence) }, "\(problems.map(\.sentence))")
  }

  @Test func `an action can be confirmed in a room with commands, within a time limit`() throws {
    func parse(_ words: String) -> ConfigurationParser.Outcome {
      let text = """
        broker: {url: 'mqtts://broker.example', client_id: kiosk}
        matrix: {session: s}
        panel: {chip: gpiochip0, buttons: [{line: 4, release: bell}]}
        actions: [{name: bell, topic: t, message: a, \(words)}]
        commands: [{room: '#door:h', users: ['@ann:h']}]
        """
      return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet", files: .ignored)
    }
    guard case .loaded(let configuration) = parse("confirm: 30 s, confirm_in: '#door:h'") else {
      Issue.record("refused")
      return
    }
    #expect(configuration.actions[0].confirmRoom == "#door:h")
    #expect(configuration.actions[0].confirmWithin == .seconds(30))
    for (words, sentence) in [
      ("confirm_in: '#door:h'", "also needs 'confirm'"),
      ("confirm: 30 s, confirm_in: '#hall:h'", "must be a room under 'commands'"),
      ("confirm: 30 s, confirm_in: [a]", "confirm_in"),
    ] {
      guard case .refused(let problems) = parse(words) else {
        Issue.record("accepted: \(words)")
        continue
      }
      #expect(problems.contains { $0.sentence.contains(sentence) }, "\(problems.map(\.sentence))")
    }
  }

  @Test func `commands from a room need a session`() {
    guard case .refused(let problems) = commands("{room: '#d:h', users: ['@a:h'], actions: [bell]}", matrix: "") else {
      Issue.record("accepted")
      return
    }
    #expect(problems.contains { $0.sentence.contains("also needs 'matrix'") }, "\(problems.map(\.sentence))")
  }
}
