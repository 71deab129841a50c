/// The PN532 as seen by its host over the serial line: bytes with arrival times in, bytes with due times out. It reads
/// no clock and uses no descriptor. Section numbers in the comments refer to NXP's user manual UM0701-02.

import TappetTag

/// The state of one chip.
package struct PN532Chip {
  /// The power state of the chip.
  enum Power: Equatable {
    /// After power-up: asleep until a wake-up on the serial line (§3.1.3.2).
    case lowVbat
    /// Awake: all commands are answered, but the contactless side is inactive before SAMConfiguration.
    case lowVbatAwake
    case normal
    /// Asleep after PowerDown.
    case asleep
  }

  /// A command that runs until it finds a target.
  struct Search {
    var kind: Kind
    var nextAttempt: Instant?
    /// Time at which the retries end; `nil` for unlimited retries.
    var end: Instant?
    /// Time of the next attempt, or of the end of the retries.
    var due: Instant? {
      guard let nextAttempt, let end else { return nextAttempt ?? end }
      return min(nextAttempt, end)
    }
    enum Kind {
      /// InListPassiveTarget after its first few attempts.
      case list([UInt8])
      /// InAutoPoll with its types and the number of rounds left; `nil` means unlimited.
      case autoPoll(types: [UInt8], roundsLeft: Int?, period: Duration)
      /// A target mode command, which waits for an external field that never appears.
      case forever
    }
  }

  /// The result of a command.
  enum Outcome {
    /// The response data after the command code.
    case answer([UInt8])
    case syntaxError
    case search(Search.Kind, firstAttempt: Duration?, lasts: Duration? = nil)
  }

  /// Simulated faults of the chip; each occurs once.
  package enum Fault {
    /// The data checksum of the next response is wrong.
    case checksum
    /// Bit 7 of the status byte is set in the next response to an exchange ("NAD present").
    case statusBit7
  }

  /// The RF side of the chip.
  package var field = RFField()
  /// The transmission times.
  package var pacing: Pacing
  /// Set by a test to corrupt the next response.
  package var fault: Fault?
  /// Set by a test to make the chip unresponsive: it receives and sends nothing.
  package var isDeaf = false
  /// Set by a test: number of commands before the chip becomes unresponsive.
  package var commandsUntilDeaf: Int?
  /// Number of commands received, by code.
  package private(set) var commandCounts = [Int](repeating: 0, count: 256)

  var power = Power.lowVbat
  var registers = PN532Registers()
  var targets = PN532Targets()
  var retries = PN532Retries()
  var parameters: UInt8 = 0x14
  var samMode: UInt8 = 0x01
  var lastError: UInt8 = 0
  var pendingBaudRate: Int64?

  private var parser = PN532FrameParser()
  private var outbox: [(due: Instant, bytes: [UInt8])] = []
  private var search: Search?
  private var lastAnswer: [UInt8] = []
  private var lineBusyUntil = Instant(nanoseconds: 0)
  private var lastByteAt = Instant(nanoseconds: 0)

  /// Creates a chip that has just been powered up.
  package init(pacing: Pacing) { self.pacing = pacing }

  // MARK: Input

  /// Receives bytes from the host.
  @export(interface)
  package mutating func receive(_ bytes: [UInt8], at now: Instant) {
    // An incomplete frame is discarded after a pause, so that later bytes never complete it.
    if now - lastByteAt > Self.frameGapMax { parser.reset() }
    lastByteAt = now
    lineBusyUntil = max(now, lineBusyUntil) + .nanoseconds(pacing.line(bytes.count))
    var heard = bytes[...]
    if power == .lowVbat || power == .asleep {
      guard let wake = heard.firstIndex(of: 0x55) else { return }
      heard = heard[(wake + 1)...]
      power = power == .lowVbat ? .lowVbatAwake : .normal
    }
    if isDeaf { return }
    parser.append(Array(heard))
    while let event = parser.next() {
      handle(event)
      if isDeaf || power == .asleep { return parser.reset() }
    }
  }

  private mutating func handle(_ event: PN532FrameParser.Event) {
    switch event {
    case .ack:
      // The host aborts the running command (§6.2.1.3), or confirms a new baud rate (§7.2.8).
      if let rate = pendingBaudRate { pacing.baudRate = rate }
      pendingBaudRate = nil
      cancel()
    case .nack:
      send(lastAnswer, at: lineBusyUntil)
    case .command(let bytes):
      cancel()
      if let left = commandsUntilDeaf {
        guard left > 0 else {
          commandsUntilDeaf = nil
          isDeaf = true
          return
        }
        commandsUntilDeaf = left - 1
      }
      run(bytes)
    }
  }

  private mutating func cancel() {
    search = nil
    outbox.removeAll()
  }

  private mutating func run(_ command: [UInt8]) {
    guard let code = command.first else { return }
    commandCounts[Int(code)] += 1
    let acknowledged = lineBusyUntil + .nanoseconds(pacing.line(PN532Frame.ack.count))
    send(PN532Frame.ack, at: lineBusyUntil)
    _ = field.takeElapsed()
    let outcome = execute(code, Array(command.dropFirst()))
    let done = acknowledged + .nanoseconds(pacing.chip + field.takeElapsed())
    switch outcome {
    case .answer(let bytes): answer(code, bytes, at: done)
    case .syntaxError: send(PN532Frame.syntaxError, at: done)
    case .search(let kind, let delay, let time):
      search = Search(kind: kind, nextAttempt: delay.map { done + $0 }, end: time.map { done + $0 })
    }
    if code == 0x16, case .answer = outcome { power = .asleep }
  }

  // MARK: Output

  private mutating func answer(_ code: UInt8, _ bytes: [UInt8], at time: Instant) {
    var bytes = bytes
    let hasStatus = code == 0x40 || code == 0x42
    if fault == .statusBit7, hasStatus, !bytes.isEmpty {
      bytes[0] |= 0x80
      fault = nil
    }
    var frame = PN532Frame.encodeAnswer([code &+ 1] + bytes)
    lastAnswer = frame
    if fault == .checksum {
      frame[frame.count - 2] ^= 0x5A
      fault = nil
    }
    send(frame, at: time)
  }

  /// Queues a frame whose first bit is sent at `time`; the host receives the frame after its last bit.
  private mutating func send(_ bytes: [UInt8], at time: Instant) {
    outbox.append((due: time + .nanoseconds(pacing.line(bytes.count)), bytes: bytes))
  }

  /// Time of the next event for `advance`; `nil` if none is scheduled.
  package var nextDeadline: Instant? {
    var deadline = search?.due
    for entry in outbox where deadline.map({ entry.due < $0 }) ?? true { deadline = entry.due }
    return deadline
  }

  /// Returns the bytes that the chip has sent by `now`.
  @export(interface)
  package mutating func advance(to now: Instant) -> [UInt8] {
    if let due = search?.due, due <= now { continueSearch(at: due) }
    var sent: [UInt8] = []
    while let first = outbox.first, first.due <= now {
      sent += first.bytes
      outbox.removeFirst()
    }
    return sent
  }

  /// Handles a tag placed on the antenna: the next attempt of a search may find it.
  package mutating func noticeTag(at now: Instant) {
    if case .list = search?.kind { search?.nextAttempt = now + .nanoseconds(pacing.emptyAttempt) }
  }

  // MARK: Faults

  /// Makes the chip unresponsive or responsive; data sent while it is unresponsive is lost.
  mutating func stall(_ isDeaf: Bool) {
    self.isDeaf = isDeaf
    commandsUntilDeaf = nil
    parser.reset()
    if isDeaf { cancel() }
  }

  /// Simulates a voltage drop: commands are still answered, but no tag is found before SAMConfiguration.
  mutating func brownOut() {
    if power == .normal { power = .lowVbatAwake }
    field.power(false)
    targets = PN532Targets()
  }

  /// Unplugs the chip, preserving only the counters and the tag.
  mutating func powerOff(_ pacing: Pacing) {
    let (counts, space) = (commandCounts, field)
    self = PN532Chip(pacing: pacing)
    commandCounts = counts
    field = space
    field.power(false)
  }

  /// Resets the counters.
  mutating func resetCounters() {
    commandCounts = [Int](repeating: 0, count: 256)
    field.resetCounters()
  }

  private mutating func continueSearch(at time: Instant) {
    guard let current = search else { return }
    _ = field.takeElapsed()
    switch current.kind {
    case .forever: search?.nextAttempt = nil
    case .list(let parameters):
      // If there is no tag, no further attempt is simulated until a tag is placed.
      search?.nextAttempt = field.tag == nil ? nil : time + .nanoseconds(pacing.emptyAttempt)
      let found = attempt(list: parameters)
      guard found != nil || current.end.map({ $0 <= time }) == true else { return }
      search = nil
      answer(0x4A, found ?? [0x00], at: time + .nanoseconds(pacing.chip + field.takeElapsed()))
    case .autoPoll(let types, let roundsLeft, let period):
      let found = attempt(poll: types)
      let done = time + .nanoseconds(pacing.chip + field.takeElapsed())
      if let found {
        search = nil
        answer(0x60, found, at: done)
      } else if let roundsLeft, roundsLeft <= 1 {
        search = nil
        answer(0x60, [0x00], at: max(done, time + period))
      } else {
        let kind = Search.Kind.autoPoll(types: types, roundsLeft: roundsLeft.map { $0 - 1 }, period: period)
        search = Search(kind: kind, nextAttempt: max(done, time + period))
      }
    }
  }

  /// Maximum gap between the bytes of one frame; a longer pause ends the frame.
  private static let frameGapMax: Duration = .milliseconds(100)
}
