// One attempt to connect: its addresses are tried one after the other, all within one deadline.

import TappetCore

/// The addresses of one attempt and its deadlines.
struct BrokerLinkAttempt {
  /// The endpoint to reach.
  let endpoint: BrokerEndpoint
  /// When the whole attempt has failed.
  let deadline: Instant
  /// When the current address has failed.
  private(set) var addressDeadline: Instant
  private var remaining: ArraySlice<String>

  /// An attempt that has not tried any address yet.
  init(endpoint: BrokerEndpoint, addresses: [String], deadline: Instant) {
    self.endpoint = endpoint
    self.deadline = deadline
    addressDeadline = deadline
    remaining = addresses[...]
  }

  /// Takes the next address, which gets an equal share of the remaining time; `nil` when there is none.
  mutating func nextAddress(at now: Instant) -> String? {
    guard let address = remaining.first else { return nil }
    addressDeadline = now + (deadline - now) / remaining.count
    remaining = remaining.dropFirst()
    return address
  }
}

extension LinkFailure {
  /// Whether another address of the same name may work.
  var isOfTheAddress: Bool {
    if case .unreachable = self { return true }
    return self == .connectionRefused || self == .connectTimedOut
  }
}
