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
  @Test func `a room gets the message as the text of a notice`() throws {
    let outcome = parse(#"topic: t, message: '"%{person}" \ %I', room: '#door:h', expires: 1 h"#)
    guard case .loaded(let configuration) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    var wanted = WebhookEndpoint(action: "a", url: .file("/etc/tappet/s"))
    wanted.room = "#door:h"
    wanted.method = .put
    wanted.redirects = 3
    #expect(configuration.webhooks == [wanted] && wanted.place == "the homeserver of #door:h")
    let action = configuration.actions[0]
    #expect(action.topic == "t" && action.message.text == #""%{person}" \ %I"#)
    #expect(action.webhookBody?.text == #"{"msgtype":"m.notice","body":"\"%{person}\" \\ %I"}"#)
    #expect(configuration.matrix == MatrixSettings(sessionFile: "/etc/tappet/s"))
    guard case .loaded(let alone) = parse("message: a, room: '!a:h'") else {
      Issue.record("a room needs no topic")
      return
    }
    #expect(alone.actions[0].topic == nil && alone.actions[0].message.text == "")
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
    let event = try #require(try JSONSerialization.jsonObject(with: Data(filled)) as? [String: String])
    #expect(
      event == [
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

  @Test func `each mistake is named`() {
    let long = String(repeating: "a", count: 8193)
    for (words, sentence) in [
      ("message: a, room: door", "must be a room's address or id"), ("room: '!a:h'", "'message' is missing"),
      ("message: '', room: '!a:h'", "1 to 8192 bytes long"), ("message: '\(long)', room: '!a:h'", "1 to 8192 bytes"),
      ("message: a, room: '!a:h', webhook: {url: 'https://h/'}", "'webhook' or 'room', not both"),
      ("message: a, room: '!a:h', html: '%I'", "HTML without %T and %I"),
      ("message: a, room: '!a:h', html: '%{x}'", "has a '%{'"), ("topic: t, message: a, html: b", "also needs 'room'"),
      ("message: a, room: '!a:h', retain: true", "'retain' also needs 'topic'"),
      ("message: '%T', room: '!a:h'", "no 'timestamp_key' is set"), ("message: '%{x}', room: '!a:h'", "has a '%{'"),
    ] {
      let told = problems(words)
      #expect(told.count == 1 && told[0].contains(sentence), "\(words): \(told)")
    }
    #expect(problems("message: a, room: '!a:h'", matrix: "").first?.contains("'room' also needs 'matrix'") == true)
    #expect(problems("topic: t, message: a", matrix: "matrix: {}").first?.contains("'session' is missing") == true)
  }

  @Test func `the session's file is private, and holds a session`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    func told(_ text: String?, mode: Int) throws -> String {
      let path = folder.path + "/s"
      if let text {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      }
      return problems("message: a, room: '!a:h'", folder: folder.path, files: .used).joined()
    }
    let session = "homeserver https://h\nuser @k:h\ndevice D\ntoken SECRET\n"
    #expect(try told(nil, mode: 0).contains("'tappet matrix login USER' writes it"))
    #expect(try told(session, mode: 0o600) == "")
    #expect(try told(session, mode: 0o644).contains("can be read by others"))
    let bad = try told("token SECRET\n", mode: 0o600)
    #expect(bad.contains("holds no session") && !bad.contains("SECRET"))
  }

  @Test func `a copy of everything has the session`() {
    let text = "broker: {}\nmatrix: {session: m.session, ca: m.pem}\n"
    #expect(ConfigurationParser.namedFiles(in: Array(text.utf8)) == ["m.session", "m.pem"])
  }
}
