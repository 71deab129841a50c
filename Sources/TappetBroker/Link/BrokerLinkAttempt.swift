// One connection attempt: it tries the addresses in order, and MQTT 3.1.1 after MQTT 5, all within one deadline.

import TappetCore

/// The addresses of one attempt and its deadlines.
struct BrokerLinkAttempt {
  /// The endpoint to reach.
  let endpoint: BrokerEndpoint
  /// The MQTT version being tried.
  private(set) var version: MQTTVersion
  /// Failure of the attempt with MQTT 5, if 3.1.1 is being tried instead.
  private(set) var failureOfMQTT5: LinkFailure?
  /// Whether the broker is assumed to support retained messages.
  private(set) var keepsRetained: Bool
  /// The interval to request, in seconds, which the broker may limit.
  private(set) var keepaliveSeconds: UInt16
  /// Whether the last will has QoS 0, to find out whether the broker rejects QoS 1.
  private(set) var testsQoS0 = false
  /// Deadline of the whole attempt.
  let deadline: Instant
  /// Deadline for the current address.
  private(set) var addressDeadline: Instant
  private var remaining: ArraySlice<String>
  private var address: String?
  private let mayFallBack: Bool
  private let mqtt5: MQTT5Support

  /// Creates an attempt that has not tried any address yet.
  init(
    _ settings: BrokerSettings, endpoint: BrokerEndpoint, mqtt5: MQTT5Support, keepsRetained: Bool = true,
    addresses: [String], deadline: Instant
  ) {
    self.endpoint = endpoint
    self.mqtt5 = mqtt5
    self.keepsRetained = keepsRetained
    mayFallBack = settings.version == nil
    version = mayFallBack && mqtt5 == .absent ? .v311 : settings.firstVersion(for: endpoint)
    keepaliveSeconds = settings.keepaliveSeconds
    self.deadline = deadline
    addressDeadline = deadline
    remaining = addresses[...]
  }

  /// Returns the next address, which gets an equal share of the remaining time; `nil` if no address is left.
  mutating func nextAddress(at now: Instant) -> String? {
    guard let address = remaining.first else { return nil }
    addressDeadline = now + (deadline - now) / remaining.count
    remaining = remaining.dropFirst()
    self.address = address
    return address
  }

  /// Whether success would be the first evidence that the broker supports MQTT 5.
  var findsMQTT5: Bool { mayFallBack && version == .v5 && mqtt5 != .present }

  /// Returns whether to try the same address with MQTT 3.1.1, because the broker may not support MQTT 5.
  mutating func fallsBack(after failure: LinkFailure) -> Bool {
    guard mayFallBack, version == .v5, let address,
      mqtt5 == .present ? failure.excludesMQTT5 : failure.mayRefuseMQTT5
    else { return false }
    version = .v311
    failureOfMQTT5 = failure
    remaining = [address] + remaining
    return true
  }

  /// Returns whether to try the same address with a shorter keepalive.
  ///
  /// A broker refuses one above its limit with the code of a bad client id, because MQTT 3.1.1 has no other (mosquitto:
  /// `max_keepalive`).
  mutating func shortensKeepalive(after failure: LinkFailure) -> Bool {
    guard failure == .connack(.identifierRejected), let address,
      let shorter = Limits.keepaliveFallbackSeconds.first(where: { $0 < keepaliveSeconds })
    else { return false }
    keepaliveSeconds = shorter
    remaining = [address] + remaining
    return true
  }

  /// Returns whether to try the same address with a lesser will: first without the retain flag, which the kiosk can do
  /// without, then with QoS 0, to find out whether QoS 1 is the cause.
  ///
  /// MQTT 3.1.1 has no reason code for either: the broker just closes the connection.
  mutating func lessensWill(after failure: LinkFailure) -> Bool {
    let hungUp = version != .v5 && failure.isHangUpAtConnect
    guard let address else { return false }
    if keepsRetained, hungUp || failure == .refused(.retainNotSupported) {
      keepsRetained = false
    } else if !testsQoS0, hungUp {
      testsQoS0 = true
    } else {
      return false
    }
    remaining = [address] + remaining
    return true
  }
}

extension LinkFailure {
  /// Whether the broker responded to CONNECT by closing the connection.
  fileprivate var isHangUpAtConnect: Bool { if case .closedBeforeConnack = self { true } else { false } }

  /// Whether a different address of the same host may work.
  var isOfTheAddress: Bool {
    if case .unreachable = self { return true }
    return self == .connectionRefused || self == .connectTimedOut
  }
}
