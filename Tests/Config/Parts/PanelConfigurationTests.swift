// The part `panel:` of kiosk.yaml: what is read, and the sentence for each mistake.

import TappetCore
import Testing

@testable import TappetConfig
@testable import TappetMessages

/// Four lines without a mistake; the panel follows.
private let good = """
  broker: {url: 'mqtts://broker.example', client_id: kiosk}
  actions:
    - {name: light, topic: home/light, message: toggle}
    - {name: alarm, topic: home/alarm, message: on, confirm: 5 s, unlock: true}

  """

private func problems(_ text: String) -> [String] {
  switch ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet") {
  case .loaded: []
  case .refused(let problems): problems.map(\.sentence)
  }
}

private func panel(_ text: String) throws -> PanelSettings {
  switch ConfigurationParser.parse(Array((good + text).utf8), name: "k", folder: "/etc/tappet") {
  case .loaded(let configuration): return configuration.panel
  case .refused(let problems):
    Issue.record("\(problems.map(\.sentence))")
    throw CancellationError()
  }
}

@Suite struct ConfigPanelTests {
  @Test func `everything that can be configured is read`() throws {
    let panel = try panel(
      """
      panel:
        profile: raspberry-pi
        chip: pinctrl-bcm2835
        leds:
          status: GPIO17
          result: {pin: 11, active_low: true, drive: open_drain}
          red: {offset: 5}
          green: {offset: 5, chip: /dev/gpiochip7}
          blue: {led: ACT}
        buzzer: GPIO18
        lights:
          ready: off
          refused: red! 80, off 80, x4
        buttons:
          - line: GPIO5
            press: light
            hold: {action: alarm, after: 1 s}
            double: {action: light, within: 300 ms}
            repeat: {action: light, after: 700 ms, every: 100 ms}
          - {name: bell, pin: 29, active_low: false, debounce: 5 ms, short_pulses: suppressed, release: light}
          - {offset: 9, bias: disabled, triple: {action: light, within: 1 s}}
        chords:
          - {buttons: [GPIO5, bell], press: alarm}
        lock_after: 60 s
        unlock_code: [bell, bell, GPIO5]

      """)
    #expect(panel.profile == "raspberry-pi" && panel.chip == "pinctrl-bcm2835")
    #expect(
      panel.indicators.map { $0.target } == [
        .line(PanelLine(address: .name("GPIO17"))),
        .line(PanelLine(address: .pin(11), isActiveLow: true, drive: .openDrain)),
        .line(PanelLine(address: .offset(chip: "pinctrl-bcm2835", offset: 5))),
        .line(PanelLine(address: .offset(chip: "/dev/gpiochip7", offset: 5))), .led("ACT"),
        .line(PanelLine(address: .name("GPIO18"))),
      ])
    #expect(panel.indicators.map { $0.output.rawValue } == [1, 2, 4, 8, 16, 32] && panel.wired.rawValue == 63)
    #expect(panel.indicators.map { $0.place }.suffix(2) == ["panel.leds.blue", "panel.buzzer"])
    #expect(panel.patterns[.ready] == LightPattern("off", isLasting: true))
    #expect(panel.patterns[.refused]?.steps.count == 8)
    #expect(panel.patterns[.fault] == LightPatterns()[.fault])

    let (first, bell, third) = (panel.buttons[0], panel.buttons[1], panel.buttons[2])
    #expect(panel.buttons.map { $0.plan.name } == ["GPIO5", "bell", "line 9 of pinctrl-bcm2835"])
    #expect(first.line == PanelLine(address: .name("GPIO5"), isActiveLow: true, bias: .pullUp))
    #expect(first.plan.gestures.actions == ["light", "alarm", "light", nil, "light", nil])
    #expect(first.plan.gestures.holdAfter == .seconds(1) && first.plan.gestures.within == .milliseconds(300))
    #expect(first.plan.gestures.repeatAfter == .milliseconds(700))
    #expect(first.plan.gestures.repeatEvery == .milliseconds(100))
    #expect(first.plan.debounce == DebounceSettings())
    #expect(bell.line == PanelLine(address: .pin(29), bias: .pullDown, debounce: .milliseconds(5)))
    #expect(bell.plan.debounce == DebounceSettings(period: .milliseconds(5), suppressesShortPulses: true))
    #expect(third.line.bias == .disabled && third.plan.gestures[.triple] == "light")
    #expect(panel.chords == [ChordPlan(first: 0, second: 1, action: "alarm")])
    #expect(panel.lockAfter == .seconds(60) && panel.unlockCode == [1, 1, 0])
  }

  @Test func `a configuration without a panel yields an empty panel`() throws {
    let panel = try panel("")
    #expect(panel.buttons.isEmpty && panel.indicators.isEmpty && panel.simulator == nil && panel.lockAfter == nil)
  }

  static let bad: [(String, [String])] = [
    (
      "panel: {leds: {status: GPIO5}, buttons: [{line: GPIO5, press: light}]}",
      ["k:5:49: panel.buttons[0].line: GPIO5 is already used by panel.leds.status"]
    ),
    (
      "panel: {buttons: [{line: GPIO5, press: light}, {line: GPIO5, hold: light}]}",
      ["k:5:55: panel.buttons[1].line: GPIO5 is already used by panel.buttons[0].line"]
    ),
    (
      "panel: {profile: p, leds: {red: {pin: 3}}, buzzer: {pin: 3}}",
      ["k:5:58: panel.buzzer.pin: pin 3 is already used by panel.leds.red.pin"]
    ),
    (
      "panel: {chip: c, leds: {red: {offset: 3}, blue: {offset: 3, chip: c}}}",
      ["k:5:58: panel.leds.blue.offset: line 3 of c is already used by panel.leds.red.offset"]
    ),
    (
      "panel: {leds: {red: {led: ACT}, blue: {led: ACT}}}",
      ["k:5:45: panel.leds.blue.led: ACT is already used by panel.leds.red"]
    ),
    (
      "panel: {buttons: [{line: a, press: lihgt, hold: {action: alram}}]}",
      [
        "k:5:36: panel.buttons[0].press: there is no action 'lihgt' (did you mean 'light'?)",
        "k:5:58: panel.buttons[0].hold.action: there is no action 'alram' (did you mean 'alarm'?)",
      ]
    ),
    (
      "panel: {buttons: [{line: a, release: alarm, repeat: {action: alarm}}]}",
      [
        "k:5:38: panel.buttons[0].release: the action 'alarm' requires confirmation ('confirm'), which 'release' "
          + "cannot provide; use press, hold, double or triple",
        "k:5:62: panel.buttons[0].repeat.action: the action 'alarm' requires confirmation ('confirm'), "
          + "which 'repeat' cannot provide; use press, hold, double or triple",
      ]
    ),
    ("panel: {buttons: [{line: a}]}", ["k:5:19: the key 'press' is missing in panel.buttons[0]"]),
    ("panel: {buttons: [{press: light}]}", ["k:5:19: the key 'line' is missing in panel.buttons[0]"]),
    (
      "panel: {buttons: [{line: a, pin: 3, press: light}]}",
      ["k:5:34: panel.buttons[0].pin must be omitted if 'line' is set, not '3'"]
    ),
    (
      "panel: {buttons: [{pin: 3, press: light}]}",
      ["k:5:25: 'pin' also needs 'panel.profile' in panel.buttons[0]"]
    ),
    (
      "panel: {buttons: [{offset: 3, press: light}]}",
      ["k:5:28: 'offset' also needs 'chip' in panel.buttons[0]"]
    ),
    (
      "panel: {buttons: [{line: a, chip: c, press: light}]}",
      ["k:5:35: 'chip' also needs 'offset' in panel.buttons[0]"]
    ),
    (
      "panel: {profile: p, leds: {statu: a, result: {pin: 0}}}",
      [
        "k:5:28: unknown key 'statu' in panel.leds (did you mean 'status'?)",
        "k:5:52: panel.leds.result.pin must be a whole number from 1 to 9999, not '0'",
      ]
    ),
    (
      "panel: {leds: {status: {led: ../x, active_low: true}}}",
      [
        "k:5:30: panel.leds.status.led must be a name without '/' that does not start with '.', not '../x'",
        "k:5:48: panel.leds.status.active_low must be omitted if 'led' is set, not 'true'",
      ]
    ),
    (
      "panel: {lights: {redy: green, ready: purple, refused: red}}",
      [
        "k:5:18: unknown key 'redy' in panel.lights (did you mean 'ready'?)",
        "k:5:38: panel.lights.ready must be a colour, or steps such as 'red! 80, off 400, x3' (20 to 60000 ms each), "
          + "not 'purple'",
        "k:5:55: panel.lights.refused must be steps such as 'red! 80, off 400, x3' (20 to 60000 ms each, "
          + "10 s in all), not 'red'",
      ]
    ),
    (
      "panel: {buttons: [{line: a, press: light, debounce: 1 s, bias: up}]}",
      [
        "k:5:53: panel.buttons[0].debounce must be a duration such as '800 ms', '3 s', '10 min' or '24 h', "
          + "at most 500 ms, not '1 s'",
        "k:5:64: panel.buttons[0].bias must be 'pull_up' or 'pull_down' or 'disabled' or 'as_is', not 'up'",
      ]
    ),
    (
      "panel: {buttons: [{line: a, repeat: {action: light, every: 10 ms}}]}",
      [
        "k:5:60: panel.buttons[0].repeat.every must be a duration such as '800 ms', '3 s', '10 min' or '24 h', "
          + "at least 50 ms, at most 30 s, not '10 ms'"
      ]
    ),
    (
      "panel: {buttons: [{line: a, press: light}], chords: [{buttons: [a, b], press: light}, {buttons: a, press: "
        + "light}, {buttons: [a], press: light}]}",
      [
        "k:5:68: panel.chords[0].buttons[1]: there is no button 'b'",
        "k:5:97: panel.chords[1].buttons must be a list of two buttons, not 'a'",
        "k:5:125: panel.chords[2].buttons must be a list of two buttons, not a list of 1",
      ]
    ),
    (
      "panel: {buttons: [{line: a, press: light}], chords: [{buttons: [a, a], press: light}]}",
      ["k:5:68: panel.chords[0].buttons[1] must be a different button, in a pair that no other chord uses, not 'a'"]
    ),
    (
      "panel: {buttons: [{line: a, press: light}], unlock_code: [a, c]}",
      [
        "k:5:58: 'unlock_code' also needs 'lock_after' in panel",
        "k:5:62: panel.unlock_code[1]: there is no button 'c'",
      ]
    ),
    (
      "panel: {buttons: [{line: a, name: x, press: light}, {line: b, name: x, press: light}]}",
      ["k:5:69: panel.buttons[1].name must be a name that no other button uses, not 'x'"]
    ),
    ("panel: {lights: [a]}", ["k:5:17: panel.lights must be a mapping (key: value), not a list"]),
    ("panel: {buttons: []}", ["k:5:18: panel.buttons must be a list with at least one element, not an empty list"]),
  ]

  @Test(arguments: bad) func `each error has its own message`(text: String, sentences: [String]) {
    #expect(problems(good + text + "\n") == sentences)
  }

  @Test func `a lock that nothing can unlock is refused`() {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      actions: [{name: light, topic: home/light, message: toggle}]
      panel: {lock_after: 60 s, buttons: [{line: a, press: light}]}

      """
    #expect(
      problems(text) == [
        "k:3:8: panel sets 'lock_after', but nothing unlocks it; add 'unlock_code', or 'unlock: true' to an action"
      ])
    let confirm = text.replacing("toggle}", with: "toggle, confirm: 2 min, unlock: 1}")
    #expect(
      problems(confirm).prefix(2) == [
        "k:2:70: actions[0].confirm must be a duration such as '800 ms', '3 s', '10 min' or '24 h', at least 1 s, "
          + "at most 60 s, not '2 min'",
        "k:2:85: actions[0].unlock must be 'true' or 'false', not '1'",
      ])
  }

  @Test func `more buttons than a header has are refused`() {
    let buttons = (0...Limits.buttonsMax).map { "{line: l\($0), press: light}" }.joined(separator: ", ")
    #expect(problems(good + "panel: {buttons: [\(buttons)]}\n").count == 1)
  }
}
