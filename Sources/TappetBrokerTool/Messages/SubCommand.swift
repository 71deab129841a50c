// tappet mqtt sub: prints messages that match the filters until a count, a time limit or a signal stops it.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// Subscribes, and prints incoming messages.
enum SubCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    let printer = try MessagePrinter(arguments)
    var recent = RecentMessages(brokerWords: arguments.brokerWords)
    let subscriber = Subscriber(client, filters: arguments.operands, SubscriptionLimits(arguments)) { message in
      let time = SystemClock().now().unixMilliseconds
      recent.add(message, at: time)
      printer.take(message, at: time)
    }
    subscriber.endOfTurn = { printer.flush() }
    defer {
      subscriber.printSummary()
      recent.save()
    }
    try subscriber.run()
  }
}

/// Which messages to receive, and when to stop.
struct SubscriptionLimits {
  enum Retained {
    case all, only, none
  }

  var qos: Int32 = 1
  var countMax: Int64?
  var time: Duration?
  var retained = Retained.all
  /// `nil` means every message.
  var match: PayloadMatch?

  init(_ arguments: Arguments) {
    qos = Int32(arguments.number("qos") ?? 1)
    countMax = arguments.number("count")
    time = arguments.seconds("for")
    switch arguments.value("retained") {
    case "only": retained = .only
    case "no": retained = .none
    default: break
    }
  }

  func wants(_ message: LinkMessage) -> Bool {
    switch retained {
    case .only where !message.isRetained: return false
    case .none where message.isRetained: return false
    default: return match?.fits(message.payload) ?? true
    }
  }
}

/// A set of subscriptions that is renewed after each reconnect.
final class Subscriber {
  private let client: BrokerClient
  private let filters: [String]
  private let limits: SubscriptionLimits
  private let receive: (LinkMessage) -> Void
  /// Called when all messages of a turn have been handled.
  var endOfTurn: () throws(CommandFailure) -> Void = {}
  /// Whether each granted subscription is reported on standard error.
  var saysGrants = true
  /// Whether an extra subscription, to this client's own status, is used to detect the end of the retained messages.
  ///
  /// Otherwise, or if the broker sends retained messages after its SUBACK, only a pause in the messages marks the end.
  var asksForEnd = false
  private let began = Instant.now()
  private var policy = ReconnectPolicy()
  private var grantsMissing = 0
  private var refusals = 0
  private var quietSince: Instant?
  private var isEndSeen = false
  private var statistics = ConnectionStatistics()
  private var retainedCount: Int64 = 0
  private var discarded: Int64 = 0

  init(
    _ client: BrokerClient, filters: [String], _ limits: SubscriptionLimits, receive: @escaping (LinkMessage) -> Void
  ) {
    self.client = client
    self.filters = filters
    self.limits = limits
    self.receive = receive
  }

  /// Runs until a limit is reached or a signal arrives.
  func run() throws(CommandFailure) {
    _ = try client.connectToAny()
    statistics.connected(at: Instant.now())
    subscribe()
    client.gathering = Limits.brokerToolGathering
    let end = limits.time.map { began + $0 }
    while true {
      let quietEnd = self.quietEnd
      let news = client.wait(until: [end, quietEnd].compactMap { $0 }.min())
      for reception in news.receptions where !isEnough { try handle(reception) }
      try endOfTurn()
      // A reader that closes its end of the pipe needs no more output.
      if news.isInterrupted || isEnough || !Output.isTaken { return }
      for event in news.events {
        switch event {
        case .lost(let failure), .failed(let failure): if try !reconnect(after: failure, until: end) { return }
        default: break
        }
      }
      let now = Instant.now()
      if let quietEnd = self.quietEnd, quietEnd <= now { return }
      if let end, end <= now { return try finish() }
    }
  }

  private var quietEnd: Instant? {
    quietSince.map { $0 + (isEndSeen ? Limits.retainedQuietMin : Limits.retainedQuietMax) }
  }

  private var count: Int64 { statistics.received }
  private var isEnough: Bool { limits.countMax.map { count >= $0 } ?? false }

  private func finish() throws(CommandFailure) {
    guard let countMax = limits.countMax else { return }
    throw CommandFailure(
      status: .timedOut, sentence: "timed out: \(count) of \(plural(countMax, "message")) received",
      code: FailureCode.timedOut)
  }

  private func subscribe() {
    grantsMissing = filters.count
    (refusals, quietSince, isEndSeen) = (0, nil, false)
    for (index, filter) in filters.enumerated() {
      _ = client.link.subscribe(request: UInt64(index), filter: filter, qos: limits.qos)
    }
  }

  private func handle(_ reception: LinkReception) throws(CommandFailure) {
    switch reception {
    case .subscribed(let request, let qos, let reason) where request < filters.count:
      try recordGrant(filters[Int(request)], qos, reason)
    // The response to the extra subscription, whether granted or refused.
    case .subscribed:
      isEndSeen = true
      quietSince = Instant.now()
    case .message(let message): note(message)
    case .discarded: discarded += 1
    case .unsubscribed: break
    }
  }

  private func recordGrant(_ filter: String, _ qos: Int32?, _ reason: UInt8) throws(CommandFailure) {
    grantsMissing -= 1
    if let qos {
      let less = qos < limits.qos ? ", lower than requested" : ""
      if saysGrants { Output.printError("subscribed to \(filter.quoted) with QoS \(qos)\(less)") }
    } else {
      refusals += 1
      let why = LinkFailure.subscriptionRefusal(reason)
      Output.printError("the broker refused the subscription to \(filter.quoted): \(why)")
    }
    if grantsMissing == 0, limits.retained == .only {
      quietSince = Instant.now()
      let own = "tappet/" + client.settings.clientID + "/status"
      if asksForEnd { _ = client.link.subscribe(request: UInt64(filters.count), filter: own, qos: 0) }
    }
    guard refusals == filters.count else { return }
    throw CommandFailure(
      status: .subscriptionRefused, sentence: "the broker refused every filter", code: FailureCode.subscriptionRefused)
  }

  private func note(_ message: LinkMessage) {
    guard limits.wants(message) else { return }
    statistics.received(bytes: message.size)
    if message.isRetained { retainedCount += 1 }
    if quietSince != nil { quietSince = Instant.now() }
    receive(message)
  }

  /// Reconnects after a loss; returns false if the time limit expires or a signal arrives in the meantime.
  private func reconnect(after loss: LinkFailure, until end: Instant?) throws(CommandFailure) -> Bool {
    statistics.lost(loss)
    switch client.reconnect(after: loss, &policy, until: end) {
    case .connected:
      statistics.connected(at: Instant.now())
      subscribe()
      return true
    case .interrupted: return false
    case .timeOver:
      try finish()
      return false
    }
  }

  /// Prints a summary line, and one line for each reason for a lost connection.
  func printSummary() {
    let milliseconds = max(1, (Instant.now() - began).wholeMilliseconds)
    var text = plural(count, "message") + " (\(retainedCount) retained), " + plural(statistics.receivedBytes, "byte")
    text += " in \(milliseconds / 1000).\(milliseconds % 1000 / 100) s: \(count * 1000 / milliseconds) per second"
    if statistics.reconnects > 0 { text += "; " + plural(statistics.reconnects, "reconnect") }
    if discarded > 0 { text += "; \(discarded) discarded, larger than \(Limits.receivedMessageSizeMax) bytes" }
    Output.printError(text)
    for reason in statistics.reasons { Output.printError("  " + reason) }
  }
}
