// The lights over time. Levels are read at the instants that the board itself names, as the panel plays them.

import Testing

@testable import TappetCore

private func ms(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

extension LightOutputs {
  fileprivate var words: String {
    LightOutputs.names.enumerated().filter { rawValue & 1 << UInt8($0.offset) != 0 }.map { $0.element }
      .joined(separator: "+")
  }
}

extension LightBoard {
  /// Returns `TIME outputs` at each change from `start` to `end`.
  fileprivate mutating func play(from start: Int, until end: Int) -> [String] {
    var (time, last, told) = (ms(start), "?", [String]())
    while time <= ms(end) {
      let (on, next) = levels(at: time)
      if on.words != last { told.append("\(time.nanoseconds / 1_000_000) \(on.words)") }
      last = on.words
      guard let next else { break }
      precondition(next > time, "The next change lies ahead.")
      time = next
    }
    return told
  }

  fileprivate static func with(_ outputs: LightOutputs) -> LightBoard {
    LightBoard(patterns: LightPatterns(), wired: outputs)
  }
}

@Suite struct LightBoardTests {
  @Test func `a steady light needs no timer`() {
    var board = LightBoard.with([.status, .red, .green, .blue])
    board.show(.ready, at: ms(100))
    let (on, next) = board.levels(at: ms(100))
    #expect(on == [.status, .green] && next == nil)
  }

  @Test func `a lasting light repeats its rhythm from the start`() {
    var board = LightBoard.with(.status)
    board.show(.offline, at: ms(1_000))
    #expect(
      board.play(from: 1_000, until: 3_400) == [
        "1000 status", "1200 ", "1400 status", "1600 ", "3000 status", "3200 ", "3400 status",
      ])
    // Shown again, it continues as before.
    board.show(.offline, at: ms(3_500))
    #expect(board.play(from: 3_500, until: 5_000) == ["3500 status", "3600 ", "5000 status"])
  }

  @Test func `on one LED a tag flashes twice and a button once, over a steady light`() {
    var board = LightBoard.with([.status, .buzzer])
    board.show(.ready, at: ms(0))
    board.show(.deliveredByTag, at: ms(1_000))
    #expect(
      board.play(from: 1_000, until: 9_000) == [
        "1000 ", "1200 status+buzzer", "1300 ", "1500 status+buzzer", "1600 ", "1800 status",
      ])
    board.show(.deliveredByButton, at: ms(10_000))
    #expect(
      board.play(from: 10_000, until: 19_000) == ["10000 ", "10200 status+buzzer", "10300 ", "10500 status"])
  }

  @Test func `with two LEDs one keeps showing the lasting light while the other shows the momentary one`() {
    var board = LightBoard.with([.status, .result])
    board.show(.ready, at: ms(0))
    board.show(.deliveredByButton, at: ms(1_000))
    #expect(board.play(from: 1_000, until: 9_000) == ["1000 status", "1200 status+result", "1300 status"])
  }

  @Test func `an RGB LED shows all colours, and a two-coloured LED those that it supports`() {
    var board = LightBoard.with([.red, .green, .blue])
    board.show(.offline, at: ms(0))
    #expect(board.levels(at: ms(0)).on == [.red, .green])
    var two = LightBoard.with([.red, .green])
    two.show(.starting, at: ms(0))
    #expect(two.levels(at: ms(0)).on == [.red, .green])
    two.show(.readerLost, at: ms(0))
    #expect(two.levels(at: ms(0)).on == [.red])
  }

  @Test func `a momentary light replaces one of equal rank, and a lower one waits until it ends`() {
    var board = LightBoard.with([.red, .green, .blue])
    board.show(.ready, at: ms(0))
    board.show(.reading, at: ms(1_000))
    board.show(.accepted, at: ms(1_070))
    #expect(board.levels(at: ms(1_070)).on == [])
    board.show(.deliveredByTag, at: ms(1_100))
    board.show(.refused, at: ms(1_120))
    #expect(board.levels(at: ms(1_350)).on == .red)
    // Refused lasts until 2820; of later lights only the newest waits, and a reading never does.
    board.show(.accepted, at: ms(1_400))
    board.show(.deliveredByButton, at: ms(1_500))
    board.show(.reading, at: ms(1_600))
    #expect(
      board.play(from: 2_320, until: 9_000) == ["2320 red", "2620 ", "3020 green", "3120 ", "3320 green"])
  }

  @Test func `a lasting light that changes during a momentary one is shown afterwards`() {
    var board = LightBoard.with(.status)
    board.show(.ready, at: ms(0))
    board.show(.refused, at: ms(1_000))
    board.show(.fault, at: ms(1_500))
    #expect(board.levels(at: ms(1_500)).on == [])
    #expect(board.play(from: 2_550, until: 2_900) == ["2550 ", "2700 status", "2800 ", "2900 status"])
  }

  @Test func `a reading without a result returns to the lasting light`() {
    var board = LightBoard.with(.status)
    board.show(.ready, at: ms(0))
    board.show(.reading, at: ms(1_000))
    board.show(.ready, at: ms(1_120))
    #expect(board.levels(at: ms(1_170)).on == .status && board.levels(at: ms(1_170)).next == nil)
  }

  @Test func `a board without outputs has no timer`() {
    var board = LightBoard.with([])
    board.show(.fault, at: ms(0))
    board.show(.refused, at: ms(10))
    #expect(board.levels(at: ms(20)).next == nil && board.levels(at: ms(20)).on == [])
  }

  @Test func `a late timer resumes the rhythm at its current position`() {
    var board = LightBoard.with(.status)
    board.show(.fault, at: ms(0))
    #expect(board.levels(at: ms(1_000_050)).on == .status)
    let (on, next) = board.levels(at: ms(1_000_149))
    #expect(on == [] && next == ms(1_000_200))
  }
}

@Suite struct LightPatternTests {
  @Test func `every light has a pattern that lasts or ends as its kind requires`() throws {
    let patterns = LightPatterns()
    for light in Light.allCases {
      let pattern = try #require(patterns[light], "\(light.name)")
      #expect(light.isLasting || (500...2_000).contains(pattern.totalMilliseconds) || light == .deliveredByButton)
      #expect(Light(name: light.name) == light)
    }
    #expect(Light(name: "nonsense") == nil)
  }

  /// Returns the flashes of one round on a single LED: how long each is lit and then dark.
  private func rhythm(_ light: Light) throws -> [(lit: Int64, dark: Int64)] {
    let pattern = try #require(LightPatterns()[light])
    var flashes: [(lit: Int64, dark: Int64)] = []
    for step in pattern.steps {
      if !step.colour.isEmpty { flashes.append((step.milliseconds, 0)) }
      if step.colour.isEmpty, !flashes.isEmpty { flashes[flashes.count - 1].dark += step.milliseconds }
    }
    return flashes
  }

  /// Whether an eye can tell both apart: by the number of flashes, or by a flash or its pause that is twice as long.
  private func looksDifferent(_ one: Light, _ other: Light) throws -> Bool {
    let (first, second) = (try rhythm(one), try rhythm(other))
    if first.count != second.count { return true }
    func differs(_ left: Int64, _ right: Int64) -> Bool { max(left, right) >= 2 * max(1, min(left, right)) }
    return zip(first, second).contains { differs($0.lit, $1.lit) || differs($0.dark, $1.dark) }
  }

  @Test func `with a single LED any two lights can be distinguished`() throws {
    for one in Light.allCases {
      for other in Light.allCases where one.rawValue < other.rawValue && one.isLasting == other.isLasting {
        #expect(try looksDifferent(one, other), "\(one.name) and \(other.name)")
      }
    }
    #expect(try !looksDifferent(.ready, .ready))
  }

  @Test func `a momentary light differs from a steady one: it starts and ends dark, or flickers`() throws {
    let patterns = LightPatterns()
    for light in Light.allCases where !light.isLasting {
      let pattern = try #require(patterns[light])
      #expect(pattern.steps.last?.colour.isEmpty == true, "\(light.name)")
      #expect(pattern.steps.first?.colour.isEmpty == true || pattern.steps.count > 10, "\(light.name)")
    }
  }

  @Test func `a pattern is parsed from the configuration`() throws {
    let pattern = try #require(LightPattern("red! 80, off 40,  on 20, x2", isLasting: false))
    #expect(pattern.steps.map { $0.colour.name } == ["red", "off", "white", "red", "off", "white"])
    #expect(pattern.steps.map { $0.milliseconds } == [80, 40, 20, 80, 40, 20])
    #expect(pattern.steps.map { $0.isSounding } == [true, false, false, true, false, false])
    #expect(pattern.totalMilliseconds == 280)
    #expect(LightPattern("off", isLasting: true)?.steps.count == 1)
  }

  @Test(arguments: [
    "", ",", "x3", "green, x2", "green, off 100", "purple 100", "red 19", "red 60001", "red 100 100", "red -100",
    "red 100, x0", "red 100, x101", "red 100,, off 100", "red 1e3", "!", "red!! 100", "red 99999999999999999999",
    String(repeating: "red 20,", count: 33) + "red 20",
  ])
  func `an invalid pattern is rejected`(text: String) { #expect(LightPattern(text, isLasting: true) == nil) }

  @Test func `a momentary light can be neither steady nor long`() {
    #expect(LightPattern("green", isLasting: false) == nil)
    #expect(LightPattern("green 10001", isLasting: false) == nil)
    #expect(LightPattern("green 10000", isLasting: false) != nil)
  }
}
