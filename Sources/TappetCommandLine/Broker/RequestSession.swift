// Sequential requests to the broker and their responses, on one connection.

import TappetBroker
import TappetCore
import TappetMessages
import TappetPlatform

/// Sends requests over a connected client, and waits for each response.
package final class RequestSession {
  /// The response to SUBSCRIBE.
  package enum Grant {
    case granted(Int32)
    case refused(UInt8)
    case none
  }

  /// The response to PUBLISH.
  package enum Answer {
    case taken(isHeard: Bool)
    case refused(Int32)
    case none
  }

  package let client: BrokerClient
  /// Received messages that have not been consumed.
  package private(set) var messages: [LinkMessage] = []
  /// The reason why the connection ended; `nil` while it is up.
  package private(set) var loss: LinkFailure?
  /// Whether a message exceeded the size limit and was discarded.
  package private(set) var hasDiscarded = false
  private var isInterrupted = false
  private var grants: [UInt64: Grant] = [:]
  private var answers: [UInt64: Answer] = [:]
  private var ended: Set<UInt64> = []
  private var count: UInt64 = 0

  package init(_ client: BrokerClient) { self.client = client }

  /// Throws if a signal has arrived or the connection is lost.
  package func requireConnection() throws(CommandFailure) {
    if isInterrupted { throw .interrupted }
    if let loss { throw .unconnected(loss.sentence, loss) }
  }

  package func subscribe(_ filter: String, qos: Int32) -> Grant {
    count += 1
    let request = count
    _ = client.link.subscribe(request: request, filter: filter, qos: qos)
    wait { $0.grants[request] != nil }
    return grants.removeValue(forKey: request) ?? .none
  }

  @export(interface)
  package func publish(
    _ topic: String, _ payload: [UInt8], qos: Int32 = 1, isRetained: Bool = false,
    limit: Duration = Limits.deliveryProbeMax
  ) -> Answer {
    count += 1
    let id = count
    client.link.publish(
      id: EntryID(high: 0, low: id), topic: topic, payload: payload, qos: qos, isRetained: isRetained)
    wait(until: { $0.answers[id] != nil }, limit: Instant.now() + limit)
    return answers.removeValue(forKey: id) ?? .none
  }

  /// Returns the first matching message and discards earlier messages; waits until `limit`, or for the probe timeout.
  package func message(until limit: Instant? = nil, where fits: (LinkMessage) -> Bool) -> LinkMessage? {
    wait(until: { $0.messages.contains(where: fits) || $0.hasDiscarded }, limit: limit)
    guard let index = messages.firstIndex(where: fits) else { return nil }
    defer { messages.removeFirst(index + 1) }
    return messages[index]
  }

  /// Ends a subscription; returns false if the broker does not respond.
  package func unsubscribe(_ filter: String) -> Bool {
    count += 1
    let request = count
    _ = client.link.unsubscribe(request: request, filter: filter)
    wait { $0.ended.contains(request) }
    return ended.remove(request) != nil
  }

  /// Receives messages for the given time, or until a message matches.
  package func collect(until time: Duration, orUntil fits: (LinkMessage) -> Bool = { _ in false }) {
    let end = Instant.now() + time
    wait(until: { Instant.now() >= end || $0.messages.contains(where: fits) }, limit: end)
  }

  private func wait(until isDone: (RequestSession) -> Bool, limit: Instant? = nil) {
    let limit = limit ?? Instant.now() + Limits.deliveryProbeMax
    while !isDone(self), loss == nil, !isInterrupted, Instant.now() < limit {
      let news = client.wait(until: limit)
      isInterrupted = news.isInterrupted
      for event in news.events { note(event) }
      for reception in news.receptions { note(reception) }
    }
  }

  private func note(_ event: LinkEvent) {
    switch event {
    case .acknowledged(let id): answers[id.low] = .taken(isHeard: true)
    case .acknowledgedUnheard(let id): answers[id.low] = .taken(isHeard: false)
    case .publishRefused(let id, let code): answers[id.low] = .refused(code)
    case .failed(let failure), .lost(let failure): loss = failure
    case .connected, .disconnected, .didFallBack, .foundMQTT5, .lacksRetained: break
    }
  }

  private func note(_ reception: LinkReception) {
    switch reception {
    case .message(let message): messages.append(message)
    case .subscribed(let request, let qos, let reason): grants[request] = qos.map { .granted($0) } ?? .refused(reason)
    case .unsubscribed(let request, _): ended.insert(request)
    case .discarded: hasDiscarded = true
    }
  }
}
