// tappet mqtt bench: how fast, how late and how reliably messages come through. A latency counts from the time at which
// the message was due, so that a broker that stalls does not hide what it delays.

import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// Publishes at a steady rate over one connection, receives over another, and counts.
enum BenchCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let settings = try BrokerChoice.settings(arguments)
    var other = settings
    other.clientID += "-s"
    let plan = BenchPlan(arguments)
    let subscriber = try BrokerClient(other)
    let publisher = try BrokerClient(settings, window: Limits.brokerToolInFlightMax)
    defer {
      subscriber.shutdown()
      publisher.shutdown()
    }
    _ = try subscriber.connectToAny()
    _ = try publisher.connectToAny()
    guard case .granted = BrokerDialogue(subscriber).subscribe(plan.topic, qos: plan.qos) else {
      throw CommandFailure(
        status: .subscriptionRefused, sentence: "the broker refuses the subscription to \(plan.topic.quoted)",
        code: FailureCode.subscriptionRefused)
    }
    var run = BenchRun(plan, publisher: publisher, subscriber: subscriber)
    try run.publish()
    try run.awaitRest()
    let result = run.result
    if let report = arguments.report { report.set(result.json) } else { result.print() }
    if result.lost > 0 || result.refused > 0 { throw .found }
  }
}

/// The order: how many messages, how often, how large.
struct BenchPlan {
  let topic: String
  let qos: Int32
  let count: Int64
  let perSecond: Int64
  let size: Int
  let isEmqtt: Bool

  init(_ arguments: Arguments) {
    topic = (arguments.value("topic") ?? "tappet/bench") + "/" + BrokerChoice.nonce()
    qos = Int32(arguments.number("qos") ?? 1)
    perSecond = arguments.number("rate") ?? 100
    count = perSecond * (arguments.number("for") ?? 10)
    isEmqtt = arguments.value("compat") == "emqtt"
    size = max(16, Int(arguments.number("size") ?? 64))
  }

  /// The time between the begin and the message of this number.
  func due(_ number: Int64) -> Duration {
    .nanoseconds(number / perSecond * 1_000_000_000 + number % perSecond * 1_000_000_000 / perSecond)
  }

  /// Counter and time, each of 8 bytes, big-endian: emqtt-bench's `cnt64,ts` has unix milliseconds.
  func payload(_ number: Int64, due: Instant, unixMilliseconds: Int64) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    let time = isEmqtt ? unixMilliseconds : due.nanoseconds
    for place in 0..<8 {
      bytes[place] = UInt8(truncatingIfNeeded: number >> Int64(56 - 8 * place))
      bytes[8 + place] = UInt8(truncatingIfNeeded: time >> Int64(56 - 8 * place))
    }
    return bytes
  }

  static func number(_ payload: [UInt8], at offset: Int) -> Int64? {
    guard payload.count >= offset + 8 else { return nil }
    return payload[offset..<offset + 8].reduce(0) { $0 << 8 | Int64($1) }
  }
}

/// One measurement on its way.
struct BenchRun {
  private let plan: BenchPlan
  private let publisher: BrokerClient
  private let subscriber: BrokerClient
  private var sent: Int64 = 0
  private var acknowledged: Int64 = 0
  private(set) var result = BenchResult()
  private var seen: [Bool]
  private var highest: Int64 = -1
  private var began = Instant.now()

  init(_ plan: BenchPlan, publisher: BrokerClient, subscriber: BrokerClient) {
    self.plan = plan
    self.publisher = publisher
    self.subscriber = subscriber
    seen = [Bool](repeating: false, count: Int(plan.count))
  }

  /// Sends each message when it is due, or as soon as it can be sent afterwards.
  mutating func publish() throws(CommandFailure) {
    began = Instant.now()
    while sent < plan.count {
      let due = began + plan.due(sent)
      while isFull || Instant.now() < due {
        let turnEnd = Instant.now() + Limits.benchTurn
        try turn(until: isFull ? turnEnd : min(due, turnEnd))
      }
      send(due)
      if sent % 64 == 0 { try turn(until: Instant.now()) }
    }
  }

  private var isFull: Bool { sent - acknowledged - result.refused >= Int64(Limits.benchUnacknowledgedMax) }

  /// Waits for the messages that are still under way.
  mutating func awaitRest() throws(CommandFailure) {
    var quietSince = Instant.now()
    var before: (Int64, UInt64) = (-1, 0)
    while result.received < plan.count || acknowledged + result.refused < sent {
      try turn(until: Instant.now() + Limits.benchTurn)
      if before != (acknowledged, result.latencies.count) {
        before = (acknowledged, result.latencies.count)
        quietSince = Instant.now()
      }
      if Instant.now() - quietSince > Limits.deliveryProbeMax { break }
    }
    result.sent = sent
    result.acknowledged = acknowledged
    result.lost = max(0, plan.count - result.received)
    result.plan = plan
  }

  private mutating func send(_ due: Instant) {
    let now = SystemClock().now()
    result.lateness.add((now.instant - due).wholeNanoseconds / 1000)
    let payload = plan.payload(sent, due: due, unixMilliseconds: now.unixMilliseconds)
    sent += 1
    publisher.link.publish(
      id: EntryID(high: 0, low: UInt64(sent)), topic: plan.topic, payload: payload, qos: plan.qos, isRetained: false)
  }

  private mutating func turn(until limit: Instant) throws(CommandFailure) {
    let news = subscriber.wait(until: limit, with: publisher)
    if news.isInterrupted { throw .interrupted }
    for event in news.events {
      switch event {
      case .acknowledged, .acknowledgedUnheard: acknowledged += 1
      case .publishRefused: result.refused += 1
      case .failed(let failure), .lost(let failure): throw .unconnected(failure.sentence, failure)
      case .connected, .disconnected, .fellBack: break
      }
    }
    guard !news.receptions.isEmpty else { return }
    let now = Instant.now()
    for case .message(let message) in news.receptions { take(message, now) }
  }

  private mutating func take(_ message: LinkMessage, _ now: Instant) {
    guard message.topic == plan.topic, let number = BenchPlan.number(message.payload, at: 0),
      (0..<plan.count).contains(number)
    else { return }
    // From the time at which it was due, also where the payload has the wall clock.
    result.latencies.add((now - (began + plan.due(number))).wholeNanoseconds / 1000)
    if seen[Int(number)] { return result.duplicates += 1 }
    seen[Int(number)] = true
    result.received += 1
    if number < highest { result.disordered += 1 }
    highest = max(highest, number)
    result.elapsed = now - began
  }
}
