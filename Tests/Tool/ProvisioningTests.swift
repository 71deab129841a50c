// The app's settings in both generations, the presets that ship, the boards that are recognized, and the text of a
// kiosk.yaml.

import Foundation
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import Testing
import TestSupport

@testable import TappetCommandLine
@testable import TappetKioskTool

@Suite struct ProvisioningTests {
  private static let root = Repository.root
  /// Once in the process, and for good: other suites may be reading the environment.
  private static let isSetUp: Bool = {
    setenv("TAPPET_PRESETS", Repository.path("board/presets"), 1)
    setenv("TAPPET_PROFILES", Repository.path("board/profiles"), 1)
    return true
  }()

  init() { _ = Self.isSetUp }

  private func settings(actions: [String]) throws -> AppExport.Outcome {
    func text(_ name: String) throws -> String {
      try String(contentsOfFile: TestCertificates.path(name), encoding: .utf8).replacing("\n", with: "\\n")
    }
    let json = """
      {"endpoint": "broker.example", "clientID": "SMP Client-1", "certificate": "\(try text("client.pem"))",
       "privateKey": "\(try text("client.key"))", "timestampKey": null, "rootCA": "", "extra": {"a": 1.5},
       "actions": [\(actions.joined(separator: ","))]}
      """
    return AppExport.read(Array(json.utf8), ask: { _ in nil }, makeID: { "new" })
  }

  @Test func `actions of both generations match the vectors`() throws {
    struct Vectors: Decodable {
      struct Settings: Decodable {
        struct Secret: Decodable {
          var secret: String
          var label: String
        }
        var legacy: String
        var legacy_becomes: Secret
        var current: String
      }
      var settings_action_json: Settings
    }
    let file = try Data(contentsOf: URL(fileURLWithPath: Self.root + "/Tests/Vectors/smp.json"))
    let vectors = try JSONDecoder().decode(Vectors.self, from: file).settings_action_json
    guard case .read(let read) = try settings(actions: [vectors.legacy, vectors.current]) else {
      Issue.record("refused")
      return
    }
    #expect(read.actions.map(\.index) == [0, 1])
    let old = try #require(read.actions[0].secrets.first)
    #expect(old.key == SecretKey(hex: vectors.legacy_becomes.secret) && old.label == vectors.legacy_becomes.label)
    #expect(old.id == "new")
    let new = try #require(read.actions[1].secrets.first)
    #expect(new.id == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F" && new.label == "Kitchen")
    // 2026-01-01T00:00:00Z.
    #expect(new.createdUnixSeconds == 1_767_225_600)
    #expect(read.endpoint == BrokerEndpoint(host: "broker.example", port: 8883, usesTLS: true))
    #expect(read.authorityPEM == nil && read.timestampKey == nil)
  }

  @Test func `values are read as the app reads them, and an unsupported action is omitted and named`() throws {
    let key = String(repeating: "ab", count: 32)
    let outcome = try settings(actions: [
      #"{"title":"Garage","topic":"home/garage ","message":"m","nfcSecret":"0x\#(key) "}"#,
      #"{"title":"Draft","message":"m"}"#,
      #"{"title":"Gate","topic":"t","message":"%T"}"#,
    ])
    guard case .read(let read) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(read.actions.map(\.topic) == ["home/garage"] && read.actions[0].secrets.first?.key == SecretKey(hex: key))
    #expect(
      read.leftOut.map(\.sentence) == [
        "'Draft' (actions[1]) was left out: it has no topic",
        "'Gate' (actions[2]) was left out: its message uses %T, but there is no 'timestampKey'",
      ])
  }

  @Test func `no bytes trap, and only complete settings are read`() throws {
    guard case .read = try settings(actions: [#"{"title":"A","topic":"t","message":"m"}"#]) else {
      Issue.record("refused")
      return
    }
    let odd = [
      "", "{", "null", "{}", "[{}]", "{\"endpoint\":1,\"certificate\":2,\"privateKey\":3,\"actions\":4}",
      "{\"endpoint\":{},\"certificate\":[],\"privateKey\":true,\"actions\":[1,null,[],{\"nfcSecrets\":[1,{}]}]}",
      "{\"endpoint\":\"h\",\"certificate\":\"\",\"privateKey\":\"\","
        + "\"actions\":[{\"title\":\"a\",\"topic\":\"t\",\"nfcSecrets\":{}}]}",
      "{\"createdAt\":1e400}", String(repeating: "{\"a\":", count: 5000),
    ]
    for text in odd {
      guard case .refused(let problems) = AppExport.read(Array(text.utf8), ask: { _ in nil }, makeID: { nil }) else {
        Issue.record("\(text)")
        continue
      }
      #expect(!problems.isEmpty)
      for problem in problems { #expect(!problem.sentence.isEmpty) }
    }
  }

  @Test(arguments: ["mosquitto", "aws-iot", "hivemq", "emqx", "home-assistant"])
  func `each shipped preset is read completely`(_ name: String) throws {
    let preset = try #require(BrokerPreset.load(name: name))
    #expect(preset.port == 8883 && !preset.notes.isEmpty && !preset.title.isEmpty)
    #expect(BrokerEndpoint(url: "mqtts://" + preset.example) != nil)
    #expect(preset.isHomeAssistant == (name == "home-assistant"))
    if name == "aws-iot" {
      #expect(preset.other?.port == 443 && preset.other?.alpn == "x-amzn-mqtt-ca" && preset.wantsCertificate)
      let action = Action(name: "a", title: "a", index: 0, topic: "1/2/3/4/5/6/7/8/9", message: PayloadTemplate("m"))
      let broker = BrokerSettings(
        endpoints: [], clientID: String(repeating: "c", count: 129), keepaliveSeconds: 5)
      #expect(
        preset.objections(to: broker, actions: [action]) == [
          .clientIDTooLong(max: 128), .certificateMissing, .keepalive(min: 30, max: 1200),
          .topicTooDeep(action: "a", max: 8),
        ])
      let shallow = Action(name: "a", title: "a", index: 0, topic: "1/2/3/4/5/6/7/8", message: PayloadTemplate("m"))
      let good = BrokerSettings(endpoints: [], clientID: "c", certificateFile: "c", privateKeyFile: "k")
      #expect(preset.objections(to: good, actions: [shallow]).isEmpty)
    }
  }

  /// As the kernels' device trees have them (`model = "…"`).
  @Test(
    arguments: [
      ("Raspberry Pi 4 Model B Rev 1.4", "raspberry-pi"), ("Raspberry Pi Zero 2 W Rev 1.0", "raspberry-pi"),
      ("Raspberry Pi 5 Model B Rev 1.0", "raspberry-pi"), ("TI AM335x BeagleBone Black", "beaglebone-black"),
      ("Xunlong Orange Pi PC", "orange-pi-pc"), ("OrangePi Zero2", "orange-pi-zero-2"), ("Radxa ROCK 5B", "rock-5b"),
      ("Radxa ROCK Pi 4B", "rock-pi-4"), ("linux,dummy-virt", nil), ("", nil), ("Raspberry Pi Model B Rev 2", nil),
      ("Raspberry Pi Compute Module 4 Rev 1.0", nil),
    ])
  func `a board is recognized by its model`(_ model: String, _ name: String?) {
    #expect(BoardProfile.matching(model: model) == name)
  }

  @Test func `any text survives being written to the configuration and read back`() throws {
    let nasty = [
      "plain", "true", "null", "~", "- a", "a: b", "#x", "'", "\"", "\\", "a\nb", "\t", " lead", "trail ",
      "{\"a\": \"%I\"}",
      "it's {\"x\"}", "ü ☂ 👍", "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}x", "*a", "&a", "!a", "@a", "`a", "%I", "?",
      "|", ">", "0",
      "1e3", "=", "<<", "[a]", "a,b", "no",
    ]
    for (number, text) in nasty.enumerated() {
      var draft = ConfigTemplate()
      draft.heading = [text, "two\nlines"]
      draft.url = "mqtts://broker.example:8883"
      draft.clientID = "kiosk \(number)"
      draft.clientIDComment = text
      draft.alpn = "x-amzn-mqtt-ca"
      draft.state = "state"
      draft.actions = [ConfigTemplate.Action(name: "n", title: nil, index: 3, effect: .topic(text), message: text)]
      let outcome = ConfigurationParser.parse(Array(draft.text.utf8), name: "k", folder: "/f")
      guard case .loaded(let configuration) = outcome else {
        if case .refused(let problems) = outcome, !Action.isTopic(text) {
          #expect(problems.count == 1 && problems[0].place == "actions[0].topic", "\(text)")
        } else {
          Issue.record("\(text.debugDescription): \(outcome)")
        }
        continue
      }
      #expect(configuration.actions[0].topic == text)
      #expect(configuration.actions[0].message == PayloadTemplate(text))
      #expect(configuration.actions[0].index == 3 && configuration.stateFolder == "/f/state")
      #expect(configuration.broker?.alpn == "x-amzn-mqtt-ca" && configuration.broker?.clientID == "kiosk \(number)")
    }
  }

  @Test func `a title becomes a name that is easy to type`() {
    let cases = [
      ("Open the garage!", "open-the-garage"), ("Licht 2", "licht-2"), ("Tür", "f"), ("", "f"), ("123", "f"),
      ("--", "f"),
      (String(repeating: "a", count: 100), "f"),
    ]
    for (title, name) in cases { #expect(ConfigTemplate.name(of: title, fallback: "f") == name) }
  }
}
