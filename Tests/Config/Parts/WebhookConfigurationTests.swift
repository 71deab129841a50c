// `actions[].webhook` of kiosk.yaml: what is read, and the sentence for each mistake.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetConfig
@testable import TappetMessages

private func parse(_ action: String, folder: String = "/etc/tappet", files: NamedFiles = .used)
  -> ConfigurationParser.Outcome
{
  let text = """
    broker: {url: 'mqtts://broker.example', client_id: kiosk}
    actions:
      - {name: a, \(action)}
    """
  return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: folder, files: files)
}

private func problems(_ action: String, folder: String = "/etc/tappet") -> [String] {
  switch parse(action, folder: folder) {
  case .loaded: []
  case .refused(let problems): problems.map(\.sentence)
  }
}

@Suite struct WebhookConfigurationTests {
  @Test func `everything that can be configured is read`() throws {
    let outcome = parse(
      "topic: t, message: m, webhook: {url: {file: url}, method: PUT, body: '{}', timeout: 3 s, redirects: 2, "
        + "ca: ca.pem, certificate: c.pem, private_key: k.pem, secret: {file: s}, allow_http: true, "
        + "headers: {X-A: b, Authorization: {file: t}}}", files: .ignored)
    guard case .loaded(let configuration) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    var wanted = WebhookEndpoint(action: "a", url: .file("/etc/tappet/url"))
    wanted.method = .put
    wanted.timeout = .seconds(3)
    wanted.redirects = 2
    wanted.allowsPlain = true
    wanted.caFile = "/etc/tappet/ca.pem"
    (wanted.certificateFile, wanted.privateKeyFile) = ("/etc/tappet/c.pem", "/etc/tappet/k.pem")
    wanted.secretFile = "/etc/tappet/s"
    wanted.headers = [
      .init(name: "X-A", value: .text("b")), .init(name: "Authorization", value: .file("/etc/tappet/t")),
    ]
    #expect(configuration.webhooks == [wanted])
    #expect(configuration.actions[0].webhookBody?.text == "{}" && configuration.actions[0].topic == "t")
  }

  @Test func `the message is the body, with or without a topic`() {
    for (words, topic) in [("topic: t, message: m, ", "t"), ("message: m, ", nil), ("", nil)] {
      guard case .loaded(let configuration) = parse(words + "webhook: {url: 'https://h/'}") else {
        Issue.record("\(words)")
        continue
      }
      let action = configuration.actions[0]
      #expect(action.topic == topic && action.webhookBody?.text == (words.isEmpty ? "" : "m"))
      #expect(action.message.text == (topic == nil ? "" : "m"))
    }
  }

  @Test func `each error is reported without showing a URL`() {
    for (words, sentence) in [
      ("url: 'https://u:SECRET@h/'", "must be 'https://HOST/…'"), ("url: 'ftp://h/SECRET'", "must be 'https://HOST/…'"),
      ("url: 'http://h/SECRET'", "would be sent over the network without TLS"), ("method: POST", "'url' is missing"),
      ("url: 'https://h/', method: TRACE", "must be 'POST' or"), ("url: 'https://h/', redirects: 6", "from 0 to 5"),
      ("url: 'https://h/', timeout: 2 min", "at most 60 s"),
      ("url: 'https://h/', secret: SECRET", "must be {file: FILE}"),
      ("url: 'https://h/', headers: {Authorization: SECRET}", "must be {file: FILE}"),
      ("url: 'https://h/', headers: {Host: x}", "that Tappet does not set itself"),
      ("url: 'https://h/', headers: {'a b': x}", "that Tappet does not set itself"),
      ("url: 'https://h/', headers: {webhook-id: x}", "that Tappet does not set itself"),
      ("url: 'https://h/', headers: {A: x, a: y}", "duplicate key 'a'"),
      ("url: 'https://h/', certificate: c", "'certificate' also needs 'private_key'"),
      ("url: 'https://h/', body: '%T'", "no 'timestamp_key' is set"),
      ("url: 'https://h/', bdy: x", "did you mean 'body'"),
      ("url: {file: nowhere}", "cannot be read"),
    ] {
      let told = problems("webhook: {\(words)}")
      #expect(told.count == 1 && told[0].contains(sentence), "\(words): \(told)")
      #expect(!told.joined().contains("SECRET"))
    }
    #expect(
      problems("retain: true, webhook: {url: 'https://h/'}").first?.contains("'retain' also needs 'topic'") == true)
    #expect(problems("webhook: {url: 'http://[::1]:80/'}") == [])
    #expect(problems("webhook: {url: 'http://far.example/', allow_http: true}") == [])
  }

  @Test func `a secret file must be private and contain a valid secret`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    func write(_ text: String, mode: Int) throws {
      try text.write(toFile: folder.path + "/f", atomically: false, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path + "/f")
    }
    let signed = "webhook: {url: 'https://h/', secret: {file: f}}"
    try write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n", mode: 0o600)
    #expect(problems(signed, folder: folder.path) == [])
    try write("SECRET\n", mode: 0o600)
    #expect(problems(signed, folder: folder.path).first?.contains("must contain 'whsec_'") == true)
    try write("\n", mode: 0o600)
    #expect(problems(signed, folder: folder.path).first?.contains("is empty") == true)
    try write("http://far.example/SECRET\n", mode: 0o600)
    let told = problems("webhook: {url: {file: f}}", folder: folder.path)
    #expect(told.first?.contains("without TLS") == true && !told.joined().contains("SECRET"))
    try write("https://far.example/SECRET\n", mode: 0o644)
    #expect(problems("webhook: {url: {file: f}}", folder: folder.path).first?.contains("can be read by others") == true)
  }

  @Test func `a header file is decoded as its writer intended, or refused with a reason`() throws {
    let folder = TestFolder.make("headers")
    func problems(_ bytes: [UInt8]) -> [String] {
      _ = FileManager.default.createFile(
        atPath: folder + "/t", contents: Data(bytes), attributes: [.posixPermissions: 0o600])
      let action = "message: m, webhook: {url: 'https://a', headers: {Authorization: {file: t}}}"
      guard case .refused(let found) = parse(action, folder: folder, files: .required) else { return [] }
      return found.map(\.sentence)
    }
    let text = "Bearer " + String(repeating: "x", count: 20_000)
    #expect(problems(Array((text + "\n").utf8)).isEmpty)
    #expect(problems([0xFF, 0xFE] + (text + "\r\n").utf16.flatMap { [UInt8($0), 0] }).isEmpty)
    for (bytes, words) in [
      (Array("Bearer \0".utf8), "contains NUL characters"), ([0xFF, 0xFE, 0x42], "looks like UTF-16"),
      (Array("Bearer\tx".utf8), "control character"), (Array("\n".utf8), "is empty"),
    ] {
      let found = problems(bytes)
      #expect(found.count == 1 && found[0].contains(words), "\(found)")
    }
  }

  @Test func `a backup's files include those of webhooks`() {
    let text = """
      broker: {url: 'mqtts://b', client_id: k}
      actions:
        - {name: a, webhook: {url: {file: url}, ca: ca.pem, certificate: c.pem, private_key: k.pem, secret: {file: s},
            headers: {A: {file: t}, B: plain}}}
      """
    #expect(
      ConfigurationParser.namedFiles(in: Array(text.utf8)) == ["ca.pem", "c.pem", "k.pem", "url", "s", "t"])
  }
}
