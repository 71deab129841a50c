// 'mqtt stats --prometheus': the statistics in Prometheus' text format, for a textfile collector.

import TappetBroker
import TappetCommandLine
import TappetCore

/// Broker statistics as Prometheus metrics.
struct StatsMetrics {
  private typealias Label = MetricsText.Label
  private typealias Sample = MetricsText.Sample

  private var metrics = MetricsText()

  var text: String { metrics.text }

  mutating func add(connectMicroseconds: Int64, trips: LatencyHistogram) {
    metrics.add(
      "tappet_broker_connect_seconds", .gauge, "Time from name resolution to CONNACK.",
      Sample(value: Self.seconds(connectMicroseconds)))
    guard trips.count > 0 else { return }
    let quantiles = [("0", UInt64(1)), ("0.5", 500), ("0.99", 990)]
    metrics.add(
      "tappet_broker_round_trip_seconds", .gauge, "Time from a request to the broker's response.",
      quantiles.map { quantile, thousandths in
        Sample(Label("quantile", quantile), value: Self.seconds(trips.percentile(thousandths: thousandths)))
      })
  }

  /// Adds the numeric values among the statistics that the broker publishes under $SYS.
  mutating func add(_ figures: [LinkMessage]) {
    metrics.add(
      "tappet_broker_sys", .gauge, "Statistics that the broker publishes below $SYS.",
      figures.compactMap { figure in
        Self.number(figure.payload).map { Sample(Label("topic", figure.topic), value: $0) }
      })
  }

  private static func seconds(_ microseconds: Int64) -> String {
    "\(microseconds / 1_000_000)." + String(1_000_000 + microseconds % 1_000_000).dropFirst()
  }

  /// Returns the number at the start of `12.50` or `310 seconds`; `nil` for words, versions and the like.
  static func number(_ payload: [UInt8]) -> String? {
    let word = payload.prefix { $0 != UInt8(ascii: " ") }
    let digits = word.first == UInt8(ascii: "-") ? word.dropFirst() : word
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isNumber =
      (1...2).contains(parts.count)
      && parts.allSatisfy { part in
        !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      }
    return isNumber && word.count <= 40 ? String(decoding: word, as: UTF8.self) : nil
  }
}
