// Subscriptions on the link's thread: those of the owner and those to command topics, with the messages received.

import TappetCore

extension BrokerLinkLoop {
  /// Sends a request that has a separate acknowledgement packet; reports `refusal` if libmosquitto rejects its content.
  func send(
    _ request: UInt64, orReport refusal: LinkReception,
    _ call: (BrokerLinkSession) -> (outcome: BrokerLinkSession.Outcome, messageID: Int32)
  ) {
    guard case .up = phase, let session else { return }
    budget.subscribed()
    session.openWindow()
    ask(session, request, orReport: refusal, call)
  }

  /// Subscribes to the command topics and the site's topic; each request is the topic's index in `ownTopics`.
  func subscribeToCommands() {
    guard let session, !current.ownTopics.isEmpty else { return }
    budget.subscribed(upTo: current.siteTopic == nil ? Limits.commandBytesMax : Limits.siteBytesMax, at: now)
    commandFlow = CommandRateLimiter()
    for (index, topic) in current.commandTopics.enumerated() {
      let request = UInt64(index)
      ask(session, request, orReport: .subscribed(request: request, qos: nil)) { $0.subscribeToCommands(topic) }
    }
    guard let topic = current.siteTopic, self.session === session else { return }
    let request = UInt64(current.commandTopics.count)
    ask(session, request, orReport: .subscribed(request: request, qos: nil)) { $0.subscribeToSite(topic) }
  }

  func ask(
    _ session: BrokerLinkSession, _ request: UInt64, orReport refusal: LinkReception?,
    _ call: (BrokerLinkSession) -> (outcome: BrokerLinkSession.Outcome, messageID: Int32)
  ) {
    let (outcome, messageID) = call(session)
    keepalive.sent(at: now)
    if outcome.isSuccess {
      requests.append((messageID, request))
    } else if outcome.refusesMessage {
      if let refusal { receive(refusal) }
    } else {
      ended(session, outcome, socketError: 0)
    }
  }

  /// Returns whether the received messages match our subscriptions.
  func wasAsked(_ messages: [LinkMessage], _ discardedCount: Int) -> Bool {
    if budget.hasSubscribed || messages.isEmpty && discardedCount == 0 { return true }
    return !current.ownTopics.isEmpty
      && messages.allSatisfy { current.commandTopics.contains($0.topic) || current.siteTopic == $0.topic }
  }

  func pass(_ messages: [LinkMessage]) {
    for message in messages {
      guard !current.ownTopics.isEmpty, !budget.hasSubscribed else {
        receive(.message(message))
        continue
      }
      switch commandFlow.admit(message.topic, at: now) {
      case .passed: receive(.message(message))
      case .firstTooMany: receive(.discarded)
      case .tooMany: break
      }
    }
  }

  func takeRequest(_ messageID: Int32) -> UInt64? {
    requests.firstIndex { $0.messageID == messageID }.map { requests.remove(at: $0).request }
  }
}
