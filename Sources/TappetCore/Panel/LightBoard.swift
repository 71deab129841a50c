// Which of the panel's outputs is on, now and next. Reads no clock; whoever writes the levels decides nothing.
//
// A lasting light stays beneath; a moment plays once over it. A moment takes the place of one of its rank or below; a lesser
// one waits for its end, and only the newest waits. With a status and a result LED the first shows what lasts and the second
// the moments; a single LED and an RGB LED show both.

/// A panel's outputs.
public struct LightOutputs: OptionSet, Hashable, Sendable {
  /// The set's bits.
  public let rawValue: UInt8
  /// From bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The LED for what lasts, or for everything if it is alone.
  public static let status = LightOutputs(rawValue: 1)
  /// The LED for the moments, or for everything if it is alone.
  public static let result = LightOutputs(rawValue: 2)
  /// The three parts of an RGB LED.
  public static let red = LightOutputs(rawValue: 4)
  /// See `red`.
  public static let green = LightOutputs(rawValue: 8)
  /// See `red`.
  public static let blue = LightOutputs(rawValue: 16)
  /// A line that sounds.
  public static let buzzer = LightOutputs(rawValue: 32)

  /// Any of the RGB LED's.
  static let colours: LightOutputs = [.red, .green, .blue]

  /// By bit, as in the configuration.
  public static let names = ["status", "result", "red", "green", "blue", "buzzer"]
}

/// What is shown.
public struct LightBoard: Sendable {
  /// One light since an instant.
  private struct Showing: Sendable {
    var light: Light
    var since: Instant
  }

  private let patterns: LightPatterns
  private let wired: LightOutputs
  private var lasting: Showing?
  private var moment: Showing?
  private var waiting: Light?

  /// A dark board with these outputs.
  public init(patterns: LightPatterns, wired: LightOutputs) {
    self.patterns = patterns
    self.wired = wired
  }

  /// The light that stands above the others now, as of the last call; nil: dark.
  public var shown: Light? { moment?.light ?? lasting?.light }

  /// Shows `light` from `now` on.
  public mutating func show(_ light: Light, at now: Instant) {
    advance(to: now)
    if light.isLasting {
      // Nobody tells of a reading's end when nothing came of it but what lasts.
      if moment?.light == .reading { moment = nil }
      if lasting?.light != light { lasting = Showing(light: light, since: now) }
    } else if let moment, light.rank < moment.light.rank {
      if light != .reading { waiting = light }
    } else {
      moment = Showing(light: light, since: now)
      waiting = nil
    }
  }

  /// Lets moments end that are over.
  public mutating func advance(to now: Instant) {
    while let current = moment, let pattern = patterns[current.light] {
      let end = current.since + .milliseconds(pattern.totalMilliseconds)
      guard end <= now else { return }
      moment = waiting.map { Showing(light: $0, since: end) }
      waiting = nil
    }
  }

  /// Which outputs are on at `now`, and when that changes; nil: not before another light is shown.
  public mutating func levels(at now: Instant) -> (on: LightOutputs, next: Instant?) {
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
    // A two-coloured LED shows what it has.
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
