// How much a broker may send. libmosquitto takes a PUBLISH of 256 MB, and any number of QoS 2 messages, from a broker
// that was never asked for one (2.0.11 to 2.0.20), so what comes is counted in the kernel.

import TappetCore

/// The bytes that a broker may send on one connection.
struct BrokerLinkBudget {
  /// `nil` once we have subscribed: then it may send what it likes.
  private var allowed: Int64? = Limits.linkUnaskedSizeMax

  /// Whether the link has subscribed to anything.
  var hasSubscribed: Bool { allowed == nil }

  /// Notes that a packet was sent which the broker will answer.
  mutating func asked() { allowed? += Limits.linkAnswerSizeMax }

  /// Handles a subscription.
  mutating func subscribed() { allowed = nil }

  /// Whether this many bytes in all are more than it may send.
  func isExceeded(by received: Int64) -> Bool { allowed.map { received > $0 } ?? false }
}
