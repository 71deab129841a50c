// tappet check --deliver: sends a test message to each action's topic and waits for its return. Each action uses a
// separate connection, because some brokers disconnect a client that sends a message they do not allow.

import CPlatform
import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// The verdict on one part.
package enum CheckResult {
  case good
  /// Neither good nor bad: not tested, or still missing.
  case note
  case bad
}

/// A test message that is sent to a topic and received back.
package struct DeliveryProbe {
  private enum Answer {
    case taken(isHeard: Bool)
    case refused(code: Int32)
    case connectionEnded(LinkFailure)
  }

  private let topic: String
  private let payload: [UInt8]
  private let link: BrokerLink
  private let events: Mailbox<LinkEvent>
  private let receptions: Mailbox<LinkReception>
  private var usesMQTT5: Bool
  private var isConnected = false
  /// Whether the broker permits subscribing to the topic; `nil` until the broker responds.
  private var isSubscribed: Bool?
  private var answer: Answer?
  private var hasReturned = false

  /// Sends a test message to the action's topic at this endpoint, and waits for its return.
  @export(interface)
  package static func finding(
    _ settings: BrokerSettings, endpoint: Int, _ action: Action, topic: String
  ) -> (verdict: CheckResult, text: String) {
    do throws(SystemError) {
      var probe = try DeliveryProbe(settings.forProbe, endpoint: endpoint, topic: topic)
      defer { probe.link.shutdown() }
      probe.run(endpoint: endpoint)
      let finding = probe.finding
      return (finding.verdict, "\(action.name): \(finding.text)")
    } catch { return (.bad, "\(action.name): the link cannot be set up: \(error.call): \(error.text)") }
  }

  private init(_ settings: BrokerSettings, endpoint: Int, topic: String) throws(SystemError) {
    self.topic = topic
    // Distinguishes this message from other clients' test messages.
    let nonce = (try? LibCrypto.random(count: 8)).map { Hex.encode($0) } ?? ""
    payload = Array("tappet check \(nonce)".utf8)
    usesMQTT5 = settings.firstVersion(for: settings.endpoints[endpoint]) == .v5
    let (events, receptions) = (try Mailbox<LinkEvent>(), try Mailbox<LinkReception>())
    link = try BrokerLink(settings: settings, post: { events.post($0) }, receive: { receptions.post($0) })
    self.events = events
    self.receptions = receptions
  }

  // MARK: Round trip

  private mutating func run(endpoint: Int) {
    link.connect(endpoint: endpoint)
    wait(Limits.connectTimeout + .seconds(2)) { $0.isConnected || $0.answer != nil }
    guard isConnected else { return }
    _ = link.subscribe(request: 1, filter: topic, qos: 1)
    wait(Limits.deliveryProbeMax) { $0.isSubscribed != nil || $0.answer != nil }
    link.publish(id: EntryID(high: 0, low: 1), topic: topic, payload: payload, isRetained: false)
    wait(Limits.deliveryProbeMax) { $0.isSettled }
  }

  private var isSettled: Bool {
    switch answer {
    case nil: false
    case .taken: hasReturned || isSubscribed != true
    case .refused, .connectionEnded: true
    }
  }

  private mutating func wait(_ time: Duration, until isDone: (Self) -> Bool) {
    let limit = SystemClock().now().instant + time
    while !isDone(self), case let remaining = limit - SystemClock().now().instant, remaining > .zero {
      _ = Poll.wait([(events.fileDescriptor, .readable), (receptions.fileDescriptor, .readable)], for: remaining)
      for event in events.drain() { note(event) }
      for reception in receptions.drain() { note(reception) }
    }
  }

  private mutating func note(_ event: LinkEvent) {
    switch event {
    case .didFallBack: usesMQTT5 = false
    case .connected: isConnected = true
    case .failed(let failure), .lost(let failure): answer = answer ?? .connectionEnded(failure)
    case .acknowledged: answer = .taken(isHeard: true)
    case .acknowledgedUnheard: answer = .taken(isHeard: false)
    case .publishRefused(_, let code): answer = .refused(code: code)
    case .foundMQTT5, .lacksRetained, .disconnected: break
    }
  }

  private mutating func note(_ reception: LinkReception) {
    switch reception {
    case .subscribed(_, let qos, _): isSubscribed = qos != nil
    case .message(let message): if message.payload == payload { hasReturned = true }
    case .unsubscribed, .discarded: break
    }
  }

  // MARK: The verdict

  private var finding: (verdict: CheckResult, text: String) {
    switch answer {
    case nil:
      return (.bad, "\(topic) was not acknowledged in \(Limits.deliveryProbeMax.wholeMilliseconds / 1000) s")
    case .refused(let code): return (.bad, "\(topic) is refused: \(LinkFailure.publishRefusal(code))")
    case .connectionEnded(let failure): return (.bad, "\(topic) was not sent: \(failure.sentence)")
    case .taken(let isHeard):
      if hasReturned { return (.good, "a message to \(topic) was accepted and received back") }
      if usesMQTT5 { return (.note, takenText(isHeard: isHeard)) }
      return (
        isSubscribed == true ? .bad : .note,
        "\(topic) was acknowledged, but the message was not received back: with MQTT 3.1.1, a broker acknowledges "
          + "messages that its access list denies; see its log"
      )
    }
  }

  private func takenText(isHeard: Bool) -> String {
    let why =
      isSubscribed == true
      ? "it was not received back, so this client may lack permission to read the topic"
      : "this client is not allowed to subscribe and receive it back"
    return "a message to \(topic) was accepted; \(why)" + (isHeard ? "" : ", and the topic has no other subscriber")
  }
}
