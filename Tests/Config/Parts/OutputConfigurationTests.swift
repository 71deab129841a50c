// `panel.outputs` and `actions[].output` of kiosk.yaml: what is read, and the sentence for each mistake.

import TappetCore
import Testing

@testable import TappetConfig
@testable import TappetMessages

private func text(outputs: String, action: String) -> String {
  """
  broker: {url: 'mqtts://broker.example', client_id: kiosk}
  panel:
    leds: {status: GPIO17}
    outputs:
  \(outputs)
  actions:
    - {name: gate, \(action)}
  """
}

private func parse(outputs: String, action: String = "output: {gate: pulse}") -> ConfigurationParser.Outcome {
  ConfigurationParser.parse(
    Array(text(outputs: outputs, action: action).utf8), name: "k", folder: "/etc/tappet")
}

private func problems(_ outputs: String, action: String = "output: {gate: pulse}") -> [String] {
  switch parse(outputs: outputs, action: action) {
  case .loaded: []
  case .refused(let problems): problems.map(\.sentence)
  }
}

@Suite struct OutputConfigurationTests {
  @Test func `everything that can be configured is read`() throws {
    let outcome = parse(
      outputs: """
            - {name: gate, line: GPIO23, active_low: true, pulse: 1 s, max_on: 5 s, interlock: drive, dead_time: 300 ms}
            - {name: shut, line: GPIO24, interlock: drive, repeat: extends, on_link_loss: {safe_after: 10 s}}
            - {name: latch, line: GPIO25, safe: on, on_link_loss: keep}
            - {name: lamp, led: ACT, on_start: on}
        """, action: "output: {gate: pulse, lamp: off}")
    guard case .loaded(let configuration) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let outputs = configuration.panel.outputs
    var gate = OutputPlan(
      name: "gate", pulse: .seconds(1), maxOn: .seconds(5), interlock: "drive", deadTime: .milliseconds(300))
    // An output with a pulse of its own is a button.
    gate.kind = .button
    #expect(
      outputs.map(\.plan) == [
        gate, OutputPlan(name: "shut", interlock: "drive", safeWithoutLink: .seconds(10), repeats: .extends),
        OutputPlan(name: "latch", isSafeOn: true), OutputPlan(name: "lamp", startsOn: true),
      ])
    var latch = PanelLine(address: .name("GPIO25"))
    latch.restsOn = true
    #expect(outputs[2].target == .line(latch) && outputs[3].target == .led("ACT"))
    #expect(outputs[0].target == .line(PanelLine(address: .name("GPIO23"), isActiveLow: true)))
    let action = try #require(configuration.actions.first)
    #expect(action.topic == nil)
    #expect(
      action.outputs == [OutputOrder(output: "gate", request: .pulse), OutputOrder(output: "lamp", request: .off)])
  }

  @Test func `an action may send a message as well`() {
    let gate = "    - {name: gate, line: GPIO23}"
    #expect(problems(gate, action: "topic: home/gate, message: open, output: {gate: on}") == [])
    let silent = problems(gate, action: "topic: home/gate, output: {gate: on}")
    #expect(silent.count == 1 && silent[0].hasSuffix("the key 'message' is missing in actions[0]"))
    let aimless = problems(gate, action: "message: open, output: {gate: on}")
    #expect(aimless.count == 1 && aimless[0].hasSuffix("'message' also needs 'topic' in actions[0]"))
  }

  @Test(arguments: [
    ("{name: gate, line: GPIO17}", "GPIO17 is already used by panel.leds.status"),
    ("{name: status, line: GPIO23}", "a name that no other output or LED uses"),
    ("{name: gate, line: GPIO23, interlock: drive}", "a group needs at least two outputs"),
    ("{name: gate, line: GPIO23, dead_time: 1 s}", "'dead_time' also needs 'interlock'"),
    ("{name: gate, line: GPIO23, safe: on, max_on: 1 s}", "omitted if 'safe' is 'on'"),
    ("{name: gate, led: ACT, safe: on}", "'off' if 'led' is set"),
    ("{name: gate, line: GPIO23, pulse: 1 ms}", "at least 20 ms"),
    ("{name: gate, line: GPIO23, on_link_loss: off}", "'keep'"),
    ("{line: GPIO23}", "the key 'name' is missing"),
  ])
  func `each error has its own message`(output: String, sentence: String) {
    let found = problems("    - {name: other, line: GPIO9}\n    - " + output, action: "output: {other: on}")
    #expect(found.count == 1 && found.allSatisfy { $0.contains(sentence) }, "\(found)")
  }

  @Test func `an action must name an existing output, and what to do with it`() {
    let gate = "    - {name: gate, line: GPIO23}"
    #expect(problems(gate, action: "output: {gaet: on}")[0].contains("there is no output 'gaet' in 'panel.outputs'"))
    #expect(problems(gate, action: "output: {gate: open}")[0].contains("'on' or 'off' or "))
    #expect(problems(gate, action: "output: gate")[0].contains("such as '{gate: pulse}'"))
  }

  @Test func `repeated spaces in an output's name count as one, even in an action`() {
    let (one, two) = ("    - {name: front gate, line: GPIO23}", "    - {name: 'front  gate', line: GPIO24}")
    #expect(problems(one, action: "output: {'front  gate': pulse}") == [])
    #expect(problems(two, action: "output: {front gate: pulse}") == [])
    let both = problems(one + "\n" + two, action: "output: {front gate: pulse}")
    #expect(both.count == 1 && both[0].contains("a name that no other output or LED uses"), "\(both)")
  }
}
