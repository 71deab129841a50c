/// The chip, the tag, the panel, and what a test does to them. Reads no clock and no descriptor: it returns
/// effects for everything that has to be done outside.

import TappetCore

/// Everything that is simulated.
package struct SimulatedWorld {
  /// An effect to be performed outside.
  enum Effect: Equatable {
    case hangUp
    case plugIn
    case sendToKiosk(String)
    case quit
  }

  /// A reply to a test.
  enum Reply {
    /// One line after `ok`.
    case done(String)
    /// Lines, ended by a lone full stop.
    case lines([String])
    /// To be answered when the light is shown.
    case awaitLight(name: String, deadline: Instant)
    /// To be answered when the button has been played to the end.
    case awaitPlay
  }

  /// A button that is pressed and released by itself.
  private struct Play {
    var button: String
    /// Milliseconds still to come: held, at rest, held and so on.
    var times: ArraySlice<Int>
    var isPressed = false
    /// When the next edge is due, or the last time is over.
    var due: Instant
  }

  /// The chip, with what is on its antenna.
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

  /// A chip that was just powered, nothing on its antenna.
  package init(pacing: Pacing) {
    self.pacing = pacing
    chip = PN532Chip(pacing: pacing)
  }

  /// Takes the effects to be performed outside.
  mutating func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  /// Whether a button is being played.
  var isPlaying: Bool { play != nil }
  /// When `advance` is due; `nil` means never.
  var nextDeadline: Instant? { play?.due }

  /// Plays the button that is being played up to now; returns effects for its edges.
  mutating func advance(to now: Instant) {
    guard var current = play, current.due <= now else { return }
    guard hasKiosk, let time = current.times.popFirst() else {
      if hasKiosk, current.isPressed { effects.append(.sendToKiosk("release " + current.button)) }
      play = nil
      return
    }
    current.isPressed.toggle()
    effects.append(.sendToKiosk((current.isPressed ? "press " : "release ") + current.button))
    // From the edge that was sent, which may have been late: no time is ever shorter than it was ordered.
    current.due = now + .milliseconds(time)
    play = current
  }

  /// Does what a test asks for.
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
    case .press(let name): try sendToKiosk("press " + name)
    case .release(let name): try sendToKiosk("release " + name)
    case .play(let times, let button):
      guard hasKiosk else { throw .noPanel }
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

  /// The chip loses its power; the tag stays where it is.
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

  private mutating func sendToKiosk(_ text: String) throws(ControlRefusal) {
    guard hasKiosk else { throw .noPanel }
    effects.append(.sendToKiosk(text))
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
