// tappet init: the reader and the panel that are found on the board.

import CPlatform
import TappetConfig
import TappetCore
import TappetMessages

extension SetupWizard {
  func askReader() throws(CommandFailure) {
    start("The reader")
    let nodes = Self.candidates()
    if !nodes.isEmpty { inform("  'find' tries " + nodes.joined(separator: ", ")) }
    let question =
      "libnfc's connection string, such as pn532_uart:/dev/ttyUSB0; 'any' for the first that libnfc finds; 'none'"
    try resolve("reader", question, default: nodes.isEmpty ? "any" : "find") { (answer) throws(CommandFailure) in
      switch answer {
      case "none":
        files.draft.reader = nil
        return nil
      case "find":
        for node in nodes where try tryReader(node) == nil { return nil }
        if files.prompt.isOver { return "" }
        return "no reader answered; is it powered, and set to the interface that it is wired to?"
      case "any": return try tryReader(nil)
      default:
        guard answer.utf8.count <= Limits.readerDeviceSizeMax else { return "this is too long for a connection string" }
        return try tryReader(answer)
      }
    }
  }

  /// Uses the reader, and returns what is wrong with it.
  private func tryReader(_ device: String?) throws(CommandFailure) -> String? {
    files.draft.reader = device
    guard let configuration = try files.trial() else { return "this is not valid in a configuration" }
    let probe = DeviceProbe.reader(configuration, endedBy: files.prompt.signalDescriptor)
    if probe.verdict == .good {
      inform("  found: " + probe.text)
      hasReader = true
      return nil
    }
    guard arguments.has("untested") else { return probe.text }
    Output.printError("  " + probe.text)
    return nil
  }

  /// Everything that a PN532 can be wired to here; the boards' serial consoles are not among them.
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

  func askPanel() throws(CommandFailure) {
    start("The panel")
    let model = BoardProfile.modelOfThisMachine()
    let match = model.flatMap { BoardProfile.matching(model: $0) }
    if let model { inform("  This board's model is '\(model)'.") }
    files.draft.panel.simulator = arguments.value("panel-simulator")
    let known = BoardProfile.known().joined(separator: ", ")
    try resolve("profile", "Profile of its header (\(known), or 'none')", default: match ?? "none") { answer in
      files.draft.panel.profile = nil
      if answer == "none" { return nil }
      do throws(BoardProfileError) {
        _ = try BoardProfile.load(name: answer)
        files.draft.panel.profile = answer
        return nil
      } catch { return error.sentences.joined(separator: "; ") }
    }
    try resolve("led", "Line of the status LED, such as GPIO17 (or 'none')", default: "none") {
      (answer) throws(CommandFailure) in
      files.draft.panel.led = answer == "none" ? nil : answer
      return try panelMistake()
    }
    try resolve("button", "Line of a button, such as GPIO5, for the first action (or 'none')", default: "none") {
      (answer) throws(CommandFailure) in
      files.draft.panel.button = answer == "none" ? nil : answer
      return try panelMistake()
    }
  }

  private func panelMistake() throws(CommandFailure) -> String? {
    let panel = files.draft.panel
    guard panel.led != nil || panel.button != nil else { return nil }
    guard let configuration = try files.trial() else { return "this is not a valid line" }
    if panel.simulator != nil { return nil }
    for finding in PanelProbe(configuration, isRunning: false, colour: false).findings where !finding.isGood {
      guard arguments.has("untested") else { return finding.text }
      Output.printError("  " + finding.text)
    }
    return nil
  }
}
