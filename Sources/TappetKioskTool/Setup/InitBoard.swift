// tappet init: detection of the board's reader and panel.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPanel
import TappetPlatform

extension SetupWizard {
  func askReader() throws(CommandFailure) {
    start("The reader")
    let nodes = ReaderPorts.candidates()
    for (index, node) in nodes.enumerated() { list("  \(index + 1)  \(node)") }
    let question =
      "Device, such as /dev/ttyUSB0, or a libnfc connection string"
      + (nodes.isEmpty ? "" : " (or a number; 'find' to try all of them)")
      + "; 'any' for the first reader that libnfc finds; or 'none'"
    var places: [(String, String)] = nodes.map { ($0, $0) }
    if !nodes.isEmpty { places.insert(("find", "Try these in turn"), at: 0) }
    places += [("any", "The first one that is found"), ("none", "There is none")]
    let choices = Choices("Where is the reader?", places, other: "Its device, such as /dev/ttyUSB0")
    let usual = nodes.isEmpty ? "any" : "find"
    try resolve("reader", question, default: usual, choices) { (answer) throws(CommandFailure) in
      hasReader = false
      switch answer {
      case "none":
        files.draft.reader = answer
        return nil
      case "find":
        for node in nodes where try tryReader(node) == nil { return nil }
        if files.prompt.isOver { return "" }
        return "no reader responded; check its power supply, and that it is set to the interface to which it is wired"
      case "any": return try tryReader(nil)
      default:
        let number = Int64(decimal: answer.utf8).map { Int(clamping: $0) - 1 }
        let device = number.flatMap { nodes.indices.contains($0) ? nodes[$0] : nil } ?? ReaderPorts.connection(answer)
        guard device.utf8.count <= Limits.readerDeviceSizeMax else { return "the connection string is too long" }
        return try tryReader(device)
      }
    }
  }

  /// Tests the reader; returns an error message on failure.
  private func tryReader(_ device: String?) throws(CommandFailure) -> String? {
    files.draft.reader = device
    if let mistake = try mistake(in: "the reader") { return mistake }
    let probe = DeviceProbe.reader(try files.configuration(), endedBy: files.prompt.signalDescriptor)
    if probe.verdict == .good {
      inform("  found: " + probe.text)
      hasReader = true
      return nil
    }
    guard arguments.has("untested") else { return probe.text }
    Output.printError("  " + probe.text)
    return nil
  }

  // MARK: Panel

  func askProfile() throws(CommandFailure) {
    start("The panel")
    let model = BoardProfile.modelOfThisMachine()
    let match = model.flatMap { BoardProfile.matching(model: $0) }
    if let model { inform("  This board's model is '\(model)'.") }
    let known = BoardProfile.known()
    let question =
      "Profile of the board's header (\(known.joined(separator: ", "))), '\(Self.virtualPanel)' for a panel without "
      + "hardware, or 'none'"
    let usual = arguments.has("panel-simulator") ? Self.virtualPanel : match ?? "none"
    var headers: [(String, String)] = known.map { ($0, $0) }
    headers += [(Self.virtualPanel, "A panel without hardware"), ("none", "Another one")]
    let choices = Choices("Which board is it?", headers)
    try resolve("profile", question, default: usual, choices) { (answer) throws(CommandFailure) in
      files.draft.panel.profile = nil
      files.draft.panel.simulator = arguments.value("panel-simulator")
      if answer == "none" { return nil }
      if answer == Self.virtualPanel { return try askSimulator() }
      do throws(BoardProfileError) {
        _ = try BoardProfile.load(name: answer)
        files.draft.panel.profile = answer
        return nil
      } catch { return error.sentences.joined(separator: "; ") }
    }
    if !isVirtual {
      for line in LineList.lines(GPIOChips.scan(), profile, reader: files.draft.reader) { inform("  " + line) }
    }
  }

  /// The profile of the board's header; `nil` if there is none.
  private var profile: BoardProfile? { files.draft.panel.profile.flatMap { try? BoardProfile.load(name: $0) } }

  /// Returns the name of the line in an answer, which may be the number of a pin on the header.
  private func line(_ answer: String) -> String? {
    if answer == "none" || answer.isEmpty { return nil }
    return Int64(decimal: answer.utf8).flatMap { profile?.pin(Int(clamping: $0))?.name } ?? answer
  }

  private var isVirtual: Bool { files.draft.panel.simulator != nil }

  func askLED() throws(CommandFailure) {
    let question = "Line of the status LED, such as GPIO17 (or 'none')"
    let choices = Choices("Status LED", [("none", "None")], other: "Its line, such as GPIO17")
    try resolve("led", question, default: isVirtual ? "GPIO17" : "none", choices) { (answer) throws(CommandFailure) in
      files.draft.panel.led = line(answer)
      return try lineMistake(files.draft.panel.led, of: "LED status")
    }
  }

  func askButton() throws(CommandFailure) {
    let ofButton = "Line of a button, such as GPIO5, for the first action (or 'none')"
    let choices = Choices("A button for the first action", [("none", "None")], other: "Its line, such as GPIO5")
    let usual = isVirtual ? "GPIO5" : "none"
    try resolve("button", ofButton, default: usual, choices) { (answer) throws(CommandFailure) in
      files.draft.panel.button = line(answer)
      return try lineMistake(files.draft.panel.button, of: "button " + (files.draft.panel.button ?? ""))
    }
  }

  func askRelay() throws(CommandFailure) {
    let question = "Line of an output, such as a relay, that the first action switches on for 1 s (or 'none')"
    let choices = Choices(
      "An output, such as a relay, that the first action switches on for 1 s", isOutputOnly ? [] : [("none", "None")],
      other: "Its line, such as GPIO24")
    try resolve("relay", question, default: isOutputOnly ? nil : "none", choices) { (answer) throws(CommandFailure) in
      files.draft.panel.relay = line(answer)
      guard isOutputOnly else { return try lineMistake(files.draft.panel.relay, of: "output relay") }
      if files.draft.panel.relay == nil { return "an action that sends nothing needs an output" }
      files.draft.actions[0].effect = .output
      return try lineMistake(files.draft.panel.relay, of: "output relay")
    }
  }

  /// The answer that selects a panel emulated by tappet-sim.
  static var virtualPanel: String { "virtual" }

  private func askSimulator() throws(CommandFailure) -> String? {
    let usual = (resolvedPath(files.folder) ?? files.folder) + "/panel"
    try resolve("panel-simulator", "Socket of the virtual panel", default: usual) { answer in
      guard answer.begins(with: "/") else { return "an absolute path is required, such as \(usual)" }
      files.draft.panel.simulator = answer
      return nil
    }
    let socket = files.draft.panel.simulator ?? ""
    inform("  To simulate it: tappet-sim --panel \(socket) --link \(socket)-reader --control \(socket)-control")
    return nil
  }

  /// Returns an error message about a line's name, or about the line itself, which belongs to this part.
  private func lineMistake(_ line: String?, of part: String) throws(CommandFailure) -> String? {
    if line == nil { return nil }
    if let mistake = try mistake(in: "the line") { return mistake }
    // Every name is free there.
    if isVirtual { return nil }
    for finding in PanelProbe(try files.configuration(), isRunning: false, colour: false).findings
    where !finding.isGood && finding.name == part {
      guard arguments.has("untested") else { return finding.text }
      Output.printError("  " + finding.text)
    }
    return nil
  }
}

/// The GPIO lines to choose from, on the header of a known board or on the chips that the kernel reports.
enum LineList {
  /// Returns the drawing of the header without what the reader and the kernel use; without a profile, the free lines of
  /// each chip by their names.
  static func lines(_ chips: GPIOChips, _ profile: BoardProfile?, reader: String?) -> [String] {
    var lines = chips.deniedPaths.map { "\($0): permission denied; use sudo" }
    if chips.chips.isEmpty, lines.isEmpty { return ["This machine has no GPIO chip (/dev/gpiochip*)."] }
    guard let profile else {
      for chip in chips.chips {
        let names = chip.lines.filter { !$0.isUsed && !$0.name.isEmpty }.map { $0.name }
        lines += wrapped(
          "\(chip.path), \(chip.label), \(plural(chip.lines.count, "line")): "
            + (names.isEmpty ? "no free line has a name" : names.joined(separator: ", ")))
      }
      return lines
    }
    var uses = ReaderWiring.uses(device: reader, profile: profile)
    for pin in profile.headers.flatMap({ $0.pins }) where !uses.contains(where: { $0.pin == pin.number }) {
      guard let place = try? chips.find(.pin(pin.number), chip: nil, profile: profile) else { continue }
      guard let found = chips.line(at: place)?.line, found.isUsed else { continue }
      uses.append(HeaderUse(pin: pin.number, label: found.consumer.isEmpty ? "in use" : found.consumer))
    }
    return lines + HeaderDrawing.lines(profile: profile, uses: uses, colour: false)
      + ["Enter the name of a line, or the number of its pin."]
  }

  /// Breaks a list between its elements.
  private static func wrapped(_ text: String) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.utf8.count + word.utf8.count < 76 {
        lines[lines.count - 1] = last + " " + String(word)
      } else {
        lines.append((lines.isEmpty ? "" : "  ") + String(word))
      }
    }
    return lines
  }
}
