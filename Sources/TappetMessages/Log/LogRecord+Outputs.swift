// Log records for reports about outputs and inputs.

import TappetConfig
import TappetCore

extension LogRecord {
  init(_ report: OutputReport, _ configuration: KioskConfiguration) {
    switch report {
    case .switched(let index, let isOn, let reason):
      let output = configuration.outputName(index)
      self.init(
        .info, isOn ? "output-on" : "output-off", output + " is " + (isOn ? "on" : "off") + ": " + reason.sentence,
        [("output", output)] + (report.cause?.by.fields ?? []))
    case .waits(let index, let time, let cause):
      let (output, milliseconds) = (configuration.outputName(index), String(time.wholeMilliseconds))
      self.init(
        .info, "output-waiting",
        output + " is delayed by " + milliseconds + " ms: another output of its group was on; requested by "
          + cause.sentence,
        [("output", output), ("wait_ms", milliseconds)] + cause.by.fields)
    case .refused(let order, let cause, let refusal):
      self.init(
        .warning, "output-refused",
        order.output + " was not switched: " + refusal.sentence + "; requested by " + cause.sentence,
        [("code", refusal.code), ("output", order.output), ("request", order.request.rawValue)] + cause.by.fields)
    }
  }
}

extension LogRecord {
  init(_ report: InputReport) {
    let name = report.name
    switch report.change {
    case .opened(.forced):
      self.init(
        .warning, "input-forced", name + " was forced: it was opened without a tap, a command or a request to exit",
        [("input", name)])
    case .opened(let cause):
      let sentence =
        cause == .found
        ? name + " was open when its line became available" : name + " was opened"
      self.init(.info, "input-opened", sentence, [("input", name), ("cause", cause.name)])
    case .closed(let cause, let time, let wasHeldOpen):
      var sentence =
        cause == .found
        ? name + " was closed when its line became available" : name + " was closed"
      if let time { sentence += " after " + InputReport.text(time) }
      self.init(wasHeldOpen ? .notice : .info, "input-closed", sentence, [("input", name), ("cause", cause.name)])
    case .heldOpen(let time):
      self.init(
        .warning, "input-held-open", name + " has been open for " + InputReport.text(time) + "; close it",
        [("input", name)])
    case .notEntered:
      self.init(.info, "input-not-entered", name + " was unlocked, but nobody opened it", [("input", name)])
    }
  }
}

extension InputReport {
  fileprivate static func text(_ time: Duration) -> String {
    let seconds = time.wholeMilliseconds / 1000
    return seconds >= 120 ? String(seconds / 60) + " min" : String(seconds) + " s"
  }
}

extension OutputReason {
  fileprivate var sentence: String {
    switch self {
    case .asked(let cause): cause.sentence
    case .pulseOver: "the pulse has ended"
    case .relocked: "the door has opened ('relock')"
    case .limit: "'max_on' has elapsed"
    case .interlock: "another output of its group was requested"
    case .linkLost: "the broker has been unavailable for too long ('on_link_loss')"
    case .closing: "the panel is closing"
    }
  }
}

extension OutputCause {
  fileprivate var sentence: String {
    switch self {
    case .action(let name, let by): by.trigger.article + " for " + name
    case .request(.input(let name)): "a person inside, at " + name
    case .request(.command(let topic, _, _)): "a command on " + topic
    case .request(.user(let name, let room, _)): name + " in " + room
    case .request(.page(let device)): device + " on the page"
    case .request(.tool): "a person ('tappet output')"
    case .request(.program): "the program that embeds the kiosk"
    case .request(.kiosk): "'on_start'"
    case .request(.tag), .request(.button): by.trigger.article
    }
  }
}

extension Trigger {
  fileprivate var article: String {
    switch self {
    case .tag: "a tag"
    case .button: "a button"
    case .command: "a command"
    case .inventory: "a low item,"
    case .input: "a door,"
    }
  }
}

extension OutputRefusal {
  /// Human-readable reason for the refusal.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .unknown: "the panel has no such output"
      case .unavailable: "its line is missing; see 'tappet status'"
      case .closing: "the kiosk is stopping"
      case .tooLate: "the kiosk was held up since, and it is too late now"
      case .unmet(let unmet): "it requires that " + unmet.sentence
      }
    }
  }
}

extension KioskConfiguration {
  func outputName(_ index: Int) -> String {
    panel.outputs.indices.contains(index) ? panel.outputs[index].plan.name : ""
  }
}
