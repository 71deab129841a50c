// tappet fleet run: publishes a signed command to all kiosks, and prints a table of their responses.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Sends the requests, waits, and shows the response of each kiosk.
enum FleetRunCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let key = try key(arguments.value("key-file"))
    let client = try BrokerClient(
      try BrokerChoice.settings(arguments), window: Limits.fleetQuestionsMax)
    defer { client.shutdown() }
    let inquiry = FleetInquiry(
      topic: arguments.value("topic") ?? Command.fleetCommandTopic, kiosks: Array(arguments.operands.dropFirst()),
      patience: arguments.seconds("for") ?? Limits.fleetAnswerMax)
    let round = FleetRound(client, inquiry, key)
    try round.run()
    let report = FleetReport(round.inquiry.subjects)
    if let json = arguments.report { json.set(report.json) } else { report.print() }
    if !report.isGood { throw .found }
  }

  private static func key(_ path: String?) throws(CommandFailure) -> SecretKey {
    let digits = try Prompt.privateLine(from: path, question: "Signing key of the commands", what: "key")
    guard let key = digits.withBytes({ SecretKey(hex: Array($0)[...]) }) else {
      throw .failed("\(path ?? "standard input") does not contain a key of 64 hexadecimal digits")
    }
    return key
  }
}

/// One check of all kiosks over one connection.
final class FleetRound {
  private enum Phase {
    /// The broker has not acknowledged all subscriptions.
    case subscribing(missing: Int)
    /// Retained messages are still arriving.
    case listening(until: Instant)
    case asking
  }

  private let client: BrokerClient
  private(set) var inquiry: FleetInquiry
  private let key: SecretKey
  private var phase = Phase.subscribing(missing: FleetInquiry.filters.count + 1)
  /// Recipient of each published request, by number.
  private var published: [String?] = []

  init(_ client: BrokerClient, _ inquiry: FleetInquiry, _ key: SecretKey) {
    self.client = client
    self.inquiry = inquiry
    self.key = key
  }

  /// Runs the check; fails if there is no connection, or if the broker does not allow subscribing to the responses.
  func run() throws(CommandFailure) {
    _ = try client.connectToAny()
    // The response to the last subscription marks the end of the retained messages.
    for (index, filter) in (FleetInquiry.filters + ["tappet/" + client.settings.clientID + "/status"]).enumerated() {
      _ = client.link.subscribe(request: UInt64(index), filter: filter, qos: index == 1 ? 1 : Fleet.qos)
    }
    var limit: Instant? = Instant.now() + Limits.deliveryProbeMax
    while true {
      let news = client.wait(until: limit)
      if news.isInterrupted { throw .interrupted }
      for reception in news.receptions { try take(reception) }
      for event in news.events { try take(event) }
      switch phase {
      case .subscribing:
        if let limit, limit <= Instant.now() { throw silence }
      case .listening(let until):
        limit = until
        if until <= Instant.now() {
          phase = .asking
          if let question = inquiry.begin(at: Instant.now(), nonce: Self.nonce) { publish(question) }
          limit = ask()
        }
      case .asking: limit = ask()
      }
      if case .asking = phase, inquiry.isDone { return }
    }
  }

  private var silence: CommandFailure {
    CommandFailure(
      status: .silent, sentence: "the broker did not acknowledge the subscriptions", code: FailureCode.timedOut)
  }

  /// Publishes the requests that are due; returns the time at which to continue if no message arrives.
  private func ask() -> Instant? {
    let now = Instant.now()
    var next = inquiry.expire(at: now)
    while let question = inquiry.next(at: now, nonce: Self.nonce) {
      publish(question)
      next = next ?? now
    }
    return next.map { max($0, now + .milliseconds(1)) }
  }

  private func publish(_ question: FleetInquiry.Question) {
    published.append(question.clientID)
    client.link.publish(
      id: EntryID(high: 0, low: UInt64(published.count)), topic: question.topic,
      payload: payload(question, SystemClock().now().unixSeconds), qos: 1, isRetained: false)
  }

  /// Creates a signed command (docs/formats.md, "Commands").
  private func payload(_ question: FleetInquiry.Question, _ unixSeconds: Int64) -> [UInt8] {
    var request = CommandRequest(.target(.check), unixSeconds: unixSeconds)
    request.nonce = question.nonce
    let code = request.signedBytes(topic: question.topic).flatMap { try? key.authenticate($0) } ?? []
    return JSON.object([
      "run": .string("check"), "t": .number(unixSeconds), "nonce": .string(question.nonce),
      "hmac": .string(Hex.encode(code)),
    ]).encoded()
  }

  private static func nonce() -> String { (try? LibCrypto.random(count: 16)).map { Hex.encode($0) } ?? "" }

  private func take(_ reception: LinkReception) throws(CommandFailure) {
    let now = Instant.now()
    switch reception {
    case .message(let message):
      inquiry.take(message, at: now)
      if case .listening = phase { phase = .listening(until: now + Limits.retainedQuietMin) }
    case .subscribed(let request, let qos, let reason):
      guard case .subscribing(let missing) = phase else { return }
      phase = missing > 1 ? .subscribing(missing: missing - 1) : .listening(until: now + Limits.retainedQuietMin)
      guard qos == nil, request < FleetInquiry.filters.count else { return }
      let filter = FleetInquiry.filters[Int(request)]
      let why = LinkFailure.subscriptionRefusal(reason)
      throw CommandFailure(
        status: .subscriptionRefused,
        sentence: "the broker refused the subscription to \(filter.quoted): \(why)",
        code: FailureCode.subscriptionRefused)
    case .unsubscribed, .discarded: break
    }
  }

  private func take(_ event: LinkEvent) throws(CommandFailure) {
    switch event {
    case .lost(let failure), .failed(let failure): throw .unconnected(failure.sentence, failure)
    case .publishRefused(let id, let code):
      let index = Int(id.low) - 1
      if published.indices.contains(index) { inquiry.refused(published[index], code: code) }
    case .connected, .foundMQTT5, .lacksRetained, .disconnected, .didFallBack, .acknowledged, .acknowledgedUnheard:
      break
    }
  }
}
