// The parameters of a measurement, and the format of its messages.

import TappetCommandLine
import TappetCore

/// The parameters: number of messages, rate and size.
struct BenchPlan {
  let topic: String
  let qos: Int32
  let count: Int64
  let perSecond: Int64
  let size: Int
  /// Number of publishing clients, which take turns.
  let clients: Int64

  init(_ arguments: Arguments) {
    topic = (arguments.value("topic") ?? "tappet/bench") + "/" + BrokerChoice.nonce()
    qos = Int32(arguments.number("qos") ?? 1)
    perSecond = arguments.number("rate") ?? 100
    count = perSecond * (arguments.number("for") ?? 10)
    clients = arguments.number("clients") ?? 1
    size = max(16, Int(arguments.number("size") ?? 64))
  }

  /// Returns the topic of a client's messages.
  func topic(of client: Int64) -> String { clients == 1 ? topic : topic + "/\(client)" }

  /// The filter for the messages of all clients.
  var filter: String { clients == 1 ? topic : topic + "/+" }

  /// Returns when message `number` is due, relative to the start.
  func due(_ number: Int64) -> Duration {
    .nanoseconds(number / perSecond * 1_000_000_000 + number % perSecond * 1_000_000_000 / perSecond)
  }

  /// Returns the counter and the time, 8 bytes each, big-endian.
  func payload(_ number: Int64, due: Instant) -> [UInt8] {
    let head = number.bigEndianBytes + due.nanoseconds.bigEndianBytes
    return head + [UInt8](repeating: 0, count: size - head.count)
  }

  static func number(_ payload: [UInt8], at offset: Int) -> Int64? {
    guard payload.count >= offset + 8 else { return nil }
    return Int64(bigEndianBytes: payload[offset..<offset + 8])
  }
}
