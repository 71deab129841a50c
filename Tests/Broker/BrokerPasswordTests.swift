// A broker that wants a user name and a password.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetBroker
@testable import TappetMessages

@Suite struct BrokerPasswordTests {
  private let folder = TestFolder.make("password")

  private func file(_ text: String) throws -> String {
    try file(Array(text.utf8))
  }

  private func file(_ bytes: [UInt8], mode: Int = 0o600) throws -> String {
    let path = folder + "/password"
    try? FileManager.default.removeItem(atPath: path)
    _ = FileManager.default.createFile(
      atPath: path, contents: Data(bytes), attributes: [.posixPermissions: mode])
    return path
  }

  private func outcome(_ settings: BrokerSettings) throws -> LinkEvent? {
    let log = LinkLog()
    let link = try BrokerLink(settings: settings) { log.take($0) }
    defer { link.shutdown() }
    link.connect(endpoint: 0)
    return log.event(1)
  }

  @Test(arguments: [MQTTVersion.v311, .v5])
  func `the first line of the file is the password, which is read at each connect`(_ version: MQTTVersion) throws {
    let broker = try TestBroker(.password(user: "kiosk", password: "correct horse"))
    var settings = broker.settings(version: version)
    settings.passwordFile = try file("correct horse\nanother line\n")
    #expect(try outcome(settings) == .connected(sessionPresent: false))
    settings.passwordFile = try file("battery staple\n")
    guard case .failed(let refused)? = try outcome(settings) else { throw TestFault("it was accepted") }
    #expect(refused.sentence.contains("user name"), "\(refused.sentence)")
    #expect(!refused.sentence.contains("battery"))
    settings.passwordFile = try file("correct horse")
    #expect(try outcome(settings) == .connected(sessionPresent: false))
  }

  @Test func `a password in memory works like one in a file`() throws {
    let broker = try TestBroker(.password(user: "kiosk", password: "correct horse"))
    var settings = broker.settings()
    settings.password = BrokerPassword(bytes("correct horse"))
    #expect(try outcome(settings) == .connected(sessionPresent: false))
    settings.password = BrokerPassword(bytes("battery staple"))
    #expect(try outcome(settings) != .connected(sessionPresent: false))
    #expect(settings.password == BrokerPassword(bytes("battery staple")))
    #expect(settings.password != BrokerPassword(bytes("battery stapler")))
    #expect(BrokerPassword(bytes("")) == nil && BrokerPassword(bytes("a\0b")) == nil)
  }

  @Test(arguments: [MQTTVersion.v311, .v5])
  func `a wrong password is not reported as a TLS fault, however soon the broker closes`(_ version: MQTTVersion) throws
  {
    let broker = try TestBroker(.password(user: "kiosk", password: "correct horse"))
    var settings = broker.settings(version: version)
    settings.passwordFile = try file("battery staple\n")
    for _ in 0..<12 {
      let trace = ConnectTrace(settings.endpoints[0])
      let log = LinkLog()
      let link = try BrokerLink(settings: settings, post: { log.take($0) }, observe: { trace.note($0) })
      defer { link.shutdown() }
      link.connect(endpoint: 0)
      guard case .failed(let refused)? = log.event(1) else { throw TestFault("it was accepted") }
      let facts = trace.facts
      #expect(facts.steps.last?.stage == .tls && facts.steps.last?.isGood == true)
      #expect(refused.stage(facts, usesTLS: true) == .mqtt)
    }
  }

  private func bytes(_ text: String) -> SecretBytes {
    var bytes = Array(text.utf8)
    return SecretBytes(taking: &bytes)
  }

  @Test func `the caller's own will is published when the connection breaks`() throws {
    let broker = try TestBroker()
    let subscriber = try broker.subscribe("kiosk/#")
    var settings = broker.settings()
    settings.announcesStatus = false
    settings.keepaliveSeconds = 5
    settings.will = BrokerWill(topic: "kiosk/gone", payload: Array("away".utf8), qos: 1, isRetained: false)
    #expect(try outcome(settings) == .connected(sessionPresent: false))
    // An orderly end is no reason for a will.
    #expect(subscriber.messages.isEmpty)
    let rival = try LinkUnderTest(settings)
    #expect(rival.connected(broker))
    let second = try LinkUnderTest(settings)
    #expect(second.connected(broker))
    #expect(eventually { subscriber.messages.contains("0 1 kiosk/gone away") }, "\(broker.log)")
  }

  @Test func `a missing or empty password file is reported with its path`() throws {
    let broker = try TestBroker(.password(user: "kiosk", password: "correct horse"))
    var settings = broker.settings()
    settings.passwordFile = folder + "/none"
    guard case .failed(let gone)? = try outcome(settings) else { throw TestFault("it was accepted") }
    #expect(gone.sentence.contains(folder + "/none"), "\(gone.sentence)")
    settings.passwordFile = try file("\n")
    #expect(try outcome(settings) == .failed(.files(.passwordEmpty(path: folder + "/password"))))
  }

  @Test func `passwords may have MQTT's maximum length, or a Windows line ending`() throws {
    let token = String(repeating: "eyJ0eXAiOiJKV1Qi", count: 4096).dropLast()
    #expect(token.utf8.count == 65_535)
    let broker = try TestBroker(.password(user: "kiosk", password: "correct horse"))
    var settings = broker.settings()
    settings.username = "kiosk"
    settings.passwordFile = try file([0xFF, 0xFE] + "correct horse\r\n".utf16.flatMap { [UInt8($0), 0] })
    #expect(try outcome(settings) == .connected(sessionPresent: false))
    settings.passwordFile = try file(token + "\r\n")
    guard case .failed(let refused)? = try outcome(settings) else { throw TestFault("it was accepted") }
    #expect(refused.isRefusalOfLogin, "\(refused)")
    let bad: [([UInt8], Int, CertificateProblem)] = [
      (Array("\(token)x".utf8), 0o600, .passwordTooLong(path: folder + "/password")),
      (Array("a\0b".utf8), 0o600, .notText(path: folder + "/password", isDamaged: false)),
      (Array("correct horse".utf8), 0o644, .keyReadable(path: folder + "/password")),
    ]
    for (bytes, mode, problem) in bad {
      settings.passwordFile = try file(bytes, mode: mode)
      #expect(try outcome(settings) == .failed(.files(problem)))
    }
  }

  @Test func `a password is sent in the clear only with consent`() throws {
    let broker = try TestBroker(.plainPassword(user: "kiosk", password: "correct horse"))
    var settings = BrokerSettings(
      endpoints: [BrokerEndpoint(host: "localhost", port: broker.port, usesTLS: false)], clientID: "k",
      username: "kiosk", passwordFile: try file("correct horse"))
    guard case .failed? = try outcome(settings) else { throw TestFault("it was accepted without a password") }
    settings.endpoints[0].allowsPlainPassword = true
    #expect(try outcome(settings) == .connected(sessionPresent: false))
  }

  @Test func `without TLS and without consent no password is sent`() throws {
    let peer = try #require(TestSocket.listening())
    defer { close(peer.socket) }
    let settings = BrokerSettings(
      endpoints: [BrokerEndpoint(host: "127.0.0.1", port: peer.port, usesTLS: false)], clientID: "k", username: "kiosk",
      passwordFile: try file("correct horse"))
    let link = try BrokerLink(settings: settings) { _ in }
    defer { link.shutdown() }
    link.connect(endpoint: 0)
    let client = accept(peer.socket, nil, nil)
    defer { close(client) }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = read(client, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    #expect(text.contains("kiosk") && !text.contains("horse"))
  }
}

extension LinkFailure {
  fileprivate var isRefusalOfLogin: Bool {
    switch self {
    case .refused, .connack: true
    default: false
    }
  }
}
