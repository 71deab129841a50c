// 'mqtt stats --prometheus': the figures as Prometheus' text format has them, for a textfile collector.

import TappetBroker
import TappetCore

/// Figures by name, label and value.
struct StatsMetrics {
  private(set) var text = ""

  private mutating func declare(_ name: String, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) gauge\n"
  }

  mutating func add(connectMicroseconds: Int64, trips: LatencyHistogram) {
    declare("tappet_broker_connect_seconds", "Time from the broker's name to CONNACK.")
    text += "tappet_broker_connect_seconds \(Self.seconds(connectMicroseconds))\n"
    guard trips.count > 0 else { return }
    declare("tappet_broker_round_trip_seconds", "Time from a request to the broker's answer.")
    for (quantile, thousandths) in [("0", UInt64(1)), ("0.5", 500), ("0.99", 990)] {
      let value = Self.seconds(trips.percentile(thousandths: thousandths))
      text += "tappet_broker_round_trip_seconds{quantile=\"\(quantile)\"} \(value)\n"
    }
  }

  /// The broker's own figures, as far as they are numbers.
  mutating func add(_ figures: [LinkMessage]) {
    let numbers = figures.compactMap { figure in
      Self.number(figure.payload).map { (topic: figure.topic, value: $0) }
    }
    guard !numbers.isEmpty else { return }
    declare("tappet_broker_sys", "What the broker says about itself below $SYS.")
    for (topic, value) in numbers { text += "tappet_broker_sys{topic=\"\(Self.label(topic))\"} \(value)\n" }
  }

  private static func seconds(_ microseconds: Int64) -> String {
    "\(microseconds / 1_000_000)." + String(1_000_000 + microseconds % 1_000_000).dropFirst()
  }

  /// The number at the start of `12.50` or `310 seconds`; `nil` for words, versions and the like.
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

  /// A label's value: a backslash, a quote and a line end are escaped.
  static func label(_ text: String) -> String {
    var label = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": label += "\\\\"
      case "\"": label += "\\\""
      case "\n": label += "\\n"
      default: label.unicodeScalars.append(scalar)
      }
    }
    return label
  }
}
