// What a light looks and sounds like: steps of a colour and a time. One LED shows the rhythm, an RGB LED the colours too.

/// What an RGB LED shows; a single LED is lit when any is.
public struct LightColour: OptionSet, Hashable, Sendable {
  /// The set's bits.
  public let rawValue: UInt8
  /// From bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The red part.
  public static let red = LightColour(rawValue: 1)
  /// The green part.
  public static let green = LightColour(rawValue: 2)
  /// The blue part.
  public static let blue = LightColour(rawValue: 4)

  /// The names by bits.
  static let names = ["off", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

  /// As it stands in the configuration.
  public var name: String { LightColour.names[Int(rawValue & 7)] }

  /// The colour of this name; `on` is white.
  init?(name: Substring) {
    let wanted = name == "on" ? "white" : name
    guard let bits = LightColour.names.firstIndex(where: { $0 == wanted }) else { return nil }
    self.init(rawValue: UInt8(bits))
  }
}

/// A rhythm: lasting lights repeat it, moments play it once.
public struct LightPattern: Hashable, Sendable {
  /// One colour for some time.
  public struct Step: Hashable, Sendable {
    /// Empty: dark.
    public var colour: LightColour
    /// Whether the buzzer sounds.
    public var isSounding: Bool
    /// In milliseconds; 0 in a steady pattern, which has no other step.
    public var milliseconds: Int64
  }

  /// At least one.
  public let steps: [Step]
  /// The time of all steps; 0: steady.
  public let totalMilliseconds: Int64

  /// Out of the configuration's words: `red! 80, off 80, x3`.
  ///
  /// A step is a colour, `!` behind it where the buzzer sounds, and milliseconds; `xN` at the end plays all that N times. A
  /// colour alone is steady, which no moment can be. Nil for anything else.
  public init?(_ text: String, isLasting: Bool) {
    var parts = text.split(separator: ",", omittingEmptySubsequences: false)
    var count = 1
    if let last = parts.last.map({ LightPattern.trimmed($0) }), last.utf8.first == UInt8(ascii: "x") {
      guard let number = Int64(decimal: last.utf8.dropFirst()), (1...100).contains(number) else { return nil }
      count = Int(number)
      parts.removeLast()
    }
    guard !parts.isEmpty, parts.count <= Limits.patternStepsMax else { return nil }
    var once: [Step] = []
    for part in parts {
      let words = part.split(separator: " ")
      guard var name = words.first, words.count <= 2 else { return nil }
      let isSounding = name.utf8.last == UInt8(ascii: "!")
      if isSounding { name = name.dropLast() }
      guard let colour = LightColour(name: name) else { return nil }
      var milliseconds: Int64 = 0
      if words.count == 2 {
        guard let number = Int64(decimal: words[1].utf8), Limits.patternStepMilliseconds.contains(number) else {
          return nil
        }
        milliseconds = number
      } else if parts.count > 1 || count > 1 || !isLasting {
        return nil
      }
      once.append(Step(colour: colour, isSounding: isSounding, milliseconds: milliseconds))
    }
    var steps: [Step] = []
    var total: Int64 = 0
    for _ in 0..<count { steps += once }
    for step in steps { total += step.milliseconds }
    guard isLasting || total <= Limits.momentMillisecondsMax else { return nil }
    self.steps = steps
    totalMilliseconds = total
  }

  private static func trimmed(_ text: Substring) -> Substring { text.drop { $0 == " " } }

  /// What is shown so long after the beginning, and how much later the next step begins; nil: never.
  ///
  /// Behind the end of a pattern that does not repeat there is no step.
  public func step(after elapsed: Duration, repeats: Bool) -> (step: Step, remaining: Duration?)? {
    guard totalMilliseconds > 0 else { return (steps[0], nil) }
    let total = totalMilliseconds * 1_000_000
    var left = max(0, elapsed.wholeNanoseconds)
    if repeats { left %= total }
    for step in steps {
      let length = step.milliseconds * 1_000_000
      if left < length { return (step, .nanoseconds(length - left)) }
      left -= length
    }
    return nil
  }
}

extension Light {
  /// How it looks unless the configuration says otherwise, in the configuration's words.
  ///
  /// On a single LED the lasting troubles are told by counting flashes, the moments by short and long; a moment begins and
  /// ends dark, so that it can be seen over a steady light.
  public var defaultPattern: String {
    switch self {
    case .starting: "blue 1000, off 1000"
    case .ready: "green"
    case .offline: "yellow 200, off 200, yellow 200, off 1400"
    case .readerLost: "red 200, off 200, red 200, off 200, red 200, off 1000"
    case .clockUnknown: "magenta 200, off 200, magenta 200, off 200, magenta 200, off 200, magenta 200, off 600"
    case .fault: "red 100, off 100"
    case .locked: "white 100, off 2900"
    case .confirming: "yellow! 300, off 300"
    case .reading: "blue 50, off 50, x20"
    case .accepted: "off 200, green 400, off 200"
    case .deliveredByTag: "off 200, green! 100, off 200, green! 100, off 200"
    case .deliveredByButton: "off 200, green! 100, off 200"
    case .queued: "off 200, yellow! 600, off 200, yellow 100, off 200"
    case .refused: "off 200, red! 300, off 200, red! 300, off 200, red! 300, off 200"
    case .expired: "off 200, red! 1500, off 200"
    }
  }
}

/// The pattern of each light.
public struct LightPatterns: Hashable, Sendable {
  /// By the light's number; nil where there is no such light.
  private var table: [LightPattern?]

  /// The ones that every panel begins with.
  public init() {
    table = [LightPattern?](repeating: nil, count: 32)
    for light in Light.allCases { self[light] = LightPattern(light.defaultPattern, isLasting: light.isLasting) }
  }

  /// The pattern of a light.
  public subscript(light: Light) -> LightPattern? {
    get { table[Int(light.rawValue)] }
    set { table[Int(light.rawValue)] = newValue }
  }
}
