// The result of a measurement with its histogram, as text and as JSON.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON

/// The results of one run.
struct BenchResult {
  var plan: BenchPlan?
  var sent: Int64 = 0
  var acknowledged: Int64 = 0
  var refused: Int64 = 0
  /// Distinct messages received.
  var received: Int64 = 0
  var lost: Int64 = 0
  var duplicates: Int64 = 0
  /// Messages that arrived after a message sent later.
  var disordered: Int64 = 0
  var elapsed: Duration = .zero
  /// Memory per client; `nil` if there were too few clients to measure it.
  var bytesPerClient: Int64?
  var latencies = LatencyHistogram()
  /// Delays between a message's due time and its handover to the connection, caused by this program itself.
  var lateness = LatencyHistogram()

  private static let percentiles: [(String, UInt64)] = [
    ("p50", 500), ("p90", 900), ("p99", 990), ("p99.9", 999),
  ]

  private var perSecond: Int64 { received * 1000 / max(1, elapsed.wholeMilliseconds) }

  func print() {
    Output.print("sent \(sent), acknowledged \(acknowledged), refused \(refused)")
    Output.print(
      "received \(received) (\(perSecond) per second), lost \(lost), duplicates \(duplicates), "
        + "out of order \(disordered)"
    )
    if let plan, plan.clients > 1 {
      let memory = bytesPerClient.map { ", \($0 / 1000) KB of memory each" } ?? ""
      Output.print("\(plan.clients) clients\(memory)")
    }
    guard latencies.count > 0 else { return }
    Output.print("latency from the time at which a message was due, in µs:")
    Output.print("  " + Self.line(latencies))
    Output.print("of that, until handed to the connection (the tool's own share):")
    Output.print("  " + Self.line(lateness))
    for (upper, count) in latencies.doublings { Output.print(Self.bar(upper, count, of: latencies.count)) }
  }

  private static func line(_ histogram: LatencyHistogram) -> String {
    let values = percentiles.map { name, share in "\(name) \(histogram.percentile(thousandths: share))" }
    return (["min \(histogram.smallest)"] + values + ["max \(histogram.largest)"]).joined(separator: "  ")
  }

  private static func bar(_ upper: Int64, _ count: UInt64, of all: UInt64) -> String {
    let label = "< \(upper)"
    let width = Int(count * 40 / max(1, all))
    return "  " + String(repeating: " ", count: max(0, 12 - label.utf8.count)) + label + " "
      + String(repeating: "#", count: width) + (count > 0 && width == 0 ? "." : "") + " \(count)"
  }

  var json: JSON {
    .object([
      "topic": .optional(plan?.topic), "clients": .number(plan?.clients ?? 0),
      "bytes_per_client": bytesPerClient.map { .number($0) } ?? .null, "qos": .number(Int64(plan?.qos ?? 0)),
      "rate": .number(plan?.perSecond ?? 0),
      "size": .number(Int64(plan?.size ?? 0)), "sent": .number(sent), "acknowledged": .number(acknowledged),
      "refused": .number(refused), "received": .number(received), "lost": .number(lost),
      "duplicates": .number(duplicates), "disordered": .number(disordered), "per_second": .number(perSecond),
      "latency_microseconds": Self.json(latencies), "lateness_microseconds": Self.json(lateness),
    ])
  }

  private static func json(_ histogram: LatencyHistogram) -> JSON {
    guard histogram.count > 0 else { return .null }
    func value(_ thousandths: UInt64) -> JSON { .number(histogram.percentile(thousandths: thousandths)) }
    return .object([
      "min": .number(histogram.smallest), "p50": value(500), "p90": value(900), "p99": value(990), "p999": value(999),
      "max": .number(histogram.largest),
    ])
  }
}
