// A person's use of one button, by a script in milliseconds: + pressed, - released, = only time passes.

import Testing

@testable import TappetCore

private func ms(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

/// Plays presses and releases, and keeps the button's own deadlines in between; returns each gesture with its time.
private func play(_ gestures: [Gesture], _ script: [(Int, Character)], until end: Int = 5_000) -> [String] {
  var settings = GestureSettings()
  for gesture in gestures { settings[gesture] = "x" }
  var button = Gestures(settings)
  var told: [String] = []
  func tell(_ gestures: [Gesture], _ time: Instant) {
    told += gestures.map { "\($0.name) \(time.nanoseconds / 1_000_000)" }
  }
  func sleep(until instant: Instant) {
    while let deadline = button.deadline, deadline <= instant { tell(button.advance(to: deadline), deadline) }
  }
  for (time, what) in script {
    sleep(until: ms(time))
    tell(what == "+" ? button.pressed(at: ms(time)) : button.released(at: ms(time)), ms(time))
  }
  sleep(until: ms(end))
  return told
}

@Suite struct GesturesTests {
  @Test func `with nothing else configured a press counts at its first edge`() {
    #expect(play([.press], [(100, "+"), (160, "-"), (200, "+"), (260, "-")]) == ["press 100", "press 200"])
    #expect(play([.press, .release], [(100, "+"), (160, "-")]) == ["press 100", "release 160"])
  }

  @Test func `a hold is recognized when its time is up, and a press on the same button at the release`() {
    #expect(play([.press, .hold], [(100, "+"), (300, "-")]) == ["press 300"])
    #expect(play([.press, .hold], [(100, "+"), (2_000, "-")]) == ["hold 900"])
    #expect(play([.hold, .release], [(100, "+"), (2_000, "-")]) == ["hold 900", "release 2000"])
    #expect(play([.press, .hold], [(100, "+"), (899, "-")]) == ["press 899"])
    #expect(play([.press, .hold], [(100, "+"), (900, "-")]) == ["hold 900"])
  }

  @Test func `a double press is recognized at its second press, and a single press after the time for a second`() {
    #expect(play([.press, .double], [(100, "+"), (160, "-"), (300, "+"), (360, "-")]) == ["double 300"])
    #expect(play([.press, .double], [(100, "+"), (160, "-")]) == ["press 500"])
    #expect(play([.press, .double], [(100, "+"), (160, "-"), (501, "+"), (560, "-")]) == ["press 500", "press 901"])
    #expect(play([.press, .double], [(100, "+"), (2_000, "-")]) == ["press 500"])
  }

  @Test func `two presses of three are a double press, or two single presses if no double press is configured`() {
    let twice: [(Int, Character)] = [(100, "+"), (150, "-"), (250, "+"), (300, "-")]
    let thrice: [(Int, Character)] = twice + [(400, "+"), (450, "-")]
    #expect(play([.press, .double, .triple], thrice) == ["triple 400"])
    #expect(play([.press, .double, .triple], twice) == ["double 650"])
    #expect(play([.press, .triple], twice) == ["press 650", "press 650"])
    #expect(play([.press, .double], thrice) == ["double 250", "press 800"])
  }

  @Test func `a release follows the gesture of its press, however late that gesture is recognized`() {
    let once: [(Int, Character)] = [(100, "+"), (160, "-")]
    let twice: [(Int, Character)] = once + [(250, "+"), (300, "-")]
    #expect(play([.press, .double, .release], once) == ["press 500", "release 500"])
    #expect(play([.press, .double, .release], twice) == ["double 250", "release 300"])
    #expect(play([.press, .triple, .release], twice) == ["press 650", "release 650", "press 650", "release 650"])
    #expect(
      play([.press, .triple, .release], once + [(250, "+"), (2_000, "-")]) == [
        "press 650", "release 650", "press 650", "release 2000",
      ])
    #expect(
      play([.hold, .triple, .release], once + [(250, "+"), (2_000, "-")]) == [
        "press 1050", "release 1050", "hold 1050", "release 2000",
      ])
    #expect(play([.press, .double, .release], [(100, "+"), (2_000, "-")]) == ["press 500", "release 2000"])
  }

  @Test func `a press and then a hold are both reported`() {
    #expect(
      play([.press, .hold, .double, .triple], [(100, "+"), (150, "-"), (250, "+"), (2_000, "-")]) == [
        "press 1050", "hold 1050",
      ])
    #expect(play([.press, .hold, .double], [(100, "+"), (600, "-")]) == ["press 600"])
  }

  @Test func `a held button repeats until it is released`() {
    #expect(
      play([.press, .repeat], [(100, "+"), (1_150, "-")]) == [
        "press 100", "repeat 600", "repeat 850", "repeat 1100",
      ])
    #expect(play([.press, .repeat], [(100, "+"), (599, "-")]) == ["press 100"])
  }

  @Test func `after the machine was paused, one repeat is reported, not all that were missed`() {
    var button = Gestures(.with([.repeat: "x"]))
    #expect(button.pressed(at: ms(0)) == [.press])
    #expect(button.advance(to: ms(100_000)) == [.repeat])
    #expect(button.deadline == ms(100_250))
  }

  @Test func `neither a cancelled press nor its release has an effect`() {
    var button = Gestures(.with([.hold: "x", .release: "x"]))
    #expect(button.pressed(at: ms(0)) == [])
    button.cancel()
    #expect(button.deadline == nil && button.advance(to: ms(900)) == [] && button.released(at: ms(950)) == [])
  }

  /// Any play of any button: each press is part of exactly one gesture.
  @Test func `no press is lost or counted twice, whatever is configured`() {
    for seed in 1...500 {
      var random = Randomness(seed: (UInt64(seed), 3, 5, 7))
      let configured = [Gesture.press, .hold, .double, .triple].filter {
        _ in Bool.random(using: &random)
      }
      var (time, script) = (0, [(Int, Character)]())
      let count = Int.random(in: 1...20, using: &random)
      for _ in 0..<count {
        time += Int.random(in: 20...700, using: &random)
        script.append((time, "+"))
        time += Int.random(in: 20...1_200, using: &random)
        script.append((time, "-"))
      }
      let told = play(configured, script, until: time + 5_000).map { $0.split(separator: " ")[0] }
      let presses = told.reduce(0) { $0 + ($1 == "triple" ? 3 : $1 == "double" ? 2 : 1) }
      #expect(presses == count, "seed \(seed): \(configured) \(script) \(told)")
    }
  }
}
