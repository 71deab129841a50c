// Log records for reports about the panel, and sentences for its parts and their faults.

import TappetConfig
import TappetCore
import TappetPlatform

extension LogRecord {
  init(_ report: PanelReport, _ configuration: KioskConfiguration) {
    switch report {
    case .lost(let part, let fault):
      self.init(.error, "panel-lost", fault.sentence(part, configuration), [("code", fault.code)])
    case .recovered(.record):
      self.init(.notice, "panel-good", PanelPart.record.name(configuration) + " is written again")
    case .recovered(let part):
      self.init(.notice, "panel-good", part.name(configuration) + " can be used again")
    case .buttonStuck(let index):
      self.init(.warning, "button-stuck", KioskStatus.PanelProblem.stuck(button: index).sentence(configuration))
    case .buttonChattering(let index):
      self.init(
        .warning, "button-chattering", KioskStatus.PanelProblem.chattering(button: index).sentence(configuration))
    case .buttonRecovered(let index):
      self.init(.notice, "button-good", PanelPart.input(index).name(configuration) + " can be used again")
    case .locked:
      self.init(.info, "locked", "the buttons are locked")
    case .unlocked(let trigger):
      self.init(.info, "unlocked", trigger == .tag ? "a tag unlocked the buttons" : "the code unlocked the buttons")
    case .codeRefused(let wait):
      let seconds = wait.wholeMilliseconds / 1000
      self.init(
        .warning, "code-refused",
        seconds > 0 ? "wrong code; try again in " + String(seconds) + " s" : "wrong code")
    }
  }
}

extension PanelPart {
  /// Returns the display name of the part.
  func name(_ configuration: KioskConfiguration) -> String {
    let panel = configuration.panel
    switch self {
    case .input(let index):
      if panel.buttons.indices.contains(index) { return "button " + panel.buttons[index].plan.name }
      return PanelPart.contact(index - panel.buttons.count).name(configuration)
    case .indicator(let index): return panel.indicators.indices.contains(index) ? panel.indicators[index].place : ""
    case .output(let index):
      return panel.outputs.indices.contains(index) ? "output " + panel.outputs[index].plan.name : ""
    case .contact(let index):
      return panel.inputs.indices.contains(index) ? "input " + panel.inputs[index].plan.name : ""
    case .simulator: return "the virtual panel at " + (panel.simulator ?? "")
    case .record: return "the record of safe levels in " + configuration.stateFolder
    }
  }
}

extension PanelPart {
  /// Returns the name of the part's line.
  fileprivate func line(_ configuration: KioskConfiguration) -> String {
    let panel = configuration.panel
    switch self {
    case .input(let index) where panel.buttons.indices.contains(index): return panel.buttons[index].line.address.text
    case .indicator(let index) where panel.indicators.indices.contains(index):
      return panel.indicators[index].target.lineName
    case .output(let index) where panel.outputs.indices.contains(index): return panel.outputs[index].target.lineName
    case .contact(let index) where panel.inputs.indices.contains(index): return panel.inputs[index].line.address.text
    case .input, .indicator, .output, .contact, .simulator, .record: return ""
    }
  }
}

extension OutputTarget {
  fileprivate var lineName: String { if case .line(let line) = self { line.address.text } else { "" } }
}

extension PanelFault {
  /// Returns a sentence with the part, the cause and the remedy.
  @export(interface)
  package func sentence(_ part: PanelPart, _ configuration: KioskConfiguration) -> String {
    let name = part.name(configuration)
    switch self {
    case .simulatorAway(code: 0): return name + " closed the connection; Tappet reconnects as soon as it is back"
    case .simulatorAway(let code):
      return name + " cannot be reached: " + SystemError(call: "connect", code: code).text
        + "; is tappet-sim running with --panel?"
    case .ledUnusable(let code):
      return name + ": the kernel's LED cannot be used: " + SystemError(call: "open", code: code).text
        + "; check its name and permissions in /sys/class/leds"
    case .line(let fault): return name + ": " + fault.sentence(line: part.line(configuration))
    case .unrecorded(let code):
      return name + " cannot be written: " + SystemError(call: "write", code: code).text
        + "; if the kiosk is killed, an output may stay on. Free space or mend the permissions; Tappet retries"
    }
  }
}

extension ConfirmationEnd {
  var sentence: String {
    switch self {
    case .timeUp: "the time ran out"
    case .otherTouch: "another tag or button was used"
    case .tagGone: "the tag was taken away"
    case .cancelled: "it was cancelled on the page"
    case .closed: "the panel or the room was closed"
    case .refusedInRoom(let user): user + " refused it"
    }
  }

  /// User who refused the confirmation in a room; `nil` if no user did.
  var user: String? { if case .refusedInRoom(let user) = self { user } else { nil } }
}
