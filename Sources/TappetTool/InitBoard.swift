// tappet init: the reader and the panel that are found on the board.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

extension Setup {
  func askReader() -> Step {
    begin("The reader")
    let nodes = Self.candidates()
    let usual = nodes.isEmpty ? "any" : "find"
    if !nodes.isEmpty { say("  'find' tries " + nodes.joined(separator: ", ")) }
    let question =
      "libnfc's connection string, as pn532_uart:/dev/ttyUSB0; 'any': the first that libnfc finds; 'none' yet"
    return settle("reader", question, usual: usual) { answer in
      switch answer {
      case "none":
        self.files.draft.reader = nil
        return nil
      case "find":
        for node in nodes where self.tryReader(node) == nil { return nil }
        if self.files.interview.wasInterrupted() { return "" }
        return "no reader answered; is it powered, and switched to the interface that it is wired to?"
      case "any": return self.tryReader(nil)
      default:
        guard answer.utf8.count <= Limits.readerDeviceSizeMax else { return "no connection string is so long" }
        return self.tryReader(answer)
      }
    }
  }

  /// Uses it; what is wrong with it.
  private func tryReader(_ device: String?) -> String? {
    files.draft.reader = device
    guard let configuration = files.trial() else { return "this cannot stand in a configuration" }
    let trial = Trial.reader(configuration, endedBy: files.interview.signals)
    if trial.isGood {
      say("  found: " + trial.text)
      hasReader = true
      return nil
    }
    if arguments.has("untested") {
      Output.complain("  " + trial.text)
      return nil
    }
    return trial.text
  }

  /// What a PN532 can be wired to here; the boards' serial consoles are not among them.
  private static func candidates() -> [String] {
    var found: [String] = []
    for prefix in ["ttyUSB", "ttyACM"] {
      for number in 0..<4 where access("/dev/\(prefix)\(number)", F_OK) == 0 {
        found.append("pn532_uart:/dev/\(prefix)\(number)")
      }
    }
    if access("/dev/ttyAMA0", F_OK) == 0 { found.append("pn532_uart:/dev/ttyAMA0") }
    if access("/dev/i2c-1", F_OK) == 0 { found.append("pn532_i2c:/dev/i2c-1") }
    if access("/dev/spidev0.0", F_OK) == 0 { found.append("pn532_spi:/dev/spidev0.0") }
    return found
  }

  // MARK: Panel

  func askPanel() -> Step {
    begin("The panel")
    let model = BoardProfile.modelOfThisMachine()
    let match = model.flatMap { BoardProfile.matching(model: $0) }
    if let model { say("  This board calls itself '\(model)'.") }
    files.draft.panel.simulator = arguments.value("panel-simulator")
    let known = BoardProfile.known().joined(separator: ", ")
    let profile = settle("profile", "Its header's profile (\(known)), or 'none'", usual: match ?? "none") { answer in
      self.files.draft.panel.profile = nil
      if answer == "none" { return nil }
      do throws(BoardProfileError) {
        _ = try BoardProfile.load(name: answer)
        self.files.draft.panel.profile = answer
        return nil
      } catch { return error.sentences.joined(separator: "; ") }
    }
    guard case .done = profile else { return profile }
    let led = settle("led", "The status LED's line, as GPIO17 (or 'none')", usual: "none") { answer in
      self.files.draft.panel.led = answer == "none" ? nil : answer
      return self.panelTrouble("LED")
    }
    guard case .done = led else { return led }
    return settle("button", "A button's line, as GPIO5, for the first action (or 'none')", usual: "none") { answer in
      self.files.draft.panel.button = answer == "none" ? nil : answer
      return self.panelTrouble("button")
    }
  }

  private func panelTrouble(_ part: String) -> String? {
    let panel = files.draft.panel
    guard panel.led != nil || panel.button != nil else { return nil }
    guard let configuration = files.trial() else { return "this cannot be its line" }
    if panel.simulator != nil { return nil }
    for finding in PanelTrial(configuration, isRunning: false, colour: false).findings where !finding.isGood {
      if arguments.has("untested") {
        Output.complain("  " + finding.text)
        continue
      }
      return finding.text
    }
    return nil
  }
}
