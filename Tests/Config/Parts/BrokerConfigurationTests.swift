// The part `broker:` of kiosk.yaml, and the addresses in it.

import TappetCore
import Testing

@testable import TappetConfig
@testable import TappetMessages

@Suite struct BrokerConfigurationTests {
  private func load(_ text: String) throws -> KioskConfiguration {
    switch ConfigurationParser.parse(Array(text.utf8), name: "kiosk.yaml", folder: "/etc/tappet") {
    case .loaded(let configuration): return configuration
    case .refused(let problems):
      Issue.record("\(problems.map(\.sentence))")
      throw CancellationError()
    }
  }

  @Test func `the response timeout is 5 s with several brokers, 20 s with one, or as configured`() throws {
    let actions = "actions: [{name: a, topic: t, message: m}]\n"
    func time(_ more: String) throws -> Duration? {
      try load("broker: {client_id: k, \(more)}\n" + actions).broker?.answerMax
    }
    #expect(try time("url: 'mqtts://h'") == .seconds(20))
    #expect(try time("url: ['mqtts://h', 'mqtts://i']") == .seconds(5))
    #expect(try time("url: ['mqtts://h', 'mqtts://i'], answer_timeout: 8 s") == .seconds(8))
    #expect(try time("url: 'mqtts://h', answer_timeout: 60 s") == .seconds(60))
  }

  @Test func `a password may be in the store, and revocation lists in a file`() throws {
    let login = "broker: {url: 'mqtts://h', client_id: k, crl: list.pem, username: u, password: {stored: true}}\n"
    let configuration = try load(login + "actions: [{name: a, topic: t, message: m}]\n")
    #expect(configuration.storesPassword && configuration.broker?.passwordFile == nil)
    #expect(configuration.broker?.password == nil && configuration.broker?.crlFile?.hasSuffix("/list.pem") == true)
    let broker = try #require(configuration.broker)
    #expect(broker.firstVersion(for: broker.endpoints[0]) == .v5)
  }

  @Test(arguments: [
    ("mqtts://h", "h", 8883, true), ("mqtt://h", "h", 1883, false), ("mqtts://h:1", "h", 1, true),
    ("mqtt://[::1]:65535", "::1", 65535, false), ("mqtts://[fe80::1%eth0]/", "fe80::1%eth0", 8883, true),
  ])
  func `a broker's URL is parsed into host, port and TLS`(url: String, host: String, port: Int, usesTLS: Bool) {
    #expect(
      BrokerEndpoint(url: url) == BrokerEndpoint(host: host, port: UInt16(port), usesTLS: usesTLS))
  }

  @Test(arguments: [
    "", "h", "http://h", "MQTT://h", "mqtt://", "mqtt://h:", "mqtt://h:0", "mqtt://h:65536", "mqtt://h:1a",
    "mqtt://h:-1",
    "mqtt://::1", "mqtt://[::1", "mqtt://[]", "mqtt://[::1]x", "mqtt://u@h", "mqtt://h/path", "mqtt://h h",
    "mqtt://h:1:2",
    "mqtt://h:99999999999999999999",
  ])
  func `text that is not a broker's address is refused`(url: String) {
    #expect(BrokerEndpoint(url: url) == nil)
  }

  @Test(arguments: [
    ("mqtt://ha:sup3rsecret@h:1883", "mqtt://…@h:1883"), ("mqtts://ha:sup3rsecret@", "mqtts://…@"),
    ("mqtts://ha:sup3r@/secret@h", "mqtts://…@h"), ("ha:sup3rsecret@h", "…@h"),
    ("mqtts://a-user-of-a-long-name:and-a-sup3rsecret@h", "mqtts://…@h"),
  ])
  func `a password in a broker's address is not repeated`(_ url: String, _ shown: String) {
    let text = "broker: {url: '\(url)', client_id: k}\nactions: [{name: a, topic: t, message: m}]\n"
    guard case .refused(let problems) = ConfigurationParser.parse(Array(text.utf8), name: "k.yaml", folder: "/") else {
      Issue.record("loaded")
      return
    }
    let sentence =
      "k.yaml:1:15: broker.url must be mqtts://HOST[:PORT] or mqtt://HOST[:PORT] (user name and password have separate "
      + "keys: username, password), not '\(shown)'"
    #expect(problems.map(\.sentence) == [sentence])
  }

  @Test(arguments: ["mqtts://h", "@kiosk:example.org", "ann@example.org", "a:b", "@", "://@", ""])
  func `text without a password is repeated unchanged`(text: String) { #expect(text.withoutUserInfo == text) }

  private func sentences(_ broker: String) -> [String] {
    let text = "broker: {client_id: k, \(broker)}\nactions: [{name: a, topic: t, message: m}]\n"
    guard
      case .refused(let problems) = ConfigurationParser.parse(
        Array(text.utf8), name: "k", folder: "/", files: .ignored)
    else { return [] }
    return problems.map { $0.sentence }
  }

  @Test func `a password without TLS must be explicitly allowed`() throws {
    let login = "url: mqtt://h, username: u, password: {file: p}"
    let refused = sentences(login)
    #expect(refused.count == 1 && refused[0].contains("set 'plain_password: true'"), "\(refused)")
    #expect(sentences(login + ", plain_password: false").count == 1)
    let text = "broker: {client_id: k, \(login), plain_password: true}\nactions: [{name: a, topic: t, message: m}]\n"
    guard
      case .loaded(let configuration) = ConfigurationParser.parse(
        Array(text.utf8), name: "k", folder: "/", files: .ignored)
    else {
      Issue.record("it is refused")
      return
    }
    #expect(configuration.broker?.sendsPlainPassword == true)
  }

  @Test(arguments: ["ca: c", "crl: c", "certificate: c, private_key: k"])
  func `a TLS file without TLS is an error`(_ files: String) {
    let refused = sentences("url: mqtt://h, " + files)
    #expect(!refused.isEmpty && refused.allSatisfy { $0.contains("has no effect with mqtt://") }, "\(refused)")
    #expect(sentences("url: [mqtts://h, mqtt://h], " + files).isEmpty, "one of them uses it")
  }

  @Test(arguments: [("mqtt://h", "5", true), ("mqtt://h", "3.1.1", false), ("mqtts://h", "5", false)])
  func `MQTT 5 can be configured only for brokers with TLS`(_ url: String, _ version: String, _ isRefused: Bool) {
    let text =
      "broker: {url: '\(url)', client_id: k, protocol: \(version)}\nactions: [{name: a, topic: a, message: b}]\n"
    guard case .refused(let problems) = ConfigurationParser.parse(Array(text.utf8), name: "k.yaml", folder: "/") else {
      #expect(!isRefused)
      return
    }
    #expect(isRefused && problems.map(\.sentence).first?.contains("MQTT 5 requires mqtts://") == true, "\(problems)")
  }
}
