// `panel.inputs` of kiosk.yaml: what is read, and the sentence for each mistake.

import TappetCore
import Testing

@testable import TappetConfig
@testable import TappetMessages

private func parse(_ inputs: String, output: String = "", action: String = "") -> ConfigurationParser.Outcome {
  let text = """
    broker: {url: 'mqtts://broker.example', client_id: kiosk}
    panel:
      outputs: [{name: latch, line: GPIO23, pulse: 3 s\(output)}]
      inputs:
    \(inputs)
    actions:
      - {name: alarm, topic: home/alarm, message: on\(action)}
      - {name: ask, topic: home/ask, message: on, confirm: 5 s}
    """
  return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet")
}

private func problems(_ input: String) -> [String] {
  switch parse("    - {\(input)}") {
  case .loaded: []
  case .refused(let problems): problems.map(\.sentence)
  }
}

@Suite struct InputConfigurationTests {
  @Test func `everything that can be configured is read`() throws {
    let outcome = parse(
      """
          - {name: front, line: GPIO5, of: latch, held_open: 30 s, relock: true, debounce: 20 ms, on_forced: alarm,
             on_held_open: alarm}
          - {name: gate, line: GPIO6, kind: garage_door, open: low, bias: as_is}
          - {name: exit, line: GPIO13, kind: exit, of: latch}
          - {name: handle, line: GPIO19, kind: exit, open: high, of: latch}
      """)
    guard case .loaded(let configuration) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    var front = InputPlan(name: "front")
    (front.output, front.heldOpen, front.relocks, front.debounce) = ("latch", .seconds(30), true, .milliseconds(20))
    (front.onForced, front.onHeldOpen) = ("alarm", "alarm")
    var gate = InputPlan(name: "gate")
    gate.kind = .garageDoor
    var exit = InputPlan(name: "exit")
    (exit.kind, exit.output) = (.exit, "latch")
    var handle = InputPlan(name: "handle")
    (handle.kind, handle.output) = (.exit, "latch")
    let inputs = configuration.panel.inputs
    #expect(inputs.map(\.plan) == [front, gate, exit, handle] && configuration.panel.plan.inputs == inputs.map(\.plan))
    #expect(inputs.map(\.line.isActiveLow) == [false, true, true, false])
    #expect(inputs.map(\.line.bias) == [.pullUp, .asIs, .pullUp, .pullDown])
    #expect(inputs.map(\.line.debounce) == [.milliseconds(20)] + [Duration](repeating: .milliseconds(50), count: 3))
  }

  @Test func `each mistake has its sentence`() {
    let cases = [
      ("line: GPIO5", "the key 'name' is missing"),
      ("name: front", "the key 'line' is missing"),
      ("name: front, line: GPIO23", "already used by panel.outputs[0]"),
      ("name: exit, line: GPIO5, kind: exit", "the key 'of' is missing"),
      ("name: front, line: GPIO5, of: lach", "there is no output 'lach' in 'panel.outputs' (did you mean 'latch'?)"),
      ("name: front, line: GPIO5, relock: true", "'relock' also needs 'of'"),
      ("name: front, line: GPIO5, on_forced: alarm", "'on_forced' also needs 'of'"),
      ("name: front, line: GPIO5, on_held_open: alarm", "'on_held_open' also needs 'held_open'"),
      ("name: front, line: GPIO5, held_open: 0 s", "held_open"),
      ("name: front, line: GPIO5, of: latch, on_forced: alrm", "there is no action 'alrm'"),
      ("name: front, line: GPIO5, of: latch, on_forced: ask", "an action without 'confirm'"),
      ("name: exit, line: GPIO5, kind: exit, of: latch, held_open: 5 s", "omitted if 'kind' is 'exit'"),
      ("name: front, line: GPIO5, kind: hatch", "'door' or 'window' or 'garage_door'"),
    ]
    for (input, expected) in cases {
      let found = problems(input)
      #expect(found.contains { $0.contains(expected) }, "\(input): \(found)")
    }
  }

  @Test func `an action and an output require levels of inputs`() {
    let inputs = "    - {name: front, line: GPIO5}\n    - {name: back, line: GPIO6}"
    let outcome = parse(
      inputs, output: ", requires: {front: closed}", action: ", requires: {back: open, front: closed}")
    guard case .loaded(let configuration) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let isShut = InputRequirement(input: "front", level: .closed)
    #expect(configuration.panel.outputs[0].plan.requirements == [isShut])
    #expect(configuration.actions[0].requirements == [InputRequirement(input: "back", level: .open), isShut])
    #expect(configuration.actions[1].requirements.isEmpty)
  }

  @Test(
    arguments: [
      ("{frnt: closed}", "there is no input 'frnt' in 'panel.inputs' (did you mean 'front'?)"),
      ("{front: shut}", "must be 'open' or 'closed', not 'shut'"), ("{front: unknown}", "must be 'open' or 'closed'"),
      ("{way: closed}", "omitted, because the input is of kind 'exit'"), ("front", "such as '{front: closed}'"),
      ("{}", "such as '{front: closed}'"),
    ])
  func `each mistake in what is required has its sentence`(_ requires: String, _ expected: String) {
    let inputs = "    - {name: front, line: GPIO5}\n    - {name: way, line: GPIO6, kind: exit, of: latch}"
    for isOfAction in [true, false] {
      let key = ", requires: " + requires
      guard case .refused(let problems) = parse(inputs, output: isOfAction ? "" : key, action: isOfAction ? key : "")
      else {
        Issue.record("\(requires) was accepted")
        continue
      }
      #expect(problems.count == 1 && problems[0].sentence.contains(expected), "\(problems.map(\.sentence))")
    }
  }

  @Test func `an output that requires something is not on at the start`() {
    let inputs = "    - {name: front, line: GPIO5}"
    guard case .refused(let problems) = parse(inputs, output: ", on_start: on, requires: {front: closed}") else {
      Issue.record("it was accepted")
      return
    }
    #expect(problems.map(\.sentence).contains { $0.contains("omitted if 'requires' is set") })
  }

  @Test func `two inputs cannot have the same name`() {
    guard case .refused(let problems) = parse("    - {name: a, line: GPIO5}\n    - {name: a, line: GPIO6}") else {
      Issue.record("it was accepted")
      return
    }
    #expect(problems.contains { $0.sentence.contains("a name that no other input uses") })
  }
}
