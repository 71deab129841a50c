// tappet mqtt stats: the round-trip time to the broker, and the statistics that the broker publishes under $SYS.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Measures round trips that need no permissions, and lists the statistics published by the broker.
enum StatsCommand {
  /// All displayed values.
  struct Figures {
    var url: String
    /// The MQTT version: `5` or `3.1.1`.
    var version: String
    var connectMicroseconds: Int64
    var trips = LatencyHistogram()
    var sys: [LinkMessage] = []
    var isRefused = true
    var statistics = ConnectionStatistics()
  }

  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    var figures = try measure(client)
    if let time = arguments.seconds("for") {
      watch(client, until: Instant.now() + time, isSubscribed: !figures.isRefused, &figures.statistics)
    }
    if let report = arguments.report {
      report.set(json(figures))
    } else {
      print(figures)
    }
  }

  /// Connects, measures round trips, and reads the broker's statistics.
  static func measure(_ client: BrokerClient) throws(CommandFailure) -> Figures {
    let began = Instant.now()
    let usesMQTT5 = try client.connectToAny()
    let connected = Instant.now()
    var figures = Figures(
      url: client.settings.endpoints[client.endpoint].text, version: client.settings.versionName(usesMQTT5: usesMQTT5),
      connectMicroseconds: (connected - began).wholeNanoseconds / 1000)
    figures.statistics.connected(at: connected)
    let dialogue = RequestSession(client)
    for number in 0..<Limits.roundTripsMeasured {
      guard let time = dialogue.roundTrip(number) else { break }
      figures.trips.add(time.wholeNanoseconds / 1000)
    }
    try dialogue.requireConnection()
    if case .granted = dialogue.subscribe("$SYS/#", qos: 0) { figures.isRefused = false }
    dialogue.collect(until: Limits.retainedQuietMax)
    try dialogue.requireConnection()
    for message in dialogue.messages { figures.statistics.received(bytes: message.size) }
    figures.sys = dialogue.messages.filter { $0.topic.begins(with: "$SYS/") }
    return figures
  }

  /// Counts messages and losses until `end`, reconnecting after each loss.
  private static func watch(
    _ client: BrokerClient, until end: Instant, isSubscribed: Bool, _ statistics: inout ConnectionStatistics
  ) {
    var policy = ReconnectPolicy()
    while Instant.now() < end {
      let news = client.wait(until: end)
      for case .message(let message) in news.receptions { statistics.received(bytes: message.size) }
      if news.isInterrupted { return }
      for event in news.events {
        switch event {
        case .lost(let failure), .failed(let failure):
          statistics.lost(failure)
          guard case .connected = client.reconnect(after: failure, &policy, until: end) else { return }
          statistics.connected(at: Instant.now())
          if isSubscribed { _ = client.link.subscribe(request: 0, filter: "$SYS/#", qos: 0) }
        case .connected, .disconnected, .didFallBack, .foundMQTT5, .lacksRetained, .acknowledged, .acknowledgedUnheard,
          .publishRefused:
          break
        }
      }
    }
  }

  private static func print(_ figures: Figures) {
    let time = ConnectReport.milliseconds
    let trips = figures.trips
    Output.print("connected to \(figures.url) with MQTT \(figures.version) in \(time(figures.connectMicroseconds))")
    if trips.count > 0 {
      Output.print(
        "round trip of \(trips.count): min \(time(trips.smallest)), median "
          + "\(time(trips.percentile(thousandths: 500))), p99 \(time(trips.percentile(thousandths: 990)))")
    }
    for line in figures.statistics.lines(at: Instant.now()) { Output.print(line) }
    for figure in figures.sys { Output.print(figure.topic.escaped + "  " + figure.text) }
    guard figures.sys.isEmpty else { return }
    Output.print(
      figures.isRefused
        ? "the broker does not allow reading $SYS" : "nothing was received on $SYS: not allowed or not supported")
  }

  private static func json(_ figures: Figures) -> JSON {
    func trip(_ thousandths: UInt64) -> JSON {
      figures.trips.count == 0 ? .null : .number(figures.trips.percentile(thousandths: thousandths))
    }
    let list = figures.sys.map {
      JSON.object(["topic": .string($0.topic), "value": .string($0.text)])
    }
    return .object(
      [
        JSON.Member(name: "url", value: .string(figures.url)),
        JSON.Member(name: "protocol", value: .string(figures.version)),
        JSON.Member(name: "connect_microseconds", value: .number(figures.connectMicroseconds)),
        JSON.Member(name: "round_trip_min_microseconds", value: trip(1)),
        JSON.Member(name: "round_trip_median_microseconds", value: trip(500)),
        JSON.Member(name: "round_trip_p99_microseconds", value: trip(990)),
      ] + figures.statistics.members(at: Instant.now()) + [JSON.Member(name: "sys", value: .array(list))])
  }
}

extension RequestSession {
  /// Measures the time until the response to an UNSUBSCRIBE for a topic without a subscription; `nil` if there is no
  /// response.
  ///
  /// No access list forbids this request, and it does not affect other clients.
  func roundTrip(_ number: Int) -> Duration? {
    let began = Instant.now()
    return unsubscribe("tappet/round-trip/\(number)") ? Instant.now() - began : nil
  }
}
