// `home_assistant:` of kiosk.yaml, and the kinds of outputs.

import TappetCore
import Testing

@testable import TappetConfig
@testable import TappetMessages

@Suite struct HomeAssistantConfigurationTests {
  private func parse(_ more: String, kind: String = "lock") -> ConfigurationParser.Outcome {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      panel:
        outputs:
          - {name: door, line: GPIO23, kind: \(kind)}
          - {name: up, line: GPIO24, kind: open, interlock: blind}
          - {name: down, line: GPIO25, kind: close, interlock: blind}
      actions:
        - {name: garage, topic: home/garage, message: x}
        - {name: bell, topic: home/bell, message: x}
      \(more)
      """
    return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet")
  }

  private func loaded(_ more: String) throws -> KioskConfiguration {
    let outcome = parse(more)
    guard case .loaded(let configuration) = outcome else { throw Refused(outcome: outcome) }
    return configuration
  }

  private struct Refused: Error { var outcome: ConfigurationParser.Outcome }

  private func problems(_ more: String, kind: String = "lock") -> [String] {
    if case .refused(let problems) = parse(more, kind: kind) { problems.map(\.sentence) } else { [] }
  }

  @Test func `'true' includes everything, and accepts commands with a time`() throws {
    let configuration = try loaded("home_assistant: true")
    let plan = try #require(configuration.homeAssistant)
    #expect(plan == HomeAssistantPlan(actions: ["garage", "bell"], outputs: ["door", "up", "down"]))
    #expect(configuration.publishesState)
    #expect(configuration.commands.map(\.topic) == ["tappet/kiosk/command", "tappet/kiosk/cover"])
    #expect(configuration.commands.map(\.window) == [.seconds(5), nil])
    #expect(configuration.commands.map(\.outputs) == [["door"], ["up", "down"]])
    #expect(configuration.commands[0].actions == ["garage", "bell"] && !configuration.commands[0].obeysLock)
    #expect(
      configuration.broker?.commandTopics
        == ["tappet/kiosk/command", "tappet/kiosk/cover", "homeassistant/status"])
  }

  @Test func `a mapping limits what Home Assistant may do`() throws {
    let configuration = try loaded(
      "home_assistant: {prefix: ha, name: Lobby, actions: [bell], outputs: [], expires: 20 s, locked: true}")
    #expect(
      configuration.homeAssistant
        == HomeAssistantPlan(
          prefix: "ha", name: "Lobby", actions: ["bell"], outputs: [], window: .seconds(20), obeysLock: true))
    #expect(configuration.commands.count == 1 && configuration.commands[0].obeysLock)
    // Home Assistant's own topic does not depend on the prefix of discovery.
    #expect(configuration.broker?.commandTopics.last == "homeassistant/status")
  }

  @Test func `the topic of the birth and will, and the will's payload, can be configured`() throws {
    let configuration = try loaded("home_assistant: {status_topic: house/hass, offline_payload: 'gone'}")
    let plan = try #require(configuration.homeAssistant)
    #expect(configuration.broker?.commandTopics.last == "house/hass")
    #expect(plan.isOnline(Array("Gone".utf8)) == false && plan.isOnline(Array("offline".utf8)) == true)
    #expect(problems("home_assistant: {status_topic: 'a/#'}").count == 1)
    #expect(problems("home_assistant: {offline_payload: ''}").count == 1)
  }

  @Test func `without 'home_assistant', or with 'false', nothing is subscribed to`() throws {
    for more in ["", "home_assistant: false"] {
      let configuration = try loaded(more)
      #expect(configuration.homeAssistant == nil && configuration.broker?.commandTopics == [])
      #expect(!configuration.publishesState)
    }
  }

  @Test(arguments: [
    ("home_assistant: yes", "true"), ("home_assistant: {prefix: a/+}", "topic"),
    ("home_assistant: {actions: [garag]}", "garage"), ("home_assistant: {names: x}", "name"),
    (
      "commands: [{topic: tappet/kiosk/command, trust: trusted, actions: [bell]}]\nhome_assistant: true", "tappet/kiosk"
    ),
  ])
  func `each error is reported`(_ more: String, _ word: String) {
    let found = problems(more)
    #expect(found.count == 1 && found[0].contains(word), "\(found)")
  }

  @Test func `'deliver_when' requires a message that may wait, and a configured Home Assistant`() throws {
    func problems(_ action: String, _ more: String) -> [String] {
      let text = """
        broker: {url: 'mqtts://broker.example', client_id: kiosk}
        actions:
          - {name: bell, deliver_when: home-assistant, \(action)}
        \(more)
        """
      switch ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet") {
      case .loaded(let configuration): return configuration.actions[0].awaitsHomeAssistant ? [] : ["lost"]
      case .refused(let problems): return problems.map(\.sentence)
      }
    }
    #expect(problems("topic: home/bell, message: x", "home_assistant: true") == [])
    #expect(problems("topic: home/bell, message: x", "").contains { $0.contains("home_assistant") })
    #expect(
      problems("topic: home/bell, message: x, offline: drop", "home_assistant: true")
        .contains { $0.contains("offline: queue") })
  }

  @Test func `a kind of output that requires a second line or an interlock is refused without it`() {
    #expect(problems("", kind: "open").contains { $0.contains("'close'") })
    #expect(problems("", kind: "door").contains { $0.contains("'lock'") })
  }
}
