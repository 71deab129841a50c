// The counters of a connection, across all reconnects. Reads no clock.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages

/// Message counters, and the connection losses with their reasons.
struct ConnectionStatistics {
  /// A reason for losing a connection, and the number of connections lost for this reason.
  struct Loss {
    var code: String
    var sentence: String
    var count: Int64
  }

  private(set) var received: Int64 = 0
  private(set) var receivedBytes: Int64 = 0
  private(set) var published: Int64 = 0
  private(set) var publishedBytes: Int64 = 0
  /// The losses in the order of their first occurrence.
  private(set) var losses: [Loss] = []
  private(set) var reconnects: Int64 = 0
  /// Start time of the current connection; `nil` if not connected.
  private(set) var connectedSince: Instant?

  mutating func connected(at now: Instant) {
    if !losses.isEmpty { reconnects += 1 }
    connectedSince = now
  }

  mutating func lost(_ failure: LinkFailure) {
    connectedSince = nil
    if let index = losses.firstIndex(where: { $0.code == failure.code }) { return losses[index].count += 1 }
    losses.append(Loss(code: failure.code, sentence: failure.sentence, count: 1))
  }

  mutating func received(bytes: Int) {
    received += 1
    receivedBytes += Int64(bytes)
  }

  mutating func published(bytes: Int) {
    published += 1
    publishedBytes += Int64(bytes)
  }

  /// Returns how long the connection has been up.
  func uptime(at now: Instant) -> Duration { connectedSince.map { now - $0 } ?? .zero }

  /// The reasons for the losses, such as `2 × the broker closed the connection`; empty if there were no losses.
  var reasons: [String] { losses.map { "\($0.count) × \($0.sentence)" } }

  /// Returns human-readable lines.
  func lines(at now: Instant) -> [String] {
    let up = uptime(at: now).wholeMilliseconds
    var lines = [
      connectedSince == nil ? "not connected" : "up for \(up / 1000).\(up % 1000 / 100) s",
      "received \(plural(received, "message")), \(plural(receivedBytes, "byte")); "
        + "published \(published), \(plural(publishedBytes, "byte"))",
    ]
    if reconnects > 0 || !losses.isEmpty { lines.append(plural(reconnects, "reconnect")) }
    return lines + reasons.map { "  " + $0 }
  }

  func members(at now: Instant) -> [JSON.Member] {
    [
      JSON.Member(name: "uptime_milliseconds", value: .number(uptime(at: now).wholeMilliseconds)),
      JSON.Member(name: "received", value: .number(received)),
      JSON.Member(name: "received_bytes", value: .number(receivedBytes)),
      JSON.Member(name: "published", value: .number(published)),
      JSON.Member(name: "published_bytes", value: .number(publishedBytes)),
      JSON.Member(name: "reconnects", value: .number(reconnects)),
      JSON.Member(
        name: "losses",
        value: .array(
          losses.map { .object(["code": .string($0.code), "text": .string($0.sentence), "count": .number($0.count)]) })
      ),
    ]
  }
}
