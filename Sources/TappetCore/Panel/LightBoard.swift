// Determines which of the panel's indicators are on, and when they change. Reads no clock; the code that writes the
// levels makes no decisions.
//
// A momentary light plays once over the lasting light. It replaces a momentary light of the same or a lower rank; a
// light of a lower rank waits for the end of the current light, and replaces any waiting light. With a status and a
// result LED, the former shows lasting lights and the latter momentary lights; a single LED or an RGB LED shows both.

/// A set of the panel's indicators.
package struct LightOutputs: OptionSet, Hashable, Sendable {
  /// The set's bits.
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The LED for lasting lights, or for all lights if it is the only LED.
  package static let status = LightOutputs(rawValue: 1)
  /// The LED for momentary lights, or for all lights if it is the only LED.
  package static let result = LightOutputs(rawValue: 2)
  /// The three parts of an RGB LED.
  package static let red = LightOutputs(rawValue: 4)
  /// See `red`.
  package static let green = LightOutputs(rawValue: 8)
  /// See `red`.
  package static let blue = LightOutputs(rawValue: 16)
  /// The buzzer's line.
  package static let buzzer = LightOutputs(rawValue: 32)

  /// All parts of the RGB LED.
  static let colours: LightOutputs = [.red, .green, .blue]

  /// The names of the outputs in the configuration, indexed by bit.
  package static let names = ["status", "result", "red", "green", "blue", "buzzer"]
}

/// The lights on the panel and their timing.
package struct LightBoard: Sendable {
  /// A light and its start time.
  private struct Showing: Sendable {
    var light: Light
    var since: Instant
  }

  private let patterns: LightPatterns
  /// The indicators that are present.
  package var wired: LightOutputs
  private var lasting: Showing?
  private var moment: Showing?
  private var waiting: Light?

  /// Creates a dark board with the given patterns and outputs.
  package init(patterns: LightPatterns, wired: LightOutputs) {
    self.patterns = patterns
    self.wired = wired
  }

  /// The light shown as of the last call; `nil` means dark.
  package var shown: Light? { moment?.light ?? lasting?.light }

  /// Shows `light` from `now` on.
  @export(interface)
  package mutating func show(_ light: Light, at now: Instant) {
    advance(to: now)
    if light.isLasting {
      // No momentary light follows a reading that results only in a lasting light, so the reading's light ends here.
      if moment?.light == .reading { moment = nil }
      if lasting?.light != light { lasting = Showing(light: light, since: now) }
    } else if let moment, light.rank < moment.light.rank {
      if light != .reading { waiting = light }
    } else {
      moment = Showing(light: light, since: now)
      waiting = nil
    }
  }

  /// Removes momentary lights that have finished.
  @export(interface)
  package mutating func advance(to now: Instant) {
    while let current = moment, let pattern = patterns[current.light] {
      let end = current.since + .milliseconds(pattern.totalMilliseconds)
      guard end <= now else { return }
      moment = waiting.map { Showing(light: $0, since: end) }
      waiting = nil
    }
  }

  /// Returns the outputs that are on at `now`, and the time of the next change.
  ///
  /// `nil` means that the outputs do not change until a different light is shown.
  @export(interface)
  package mutating func levels(at now: Instant) -> (on: LightOutputs, next: Instant?) {
    advance(to: now)
    let beneath = step(of: lasting, at: now)
    let above = step(of: moment, at: now)
    let dark = LightPattern.Step(colour: [], isSounding: false, milliseconds: 0)
    let shown = above?.step ?? beneath?.step ?? dark
    var on: LightOutputs = []
    let (status, result) =
      wired.contains([.status, .result]) ? (beneath?.step ?? dark, above?.step ?? dark) : (shown, shown)
    if !status.colour.isEmpty { on.insert(.status) }
    if !result.colour.isEmpty { on.insert(.result) }
    if shown.isSounding { on.insert(.buzzer) }
    let colours = LightOutputs(rawValue: shown.colour.rawValue << 2)
    // A two-colour LED shows those of the requested colours that it has, or both colours if it has none of them.
    on.formUnion(colours.isDisjoint(with: wired) && !colours.isEmpty ? .colours : colours)
    on.formIntersection(wired)
    guard !wired.isEmpty else { return (on, nil) }
    var next = above?.remaining
    if let other = beneath?.remaining, next.map({ other < $0 }) ?? true { next = other }
    return (on, next.map { now + $0 })
  }

  private func step(
    of showing: Showing?, at now: Instant
  ) -> (step: LightPattern.Step, remaining: Duration?)? {
    guard let showing, let pattern = patterns[showing.light] else { return nil }
    return pattern.step(after: now - showing.since, repeats: showing.light.isLasting)
  }
}
