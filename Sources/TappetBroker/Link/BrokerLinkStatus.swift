// The retained status `online`, which others can replace on a live connection: the will of an earlier connection that
// the broker finds dead only now, a bridge that carries such a will from another broker, or any other publisher. The
// link therefore subscribes to its own status. Reads no clock.

import TappetCore

/// Decides when the status must be published again.
struct BrokerLinkStatus {
  /// Number of the subscription to the status, which no owner uses.
  static let request = UInt64.max
  static let online: StaticString = "online"

  private var publishedAt = Instant(nanoseconds: 0)
  /// Time when the status is to be published again; `nil` while the broker has the correct one.
  private(set) var deadline: Instant?
  /// The endpoint on which the link has subscribed to its own status; `nil` if it has not.
  var watched: BrokerEndpoint?
  /// Endpoints that closed the connection after that subscription.
  var unwatched: Set<BrokerEndpoint> = []
  /// Endpoints that do not support retained messages.
  var withoutRetained: Set<BrokerEndpoint> = []

  /// Handles a status from the broker; others that keep replacing it are answered at most every few seconds.
  mutating func received(_ payload: [UInt8], at now: Instant) {
    guard !Self.online.withBytes({ $0.elementsEqual(payload) }) else { return }
    deadline = deadline ?? max(now, publishedAt + Limits.statusIntervalMin)
  }

  /// Handles the publication of `online`.
  mutating func published(at now: Instant) {
    publishedAt = now
    deadline = nil
  }
}

extension BrokerLinkLoop {
  var statusTopic: String { current.statusTopic + "/status" }

  /// Publishes `online`, and then subscribes to it, so that the retained status of before is not received.
  func announceStatus(to endpoint: BrokerEndpoint) {
    guard current.announcesStatus else { return }
    publishOnline()
    guard current.keepsRetained, !status.unwatched.contains(endpoint), let session else { return }
    status.watched = endpoint
    budget.subscribed(upTo: Limits.statusBytesMax, at: now)
    ask(session, BrokerLinkStatus.request, orReport: nil) { $0.subscribeToCommands(statusTopic, qos: 0) }
  }

  func publishOnline() {
    status.published(at: now)
    BrokerLinkStatus.online.withBytes {
      publish(id: nil, topic: statusTopic, payload: $0, qos: 1, isRetained: true)
    }
  }

  /// Handles the received statuses, and returns the other messages.
  func withoutStatus(_ messages: [LinkMessage]) -> [LinkMessage] {
    guard status.watched != nil, messages.contains(where: { $0.topic == statusTopic }) else { return messages }
    for message in messages where message.topic == statusTopic { status.received(message.payload, at: now) }
    return messages.filter { $0.topic != statusTopic }
  }

  /// Handles the end of a connection: a broker that closed it instead of answering the subscription forbids it.
  func stopWatching(after failure: LinkFailure?) {
    let isUnanswered = requests.contains { $0.request == BrokerLinkStatus.request }
    if let endpoint = status.watched, isUnanswered, let failure, failure != .keepaliveExpired,
      failure != .acknowledgeExpired
    {
      status.unwatched.insert(endpoint)
    }
    status.watched = nil
  }
}
