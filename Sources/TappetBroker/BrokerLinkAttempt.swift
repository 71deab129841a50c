// One attempt to connect: its addresses are tried one after the other, and MQTT 3.1.1 after MQTT 5, all within one
// deadline.

import TappetCore

/// The addresses of one attempt and its deadlines.
struct BrokerLinkAttempt {
  /// The endpoint to reach.
  let endpoint: BrokerEndpoint
  /// The version of MQTT that is tried.
  private(set) var version: MQTTVersion
  /// How the attempt with MQTT 5 ended, once 3.1.1 is tried instead.
  private(set) var failureOfMQTT5: LinkFailure?
  /// When the whole attempt has failed.
  let deadline: Instant
  /// When the current address has failed.
  private(set) var addressDeadline: Instant
  private var remaining: ArraySlice<String>
  private var address: String?
  private let mayFallBack: Bool

  /// An attempt that has not tried any address yet; with `usesFallback` MQTT 5 is known not to work.
  init(
    _ settings: BrokerSettings, endpoint: BrokerEndpoint, usesFallback: Bool, addresses: [String], deadline: Instant
  ) {
    self.endpoint = endpoint
    mayFallBack = settings.version == nil
    version = mayFallBack && usesFallback ? .v311 : settings.firstVersion(for: endpoint)
    self.deadline = deadline
    addressDeadline = deadline
    remaining = addresses[...]
  }

  /// Takes the next address, which gets an equal share of the remaining time; `nil` when there is none.
  mutating func nextAddress(at now: Instant) -> String? {
    guard let address = remaining.first else { return nil }
    addressDeadline = now + (deadline - now) / remaining.count
    remaining = remaining.dropFirst()
    self.address = address
    return address
  }

  /// Whether to try the same address with MQTT 3.1.1, since the broker may not have taken MQTT 5.
  mutating func fallsBack(after failure: LinkFailure) -> Bool {
    guard mayFallBack, version == .v5, failure.mayRefuseMQTT5, let address else { return false }
    version = .v311
    failureOfMQTT5 = failure
    remaining = [address] + remaining
    return true
  }
}

extension LinkFailure {
  /// Whether another address of the same name may work.
  var isOfTheAddress: Bool {
    if case .unreachable = self { return true }
    return self == .connectionRefused || self == .connectTimedOut
  }
}
