// tappet mqtt stats: the round trip to the broker, and what it says about itself below $SYS.

import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// Measures round trips that need no rights, and lists the broker's own figures.
enum StatsCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    let began = Instant.now()
    let usesMQTT5 = try client.connectToAny()
    let connected = (Instant.now() - began).wholeNanoseconds / 1000
    let dialogue = BrokerDialogue(client)
    var trips = LatencyHistogram()
    for number in 0..<Limits.roundTripsMeasured {
      guard let time = dialogue.roundTrip(number) else { break }
      trips.add(time.wholeNanoseconds / 1000)
    }
    try dialogue.requireConnection()
    let grant = dialogue.subscribe("$SYS/#", qos: 0)
    dialogue.collect(until: Limits.retainedQuietMax)
    try dialogue.requireConnection()
    var isRefused = true
    if case .granted = grant { isRefused = false }
    let figures = dialogue.messages.filter { $0.topic.begins(with: "$SYS/") }
    if let report = arguments.report {
      report.set(json(client, usesMQTT5, connected, trips, figures))
    } else if arguments.has("prometheus") {
      var metrics = StatsMetrics()
      metrics.add(connectMicroseconds: connected, trips: trips)
      metrics.add(figures)
      Output.write(metrics.text)
    } else {
      print(client, usesMQTT5, connected, trips, figures, isRefused: isRefused)
    }
  }

  private static func print(
    _ client: BrokerClient, _ usesMQTT5: Bool, _ connected: Int64, _ trips: LatencyHistogram,
    _ figures: [LinkMessage], isRefused: Bool
  ) {
    let time = ConnectReport.milliseconds
    let name = client.settings.endpoints[client.endpoint].text
    Output.print("connected to \(name) with MQTT \(usesMQTT5 ? "5" : "3.1.1") in \(time(connected))")
    if trips.count > 0 {
      Output.print(
        "round trip of \(trips.count): min \(time(trips.smallest)), median "
          + "\(time(trips.percentile(thousandths: 500))), p99 \(time(trips.percentile(thousandths: 990)))")
    }
    for figure in figures { Output.print(figure.topic.visible + "  " + figure.text(asHex: false)) }
    guard figures.isEmpty else { return }
    Output.print(isRefused ? "the broker does not let us read $SYS" : "nothing came on $SYS: not allowed, or not there")
  }

  private static func json(
    _ client: BrokerClient, _ usesMQTT5: Bool, _ connected: Int64, _ trips: LatencyHistogram, _ figures: [LinkMessage]
  ) -> JSON {
    func trip(_ thousandths: UInt64) -> JSON {
      trips.count == 0 ? .null : .number(trips.percentile(thousandths: thousandths))
    }
    let list = figures.map { JSON.object(["topic": .string($0.topic), "value": .string($0.text(asHex: false))]) }
    return .object([
      "url": .string(client.settings.endpoints[client.endpoint].text), "protocol": .string(usesMQTT5 ? "5" : "3.1.1"),
      "connect_microseconds": .number(connected), "round_trip_min_microseconds": trip(1),
      "round_trip_median_microseconds": trip(500), "round_trip_p99_microseconds": trip(990), "sys": .array(list),
    ])
  }
}

extension BrokerDialogue {
  /// The time from an UNSUBSCRIBE for what was never subscribed to its answer; `nil` without an answer.
  ///
  /// No access list forbids it, and nobody else notices it.
  func roundTrip(_ number: Int) -> Duration? {
    let began = Instant.now()
    return unsubscribe("tappet/round-trip/\(number)") ? Instant.now() - began : nil
  }
}
