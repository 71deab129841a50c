// The panel's parts and what is wrong with them, in words.

import TappetCore
import TappetDevices

extension PanelPart {
  /// As a person knows it.
  func name(_ configuration: Configuration) -> String {
    let panel = configuration.panel
    switch self {
    case .input(let index):
      return panel.buttons.indices.contains(index) ? "button " + panel.buttons[index].plan.name : ""
    case .output(let index): return panel.outputs.indices.contains(index) ? panel.outputs[index].place : ""
    case .simulator: return "the virtual panel at " + (panel.simulator ?? "")
    }
  }
}

extension PanelPart {
  /// What its line is called.
  fileprivate func line(_ configuration: Configuration) -> String {
    let panel = configuration.panel
    switch self {
    case .input(let index) where panel.buttons.indices.contains(index): return panel.buttons[index].line.address.text
    case .output(let index) where panel.outputs.indices.contains(index):
      if case .line(let line) = panel.outputs[index].target { return line.address.text }
      return ""
    case .input, .output, .simulator: return ""
    }
  }
}

extension PanelFault {
  /// What happened to a part and what to do.
  public func sentence(_ part: PanelPart, _ configuration: Configuration) -> String {
    let name = part.name(configuration)
    switch self {
    case .simulatorAway(code: 0): return name + " hung up; it is connected again as soon as it is back"
    case .simulatorAway(let code):
      return name + " cannot be reached: " + SystemError(call: "connect", code: code).text
        + "; is tappet-sim running with --panel?"
    case .ledUnusable(let code):
      return name + ": the kernel's LED cannot be used: " + SystemError(call: "open", code: code).text
        + "; look for its name in /sys/class/leds, and who may write there"
    case .line(let fault): return name + ": " + fault.sentence(line: part.line(configuration))
    }
  }
}

extension ConfirmationEnd {
  var sentence: String {
    switch self {
    case .timeUp: "the time is over"
    case .otherTouch: "something else was touched"
    case .tagGone: "the tag was taken away"
    case .closed: "the panel was closed"
    }
  }
}
