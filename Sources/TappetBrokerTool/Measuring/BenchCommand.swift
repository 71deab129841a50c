// tappet mqtt bench: throughput, latency and reliability of message delivery. Latency is measured from the time at
// which the message was due, so that delays of a stalled broker are included.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Publishes at a constant rate over one or more connections, and counts what a separate connection receives.
enum BenchCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let settings = try BrokerChoice.settings(arguments)
    let plan = BenchPlan(arguments)
    // Two descriptors per client while the library loads its files, plus those that the process uses itself.
    let descriptors = plan.clients + 64
    guard ProcessResources.raiseDescriptors(to: Int(descriptors)) >= Int(descriptors) else {
      throw .refused("\(plan.clients) clients need \(descriptors) open files, more than this user's limit (ulimit -n)")
    }
    let swarm = try swarm(settings, plan)
    defer { swarm.disconnect() }
    var run = BenchRun(plan, swarm, settings.clientID)
    try run.connect()
    let end = run.measure()
    let result = run.result
    if let report = arguments.report { report.set(result.json) } else { result.print() }
    if let end { throw .unconnected(end.sentence, end) }
    if result.lost > 0 || result.refused > 0 { throw .found }
  }

  /// Finds a working endpoint and MQTT version, as every command does, and reports why other endpoints failed.
  private static func swarm(_ settings: BrokerSettings, _ plan: BenchPlan) throws(CommandFailure) -> ClientPool {
    let first = try BrokerClient(settings)
    let version: MQTTVersion = try first.connectToAny() ? .v5 : .v311
    first.shutdown()
    do throws(LinkFailure) {
      return try ClientPool(
        settings, endpoint: settings.endpoints[first.endpoint], version: version, qos: plan.qos,
        window: Limits.brokerToolInFlightMax)
    } catch { throw .unconnected(error.sentence, error) }
  }
}

/// One measurement in progress.
struct BenchRun {
  private let plan: BenchPlan
  private let swarm: ClientPool
  private let name: String
  private let signals = HeldSignals()
  private var isInterrupted = false
  private var sent: Int64 = 0
  private var acknowledged: Int64 = 0
  private(set) var result = BenchResult()
  private var seen: [Bool]
  /// Number of each client's newest received message.
  private var newest: [Int64]
  private var began = Instant.now()
  /// Memory used by the process before the first client connected, in bytes.
  private var sizeBefore: Int?

  init(_ plan: BenchPlan, _ swarm: ClientPool, _ name: String) {
    self.plan = plan
    self.swarm = swarm
    self.name = name
    seen = [Bool](repeating: false, count: Int(plan.count))
    newest = [Int64](repeating: -1, count: Int(plan.clients))
    result.plan = plan
  }

  // MARK: Connecting

  /// Connects the receiver, which is client 0, and then the publishers.
  mutating func connect() throws(CommandFailure) {
    try connectOne(name + "-s")
    var reason: UInt8?
    do throws(LinkFailure) {
      reason = try swarm.subscribe(0, to: plan.filter, until: .now() + Limits.benchConnectMax)
    } catch { throw .unconnected(error.sentence, error) }
    guard let reason, reason < 0x80 else {
      throw CommandFailure(
        status: .subscriptionRefused, sentence: "the broker refused the subscription to \(plan.filter.quoted)",
        code: FailureCode.subscriptionRefused)
    }
    sizeBefore = ProcessResources.residentSize
    for client in 0..<plan.clients { try connectOne(plan.clients == 1 ? name : name + "-\(client)") }
    recordMemory()
  }

  /// Updates the maximum memory per client; a client needs more memory after publishing than after connecting.
  private mutating func recordMemory() {
    guard plan.clients >= Int64(Limits.benchMemoryClientsMin), let sizeBefore,
      let size = ProcessResources.residentSize
    else { return }
    result.bytesPerClient = max(result.bytesPerClient ?? 0, Int64(size - sizeBefore) / plan.clients)
  }

  private func connectOne(_ name: String) throws(CommandFailure) {
    if signals.consume() { throw .interrupted }
    do throws(LinkFailure) { _ = try swarm.connect(clientID: name, until: .now() + Limits.benchConnectMax) } catch {
      let place = swarm.count > 1 ? "client \(swarm.count) of \(plan.clients): " : ""
      throw .unconnected(place + error.sentence, error)
    }
  }

  // MARK: Measuring

  /// Publishes until all messages are sent or a signal arrives, then waits for the messages in flight; returns the
  /// cause if the connection is lost.
  mutating func measure() -> LinkFailure? {
    var end: LinkFailure?
    do throws(LinkFailure) {
      try publish()
      try awaitRest()
    } catch { end = error }
    recordMemory()
    result.sent = sent
    result.acknowledged = acknowledged
    result.lost = max(0, sent - result.received)
    return end
  }

  /// Sends each message when it is due, or as soon as possible afterwards.
  private mutating func publish() throws(LinkFailure) {
    began = Instant.now()
    while sent < plan.count {
      let due = began + plan.due(sent)
      while !isInterrupted, isFull || Instant.now() < due {
        let turnEnd = Instant.now() + Limits.benchTurn
        try turn(until: isFull ? turnEnd : min(due, turnEnd))
      }
      if isInterrupted { return }
      try send(due)
      if sent % 64 == 0 { try turn(until: Instant.now()) }
    }
  }

  private var isFull: Bool { sent - acknowledged - result.refused >= Int64(Limits.benchUnacknowledgedMax) }

  /// Waits for the messages that are still in flight, or until a second signal arrives.
  private mutating func awaitRest() throws(LinkFailure) {
    isInterrupted = false
    var quietSince = Instant.now()
    var before: (Int64, UInt64) = (-1, 0)
    while !isInterrupted, result.received < sent || acknowledged + result.refused < sent {
      try turn(until: Instant.now() + Limits.benchTurn)
      if before != (acknowledged, result.latencies.count) {
        before = (acknowledged, result.latencies.count)
        quietSince = Instant.now()
      }
      if Instant.now() - quietSince > Limits.deliveryProbeMax { break }
    }
  }

  private mutating func send(_ due: Instant) throws(LinkFailure) {
    let client = sent % plan.clients
    result.lateness.add((Instant.now() - due).wholeNanoseconds / 1000)
    let payload = plan.payload(sent, due: due)
    sent += 1
    try swarm.publish(Int(client) + 1, topic: plan.topic(of: client), payload: payload)
  }

  private mutating func turn(until limit: Instant) throws(LinkFailure) {
    // Events that arrived before the connection ended are also counted.
    defer { takeNews() }
    try swarm.turn(until: limit, file: signals.fileDescriptor)
  }

  private mutating func takeNews() {
    let news = swarm.takeNews()
    acknowledged += news.acknowledged
    result.refused += news.refused
    if news.isFileReady, signals.consume() { isInterrupted = true }
    guard !news.messages.isEmpty else { return }
    let now = Instant.now()
    for message in news.messages { take(message, now) }
  }

  private mutating func take(_ message: LinkMessage, _ now: Instant) {
    guard let number = BenchPlan.number(message.payload, at: 0), (0..<sent).contains(number) else { return }
    let client = number % plan.clients
    guard message.topic == plan.topic(of: client) else { return }
    // Latency is measured from the due time, even if the payload contains the wall-clock time.
    result.latencies.add((now - (began + plan.due(number))).wholeNanoseconds / 1000)
    if seen[Int(number)] { return result.duplicates += 1 }
    seen[Int(number)] = true
    result.received += 1
    // MQTT preserves the order of messages from one client, but not between clients.
    if number < newest[Int(client)] { result.disordered += 1 }
    newest[Int(client)] = max(newest[Int(client)], number)
    result.elapsed = now - began
  }
}
