// The page's requests about the broker.
//
//     test:    {"endpoint":{"url":…,"good":…,"steps":[…]}} for each, {"result":{"round_trip_microseconds":…,"sys":[…]}}
//     listen:  {"subscribed":true}, {"message":{"topic":…,"text":…}}, {"received":31,"left_out":11}, …,
//              {"result":{"error":…}}
//     publish: {"result":{"heard":true}}

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform
import TappetTLS

/// Performs a request of the page about the broker.
package struct PageBrokerService {
  private let report: PageReport
  private let path: String

  /// Creates a service for the kiosk with this configuration file.
  package init(report: PageReport, configuration path: String) { (self.report, self.path) = (report, path) }

  /// Performs the request; returns its result, or `nil` if the kiosk expects none.
  @export(interface)
  package func perform(_ request: ToolRequest) throws(CommandFailure) -> JSON? {
    if case .fleet = request { return try FleetCommand.page(try Arguments.parse(["--config", path], for: .fleetList)) }
    let settings = try BrokerChoice.settings(try Arguments.parse(["--config", path], for: .mqttConnect))
    return switch request {
    case .test: try test(settings)
    case .listen(let filter): try listen(settings, to: filter)
    case .publish(let topic, let text, let isRetained):
      try publish(settings, Array(text.utf8), to: topic, isRetained: isRetained)
    case .fleet, .backup: nil
    }
  }

  private func send(_ members: KeyValuePairs<String, JSON>) { report.send(members) }

  // MARK: Test

  private func test(_ settings: BrokerSettings) throws(CommandFailure) -> JSON {
    var hasConnected = false
    for index in settings.endpoints.indices {
      let report = try ConnectCommand.report(settings, index, Limits.pageBrokerTimeout)
      if report.failure == nil { hasConnected = true }
      send(["endpoint": report.pageJSON])
    }
    guard hasConnected else { return .object([:]) }
    let client = try BrokerClient(settings)
    defer { client.shutdown() }
    return try StatsCommand.measure(client).pageJSON
  }

  // MARK: Listen

  /// Reports messages until the kiosk closes the socket; returns `nil` then.
  private func listen(_ settings: BrokerSettings, to filter: String) throws(CommandFailure) -> JSON? {
    if let mistake = TopicFilter.mistake(in: filter) { throw .usage(mistake) }
    let client = try BrokerClient(settings)
    defer { client.shutdown() }
    _ = try client.connectToAny()
    client.gathering = Limits.pageMessagesInterval
    _ = client.link.subscribe(request: 0, filter: filter, qos: 1)
    var counts = (received: Int64(0), leftOut: Int64(0))
    var storm = StormGuard(at: Instant.now())
    var answerLimit: Instant? = Instant.now() + Limits.pageBrokerTimeout
    while true {
      let news = client.wait(until: answerLimit, file: report.parent.fileDescriptor)
      if news.isInterrupted || news.isFileReady { return nil }
      for event in news.events {
        if case .lost(let failure) = event { throw .unconnected(failure.sentence, failure) }
      }
      var messages: [LinkMessage] = []
      let before = counts.received
      for reception in news.receptions {
        switch reception {
        case .subscribed(_, nil, let reason):
          throw CommandFailure(
            status: .subscriptionRefused,
            sentence: "the broker refused the subscription: " + LinkFailure.subscriptionRefusal(reason),
            code: FailureCode.subscriptionRefused)
        case .subscribed:
          answerLimit = nil
          send(["subscribed": .bool(true)])
        case .unsubscribed: break
        case .message(let message):
          counts.received += 1
          messages.append(message)
        case .discarded:
          counts.received += 1
          counts.leftOut += 1
        }
      }
      counts.leftOut += Int64(show(messages, &storm))
      if counts.received > before {
        send(["received": .number(counts.received), "left_out": .number(counts.leftOut)])
      }
      if let answerLimit, answerLimit <= Instant.now() {
        throw .failed("the broker does not respond to the subscription", FailureCode.timedOut)
      }
    }
  }

  /// Sends the newest of the messages, because the last value counts; returns the number of the others.
  private func show(_ messages: [LinkMessage], _ storm: inout StormGuard) -> Int {
    let time = SystemClock().now().unixMilliseconds
    var shown: [JSON] = []
    storm.fill(at: Instant.now())
    for message in messages.reversed() {
      let json = message.pageJSON(time)
      guard storm.admits(size: json.encoded().count) else { break }
      shown.append(json)
    }
    for json in shown.reversed() { send(["message": json]) }
    return messages.count - shown.count
  }

  // MARK: Publish

  private func publish(
    _ settings: BrokerSettings, _ payload: [UInt8], to topic: String, isRetained: Bool
  ) throws(CommandFailure) -> JSON {
    let client = try BrokerClient(settings)
    defer { client.shutdown() }
    let usesMQTT5 = try client.connectToAny()
    let session = RequestSession(client)
    switch session.publish(topic, payload, isRetained: isRetained) {
    // With MQTT 3.1.1, the broker reports neither whether it was permitted nor whether anybody has subscribed.
    case .taken(let isHeard): return .object(["heard": usesMQTT5 ? .bool(isHeard) : .null])
    case .refused(let code):
      throw CommandFailure(
        status: .publishRefused, sentence: "the broker refused the message: " + LinkFailure.publishRefusal(code),
        code: FailureCode.publishUnacknowledged)
    case .none:
      try session.requireConnection()
      throw CommandFailure(
        status: .publishRefused, sentence: "the broker did not acknowledge the message",
        code: FailureCode.publishUnacknowledged)
    }
  }
}

/// A limit to the messages that a browser is shown during a storm: a number of messages and bytes at once, such as the
/// retained ones, then a number per second.
struct StormGuard {
  private var left = Limits.pageMessagesAtOnce
  private var sizeLeft = Limits.pageMessagesSizeAtOnce
  private var filledAt: Instant

  init(at now: Instant) { filledAt = now }

  /// Adds what the time since the last call allows.
  mutating func fill(at now: Instant) {
    let interval = Duration.seconds(1) / Limits.pageMessagesPerSecond
    while now - filledAt >= interval, left < Limits.pageMessagesAtOnce || sizeLeft < Limits.pageMessagesSizeAtOnce {
      left = min(Limits.pageMessagesAtOnce, left + 1)
      sizeLeft = min(
        Limits.pageMessagesSizeAtOnce, sizeLeft + Limits.pageMessagesSizeAtOnce / Limits.pageMessagesPerSecond)
      filledAt = filledAt + interval
    }
    if left == Limits.pageMessagesAtOnce, sizeLeft == Limits.pageMessagesSizeAtOnce { filledAt = now }
  }

  /// Returns whether a message of this size is shown.
  mutating func admits(size: Int) -> Bool {
    guard left > 0, sizeLeft >= size else { return false }
    left -= 1
    sizeLeft -= size
    return true
  }
}

extension LinkMessage {
  /// The message as the page shows it: the start of its topic and text, or only its size if it is not text.
  func pageJSON(_ time: Int64) -> JSON {
    .object([
      "time": .time(unixMilliseconds: time), "topic": .string(topic.escaped.start(Limits.pageTopicSizeMax)),
      "retained": .bool(isRetained), "size": .number(Int64(size)),
      "text": encoded.encoding == "text" ? .string(encoded.text.escapedLines.start(Limits.pageMessageSizeMax)) : .null,
    ])
  }
}

extension ConnectReport {
  /// The report as the page shows it.
  fileprivate var pageJSON: JSON {
    let sizeMax = Limits.pageTopicSizeMax
    return .object([
      "url": .string(endpoint.text), "good": .bool(failure == nil), "code": .optional(failure?.code),
      "found": .optional(hint?.withoutFolders),
      "steps": .array(
        facts.steps.map { step in
          .object([
            "step": .string(step.stage.word), "good": .bool(step.isGood),
            "text": .string(step.text.withoutFolders.escaped.start(sizeMax)),
            "microseconds": .number(step.microseconds),
          ])
        }),
      "days_left": facts.tls?.chain.first.map { .number($0.daysLeft(atUnixSeconds: SystemClock().now().unixSeconds)) }
        ?? .null,
    ])
  }
}

extension StatsCommand.Figures {
  /// The figures as the page shows them.
  fileprivate var pageJSON: JSON {
    let median = trips.count == 0 ? nil : trips.percentile(thousandths: 500)
    let known = sys.filter { figure in Self.pageFigures.contains { figure.topic == "$SYS/broker/" + $0 } }
    let shown = known.isEmpty ? Array(sys.prefix(Self.pageFigures.count)) : known
    return .object([
      "round_trip_microseconds": median.map { .number($0) } ?? .null,
      "sys": .array(
        shown.map { figure in
          .object([
            "topic": .string(figure.topic.escaped.start(80)),
            "value": .string(figure.summary(80)),
          ])
        }),
    ])
  }

  /// Statistics of Mosquitto that the page shows; of another broker, it shows the first ones.
  private static var pageFigures: [String] {
    [
      "version", "uptime", "clients/connected", "messages/received", "messages/sent", "retained messages/count",
      "subscriptions/count", "publish/messages/dropped",
    ]
  }
}

extension String {
  /// The text, or its start and an ellipsis if it is longer than this number of bytes.
  fileprivate func start(_ sizeMax: Int) -> String { utf8.count > sizeMax ? cut(toSize: sizeMax) + "…" : self }
}
