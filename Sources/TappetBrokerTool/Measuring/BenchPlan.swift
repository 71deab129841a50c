// The order of a measurement, and what its messages look like.

import TappetCommandLine
import TappetCore

/// The order: how many messages, how often, how large.
struct BenchPlan {
  let topic: String
  let qos: Int32
  let count: Int64
  let perSecond: Int64
  let size: Int
  let isEmqtt: Bool
  /// Publishing clients, which take turns.
  let clients: Int64

  init(_ arguments: Arguments) {
    topic = (arguments.value("topic") ?? "tappet/bench") + "/" + BrokerChoice.nonce()
    qos = Int32(arguments.number("qos") ?? 1)
    perSecond = arguments.number("rate") ?? 100
    count = perSecond * (arguments.number("for") ?? 10)
    clients = arguments.number("clients") ?? 1
    isEmqtt = arguments.value("compat") == "emqtt"
    size = max(16, Int(arguments.number("size") ?? 64))
  }

  /// The topic of a client's messages.
  func topic(of client: Int64) -> String { clients == 1 ? topic : topic + "/\(client)" }

  /// The filter for all of them.
  var filter: String { clients == 1 ? topic : topic + "/+" }

  /// The time between the begin and the message of this number.
  func due(_ number: Int64) -> Duration {
    .nanoseconds(number / perSecond * 1_000_000_000 + number % perSecond * 1_000_000_000 / perSecond)
  }

  /// Counter and time, each of 8 bytes, big-endian: emqtt-bench's `cnt64,ts` has unix milliseconds.
  func payload(_ number: Int64, due: Instant, unixMilliseconds: Int64) -> [UInt8] {
    let head = number.bigEndianBytes + (isEmqtt ? unixMilliseconds : due.nanoseconds).bigEndianBytes
    return head + [UInt8](repeating: 0, count: size - head.count)
  }

  static func number(_ payload: [UInt8], at offset: Int) -> Int64? {
    guard payload.count >= offset + 8 else { return nil }
    return Int64(bigEndianBytes: payload[offset..<offset + 8])
  }
}
