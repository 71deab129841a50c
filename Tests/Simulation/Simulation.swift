// The command: tells the stories of many seeds, or one from a file. Reports its progress, and shortens the first story
// that ends badly.

import CPlatform
import TappetCore

@main struct Simulation {
  private static let usage = """
    Usage: Simulation [--seeds N] [--first SEED] [--steps N] [--tickets] [--quiet]
           --tickets: stories about tickets that are tapped again and again
           Simulation --replay FILE   tell a printed story again; - reads standard input
    """

  private static var sideStories: [any SideStory.Type] { [EditStory.self, ListenerStory.self, PageStory.self] }

  private var seedCount = 200
  private var first = 1
  private var stepCount = 10_000
  private var isQuiet = false
  private var isOfTickets = false
  private var replayPath: String?

  static func main() {
    guard let simulation = Simulation(CommandLine.arguments.dropFirst()) else {
      say(usage)
      exit(2)
    }
    exit(simulation.replayPath.map { simulation.replay($0) } ?? simulation.run())
  }

  private init?(_ arguments: ArraySlice<String>) {
    var words = Array(arguments)
    func number(_ least: Int) -> Int? {
      guard let word = words.first, let number = Int(word), number >= least else { return nil }
      words.removeFirst()
      return number
    }
    while !words.isEmpty {
      switch words.removeFirst() {
      case "--seeds":
        guard let count = number(1) else { return nil }
        seedCount = count
      case "--first":
        guard let seed = number(0) else { return nil }
        first = seed
      case "--steps":
        guard let count = number(1) else { return nil }
        stepCount = count
      case "--quiet": isQuiet = true
      case "--tickets": isOfTickets = true
      case "--replay":
        guard !words.isEmpty else { return nil }
        replayPath = words.removeFirst()
      case _: return nil
      }
    }
  }

  private static func say(_ line: String) { fputs(line + "\n", tp_stderr()) }

  private func run() -> Int32 {
    let begin = ContinuousClock.now
    var told = begin
    var (steps, events, promises, ticketTaps) = (0, 0, 0, 0)
    for seed in first..<first + seedCount {
      if !isOfTickets, Simulation.sideStories.contains(where: { endsBadly($0, UInt64(seed)) }) { return 1 }
      let verdict = Story.tell(seed: UInt64(seed), stepCount: stepCount, ofTickets: isOfTickets)
      steps += verdict.stepCount
      events += verdict.eventCount
      promises += verdict.promiseCount
      ticketTaps += verdict.ticketTapCount
      if let failure = verdict.failure {
        print("seed \(seed), step \(verdict.stepCount): \(failure)")
        show(Story.script(seed: UInt64(seed), stepCount: stepCount, ofTickets: isOfTickets))
        return 1
      }
      if !isQuiet, .now - told > .seconds(20) {
        told = .now
        Simulation.say("seed \(seed) of \(first)…\(first + seedCount - 1): " + pace(steps, since: begin))
      }
    }
    print(
      "\(seedCount) stories of \(stepCount) steps end well: \(events) events, \(promises) accepted taps, "
        + "\(ticketTaps) taps of tickets, "
        + pace(steps, since: begin))
    // A world without taps keeps every rule.
    guard promises > seedCount * stepCount / 200 else {
      print("too few taps were accepted for the result to mean anything")
      return 1
    }
    return 0
  }

  private func pace(_ steps: Int, since begin: ContinuousClock.Instant) -> String {
    let milliseconds = max(1, Int((ContinuousClock.now - begin).wholeMilliseconds))
    let hundredths = steps * 6 / milliseconds
    return "\(steps) steps in \(milliseconds / 1000).\(milliseconds / 100 % 10) s, "
      + "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10) million a minute"
  }

  /// Tells a separate story; if it ends badly, prints the end of it.
  private func endsBadly(_ story: any SideStory.Type, _ seed: UInt64) -> Bool {
    guard let failure = story.init(seed: seed, isTold: false).tell(stepCount: story.stepCount) else { return false }
    print("seed \(seed), \(story.subject): \(failure)")
    let again = story.init(seed: seed, isTold: true)
    _ = again.tell(stepCount: story.stepCount)
    print(again.lines.suffix(200).joined(separator: "\n"))
    return true
  }

  private func show(_ script: Script) {
    guard var shrinking = Shrinking(script) else {
      return print("the same story ends well the second time, so it is not repeatable")
    }
    shrinking.run()
    print("\nThe shortest story found in \(shrinking.attempts) attempts (make simulate REPLAY=FILE tells it again):\n")
    print(shrinking.script.text)
    print("\nIts events and effects:\n")
    tell(shrinking.script)
  }

  private func tell(_ script: Script) {
    let verdict = Story.tell(script) { print($0) }
    print(verdict.failure.map { "\nBROKEN: \($0)" } ?? "\nIt ends well.")
  }

  private func replay(_ path: String) -> Int32 {
    guard let text = Simulation.read(path == "-" ? "/dev/stdin" : path) else {
      Simulation.say("cannot read \(path)")
      return 2
    }
    let (script, wrongLine) = Script.parse(text)
    guard let script else {
      Simulation.say("\(path): '\(wrongLine ?? "")' is not a step")
      return 2
    }
    tell(script)
    return Story.tell(script).failure == nil ? 0 : 1
  }

  private static func read(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&block, 1, block.count, file), count > 0 { bytes += block.prefix(count) }
    return ferror(file) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
