// The pattern of a light: steps of a colour and a time. A single LED shows the rhythm, an RGB LED also the colours.

/// A colour of an RGB LED; a single LED is lit by any colour.
package struct LightColour: OptionSet, Hashable, Sendable {
  /// The set's bits.
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The red part.
  package static let red = LightColour(rawValue: 1)
  /// The green part.
  package static let green = LightColour(rawValue: 2)
  /// The blue part.
  package static let blue = LightColour(rawValue: 4)

  /// The names of the colours, indexed by their bits.
  static let names = ["off", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]

  /// The colour's name in the configuration.
  package var name: String { LightColour.names[Int(rawValue & 7)] }

  /// Creates the colour with the given name; `on` is white.
  init?(name: String) {
    let wanted = name == "on" ? "white" : name
    guard let bits = LightColour.names.firstIndex(of: wanted) else { return nil }
    self.init(rawValue: UInt8(bits))
  }
}

/// A rhythm, which lasting lights repeat and momentary lights play once.
package struct LightPattern: Hashable, Sendable {
  /// One step of a pattern.
  package struct Step: Hashable, Sendable {
    /// The colour of the step; the empty set is dark.
    package var colour: LightColour
    /// Whether the buzzer sounds.
    package var isSounding: Bool
    /// Duration in milliseconds; 0 for the single step of a steady pattern.
    package var milliseconds: Int64
  }

  /// The steps of the pattern; there is at least one.
  package let steps: [Step]
  /// Total duration of all steps, in milliseconds; 0 means steady.
  package let totalMilliseconds: Int64

  /// Parses a pattern in the configuration's format, such as `red! 80, off 80, x3`; `nil` for any other format.
  ///
  /// A step consists of a colour, `!` if the buzzer sounds, and a duration in milliseconds; `xN` at the end plays all
  /// steps N times. A colour without a duration is steady, which is invalid for a momentary light.
  @export(interface)
  package init?(_ text: String, isLasting: Bool) {
    var words = PatternWords(text)
    var once: [Step] = []
    var count: Int64 = 1
    repeat {
      let (name, isSounding, number) = words.takeWord()
      if name == "x" {
        guard let number, (1...100).contains(number), !once.isEmpty, words.isAtEnd else { return nil }
        count = number
      } else {
        guard let colour = LightColour(name: name), once.count < Limits.patternStepsMax else { return nil }
        if let number, !Limits.patternStepMilliseconds.contains(number) { return nil }
        once.append(Step(colour: colour, isSounding: isSounding, milliseconds: number ?? 0))
      }
    } while words.takeComma()
    guard words.isAtEnd else { return nil }
    var total: Int64 = 0
    for step in once {
      // Only a lasting pattern may be steady, and then has a single step.
      if step.milliseconds == 0, once.count > 1 || count > 1 || !isLasting { return nil }
      total += step.milliseconds * count
    }
    guard isLasting || total <= Limits.momentMillisecondsMax else { return nil }
    var steps = once
    for _ in 1..<count { steps += once }
    self.steps = steps
    totalMilliseconds = total
  }

  /// Returns the step at the given time after the start, and the time until the next step; `nil` if no step follows.
  ///
  /// Returns `nil` after the end of a non-repeating pattern.
  @export(interface)
  package func step(after elapsed: Duration, repeats: Bool) -> (step: Step, remaining: Duration?)? {
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

/// A cursor over a pattern's words, which are ASCII and therefore read as bytes.
private struct PatternWords {
  private let bytes: [UInt8]
  private var position = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  var isAtEnd: Bool { position == bytes.count }

  mutating func takeComma() -> Bool { skip(UInt8(ascii: ",")) }

  /// Reads letters, an optional `!` and an optional number, with spaces around and between them.
  mutating func takeWord() -> (name: String, isSounding: Bool, number: Int64?) {
    while skip(UInt8(ascii: " ")) {}
    let start = position
    while let byte = next, byte >= UInt8(ascii: "a"), byte <= UInt8(ascii: "z") { position += 1 }
    let name = String(decoding: bytes[start..<position], as: UTF8.self)
    let isSounding = skip(UInt8(ascii: "!"))
    while skip(UInt8(ascii: " ")) {}
    var number: Int64?
    while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
      // A number above a million is too large anyway.
      number = min((number ?? 0) * 10 + Int64(byte - UInt8(ascii: "0")), 1_000_000)
      position += 1
    }
    while skip(UInt8(ascii: " ")) {}
    return (name, isSounding, number)
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }
}

/// The pattern of each light.
package struct LightPatterns: Hashable, Sendable {
  /// The patterns, indexed by the light's number; `nil` for numbers without a light.
  private var table: [LightPattern?]

  /// Creates a table with the default pattern of every light.
  package init() {
    table = [LightPattern?](repeating: nil, count: 32)
    for light in Light.allCases { self[light] = LightPattern(light.defaultPattern, isLasting: light.isLasting) }
  }

  /// The pattern of a light.
  package subscript(light: Light) -> LightPattern? {
    get { table[Int(light.rawValue)] }
    set { table[Int(light.rawValue)] = newValue }
  }
}
