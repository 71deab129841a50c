// `mode` and `on_remove` of an action.

import Testing

@testable import TappetConfig
@testable import TappetCore
@testable import TappetMessages

@Suite struct ModeConfigurationTests {
  private func parse(_ more: String) -> ConfigurationParser.Outcome {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      actions:
        - {name: play, topic: music, message: '%{count}', \(more)}
      """
    return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet")
  }

  @Test(arguments: [
    ("on_remove: {message: stop}", ActionMode.hold, "music"),
    ("mode: hold, on_remove: {message: stop, topic: 'music/%{tag}'}", .hold, "music/%{tag}"),
    ("mode: toggle, on_remove: {message: stop}", .toggle, "music"),
  ])
  func `a removal has its own message, and uses the action's topic unless it has its own topic`(
    _ text: String, _ mode: ActionMode, _ topic: String
  ) throws {
    guard case .loaded(let configuration) = parse(text) else {
      Issue.record("refused: \(text): \(parse(text))")
      return
    }
    let action = try #require(configuration.actions.first)
    #expect(action.mode == mode && action.removal?.topic.text == topic && action.removal?.message.text == "stop")
    #expect(KioskSettings(configuration).countsTaps)
  }

  @Test(arguments: [
    ("mode: hold", "'mode' also needs 'on_remove'"), ("mode: toggle", "'mode' also needs 'on_remove'"),
    ("mode: tap, on_remove: {message: x}", "'on_remove' also needs 'mode: hold'"), ("mode: press", "must be"),
    ("on_remove: {topic: a}", "'message' is missing"), ("on_remove: {message: '%T'}", "timestamp_key"),
    ("on_remove: {topic: 'a/#', message: x}", "a topic"), ("on_remove: {mesage: x}", "did you mean 'message'?"),
  ])
  func `each error is reported`(_ text: String, _ reason: String) {
    guard case .refused(let problems) = parse(text) else {
      Issue.record("accepted: \(text)")
      return
    }
    #expect(problems.contains { $0.sentence.contains(reason) }, "\(problems.map(\.sentence))")
  }
}
