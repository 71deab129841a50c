/// The chip, the tag, the panel, and the test's operations on them. Reads no clock and no descriptor: external actions
/// are returned as effects.

import TappetTag

/// The state of the simulation.
package struct SimulatedWorld {
  /// An action to be performed by the process.
  enum Effect: Equatable {
    case hangUp
    case plugIn
    case sendToKiosk(String)
    case quit
  }

  /// A reply to a test.
  enum Reply {
    /// A single line that consists of `ok` and this text.
    case done(String)
    /// Lines, terminated by a single full stop.
    case lines([String])
    /// A reply that is sent when the light is shown.
    case awaitLight(name: String, deadline: Instant)
    /// A reply that is sent when the button sequence has ended.
    case awaitPlay
  }

  /// An automatic sequence of button presses.
  private struct Play {
    var button: String
    /// The remaining durations in milliseconds, alternating between pressed and released.
    var times: ArraySlice<Int>
    var isPressed = false
    /// Time of the next edge, or of the end of the sequence.
    var due: Instant
  }

  /// The chip, with the tags on its antenna.
  package var chip: PN532Chip
  /// The virtual panel.
  var panel = VirtualPanel()
  /// Whether a kiosk is connected to the panel.
  var hasKiosk = false
  private(set) var isPlugged = true
  private let pacing: Pacing
  private var serial: UInt8 = 0
  private var effects: [Effect] = []
  private var play: Play?

  /// Creates a chip that has just been powered up, without tags.
  package init(pacing: Pacing) {
    self.pacing = pacing
    chip = PN532Chip(pacing: pacing)
  }

  /// Returns and clears the pending effects.
  mutating func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  /// Whether a button sequence is running.
  var isPlaying: Bool { play != nil }
  /// Time at which `advance` must be called; `nil` means never.
  var nextDeadline: Instant? { play?.due }

  /// Advances the button sequence to `now`, adding effects for its edges.
  mutating func advance(to now: Instant) {
    guard var current = play, current.due <= now else { return }
    guard hasKiosk, let time = current.times.popFirst() else {
      if hasKiosk, current.isPressed {
        effects.append(.sendToKiosk(edge(of: current.button, isPressed: false, at: now)))
      }
      play = nil
      return
    }
    current.isPressed.toggle()
    effects.append(.sendToKiosk(edge(of: current.button, isPressed: current.isPressed, at: now)))
    // Relative to the actual edge, which may have been late, so that no duration is shorter than requested.
    current.due = now + .milliseconds(time)
    play = current
  }

  /// Performs a test's command.
  mutating func perform(_ command: ControlCommand, at now: Instant) throws(ControlRefusal) -> Reply {
    switch command {
    case .place(let placement): return try place(placement, at: now)
    case .placeBeside(let placement): return try place(placement, beside: true, at: now)
    case .bringBack:
      guard let tag = chip.field.bringBack() else { throw .noTag }
      chip.noticeTag(at: now)
      return .done(Hex.encode(tag.uid))
    case .take:
      guard let tag = chip.field.take() else { throw .noTag }
      return .done(Hex.encode(tag.uid))
    case .takeAfter(let exchanges):
      guard chip.field.tag != nil else { throw .noTag }
      chip.field.take(afterExchanges: exchanges)
    case .corrupt(let answer): chip.field.corrupt(answer: answer)
    case .chipFault(let fault): chip.fault = fault
    case .stall(let isDeaf): chip.stall(isDeaf)
    case .stallAfter(let commands): chip.commandsUntilDeaf = commands
    case .unplug: try unplug()
    case .plug: try plug()
    case .brownOut: chip.brownOut()
    case .counters: return .lines(counterLines)
    case .resetCounters: chip.resetCounters()
    case .dump:
      guard let tag = chip.field.tag else { throw .noTag }
      return .done(Hex.encode(tag.memory))
    case .lights: return .lines(panel.entries.map { "\($0.name) \($0.arrived.nanoseconds) \($0.sent)" })
    case .clearLights: panel.clear()
    case .awaitLight(let name, let timeout): return .awaitLight(name: name, deadline: now + timeout)
    case .levels:
      return .lines(panel.levels.map { "\($0.name) \($0.isOn ? 1 : 0) \($0.arrived.nanoseconds) \($0.sent)" })
    case .clearLevels: panel.clearLevels()
    case .outputs: return .lines(panel.outputs.map { "\($0.name) \($0.isOn ? 1 : 0)" })
    case .panel: return .done(hasKiosk ? "connected" : "disconnected")
    case .press(let name): try move(name, isPressed: true, at: now)
    case .release(let name): try move(name, isPressed: false, at: now)
    case .setInput(let name, let isOpen): setInput(name, isOpen: isOpen, at: now)
    case .inputs: return .lines(panel.openInputs.sorted())
    case .play(let times, let button):
      try requireButton(button)
      guard play == nil else { throw .isPlaying }
      play = Play(button: button, times: times[...], due: now)
      return .awaitPlay
    case .quit: effects.append(.quit)
    }
    return .done("")
  }

  private mutating func place(
    _ placement: TagPlacement, beside: Bool = false, at now: Instant
  ) throws(ControlRefusal) -> Reply {
    serial &+= 1
    do throws(TagPlacement.Fault) {
      let tag = try placement.makeTag(serial: serial)
      if beside {
        guard placement.stay == nil else { throw .notPossible }
        chip.field.place(beside: tag)
      } else {
        chip.field.place(tag)
        if let exchanges = placement.stay { chip.field.take(afterExchanges: exchanges) }
        chip.noticeTag(at: now)
      }
      return .done(Hex.encode(tag.uid))
    } catch {
      throw .placement(error)
    }
  }

  /// Disconnects the chip's power; the tag stays in place.
  private mutating func unplug() throws(ControlRefusal) {
    guard isPlugged else { throw .isUnplugged }
    isPlugged = false
    chip.powerOff(pacing)
    effects.append(.hangUp)
  }

  private mutating func plug() throws(ControlRefusal) {
    guard !isPlugged else { throw .isPlugged }
    isPlugged = true
    effects.append(.plugIn)
  }

  /// The message about a button's contact.
  private func edge(of button: String, isPressed: Bool, at now: Instant) -> String {
    "\(isPressed ? "pressed" : "released") \(now.nanoseconds) \(button)"
  }

  private func requireButton(_ name: String) throws(ControlRefusal) {
    guard hasKiosk else { throw .noPanel }
    guard panel.buttons.contains(name) else { throw .noButton(panel.buttons) }
  }

  private mutating func move(_ button: String, isPressed: Bool, at now: Instant) throws(ControlRefusal) {
    try requireButton(button)
    effects.append(.sendToKiosk(edge(of: button, isPressed: isPressed, at: now)))
  }

  /// Handles a datagram of the kiosk; the announcement of an input is answered with its level.
  mutating func receiveFromPanel(_ datagram: [UInt8], at now: Instant) {
    guard let input = panel.announcedInput(datagram) else { return panel.receive(datagram, at: now) }
    effects.append(.sendToKiosk(level(of: input, at: now)))
  }

  private mutating func setInput(_ name: String, isOpen: Bool, at now: Instant) {
    panel.setInput(name, isOpen: isOpen)
    if hasKiosk, panel.inputs.contains(name) { effects.append(.sendToKiosk(level(of: name, at: now))) }
  }

  /// The message about an input's level.
  private func level(of input: String, at now: Instant) -> String {
    "\(panel.openInputs.contains(input) ? "opened" : "closed") \(now.nanoseconds) \(input)"
  }

  private var counterLines: [String] {
    let counters = chip.field.counters
    var lines = [
      "exchanges-since-select \(counters.exchangesSinceSelect)",
      "exchanges-since-place \(counters.exchangesSincePlace)",
      "selects \(counters.selects)", "writes \(chip.field.writes)",
    ]
    for (code, count) in chip.commandCounts.enumerated() where count > 0 {
      lines.append("command-" + Hex.encode([UInt8(truncatingIfNeeded: code)]) + " \(count)")
    }
    return lines
  }
}
