// kiosk.yaml without `broker:`: what works without it, and the sentence for each key that needs it.

import TappetPlatform
import Testing

@testable import TappetConfig
@testable import TappetCore
@testable import TappetMessages

private func parse(_ more: String) -> ConfigurationParser.Outcome {
  let text = """
    matrix: {session: s}
    actions:
      - {name: a, message: m, room: '!d:h'}
    \(more)
    """
  return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet", files: .ignored)
}

@Suite struct OptionalBrokerTests {
  @Test(arguments: [
    "", "  - {name: b, webhook: {url: 'https://h'}}", "telemetry: {state: false}", "home_assistant: false",
    "inventory: {publish: false}", "commands: [{room: '!d:h', users: ['@ann:h'], actions: [a]}]",
    "panel: {outputs: [{name: gate, line: l, on_link_loss: keep}]}",
  ])
  func `a kiosk that needs no broker gets none`(_ more: String) {
    guard case .loaded(let configuration) = parse(more) else {
      Issue.record("\(parse(more))")
      return
    }
    #expect(configuration.broker == nil && !configuration.storesPassword)
    let settings = KioskSettings(configuration)
    #expect(settings.endpointCount == 0 && !settings.tapsNeedBroker)
    #expect(settings.kioskName == NetworkIdentity.hostName())
  }

  @Test(arguments: [
    ("  - {name: b, topic: t, message: m}", "k:4:22: actions[1].topic"),
    ("commands: [{topic: c, trust: trusted, actions: [a]}]", "k:4:20: commands[0].topic"),
    ("unknown_tags: {topic: t, message: m}", "k:4:23: unknown_tags.topic"),
    ("telemetry: {state: true}", "k:4:20: telemetry.state"),
    ("home_assistant: true", "k:4:17: home_assistant"),
    ("home_assistant: {name: Lobby}", "k:4:17: home_assistant"),
    ("inventory: {publish: true}", "k:4:22: inventory.publish"),
    ("site: {name: north}", "k:4:7: site"),
    (
      "panel: {outputs: [{name: gate, line: l, on_link_loss: {safe_after: 10 s}}]}",
      "k:4:55: panel.outputs[0].on_link_loss"
    ),
  ])
  func `a key that needs a broker is reported with its line`(_ more: String, _ place: String) {
    guard case .refused(let problems) = parse(more) else {
      Issue.record("accepted: \(more)")
      return
    }
    let sentences = problems.map(\.sentence)
    #expect(sentences.contains(place + " needs a broker: add 'broker', with 'url' and 'client_id'"), "\(sentences)")
  }
}
