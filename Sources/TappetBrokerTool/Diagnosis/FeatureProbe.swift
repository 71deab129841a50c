// Tests the broker's features, each with messages on a unique topic.

import TappetBroker
import TappetCommandLine
import TappetCore
import TappetMessages
import TappetPlatform

/// Tests the broker's features one after another, below a unique topic.
struct FeatureProbe {
  private let dialogue: RequestSession
  private let base: String

  init(_ dialogue: RequestSession, base: String) {
    self.dialogue = dialogue
    self.base = base
  }

  /// Tests the features, stopping if the broker disconnects: some brokers deny requests by disconnecting.
  func findings() throws(CommandFailure) -> [ProbeFinding] {
    let trials: [() -> ProbeFinding] = [
      { trip("QoS 1", "/qos1", "/qos1", 1) }, { trip("QoS 2", "/qos2", "/qos2", 2) }, retained,
      { trip("wildcards", "/+/wild", "/x/wild", 1) }, shared,
    ]
    var findings: [ProbeFinding] = []
    for trial in trials {
      findings.append(trial())
      guard let loss = dialogue.loss else {
        try dialogue.requireConnection()
        continue
      }
      findings.append(ProbeFinding(subject: "connection", verdict: .bad, text: "lost during a test: \(loss.sentence)"))
      break
    }
    return findings
  }

  private func trip(_ subject: String, _ filter: String, _ topic: String, _ qos: Int32) -> ProbeFinding {
    roundTrip(subject, filter: base + filter, topic: base + topic, qos: qos)
  }

  private func shared() -> ProbeFinding {
    roundTrip("shared subscriptions", filter: "$share/tappet/\(base)/shared", topic: base + "/shared", qos: 1)
  }

  /// Returns the finding for the response to a subscription.
  static func finding(_ subject: String, _ filter: String, _ grant: RequestSession.Grant) -> ProbeFinding {
    switch grant {
    case .granted(let qos):
      ProbeFinding(subject: subject, verdict: .good, text: "reading \(filter) is allowed, with QoS \(qos)")
    case .refused(let reason):
      ProbeFinding(
        subject: subject, verdict: .bad,
        text: "reading \(filter) is denied: \(LinkFailure.subscriptionRefusal(reason))")
    case .none: ProbeFinding(subject: subject, verdict: .bad, text: "\(filter): no response to the subscription")
    }
  }

  private func roundTrip(_ subject: String, filter: String, topic: String, qos: Int32) -> ProbeFinding {
    let grant = dialogue.subscribe(filter, qos: qos)
    guard case .granted(let granted) = grant else { return Self.finding(subject, filter, grant) }
    guard granted == qos else {
      return ProbeFinding(subject: subject, verdict: .bad, text: "only QoS \(granted) is granted")
    }
    let began = Instant.now()
    if let refusal = refusal(subject, dialogue.publish(topic, Array(topic.utf8), qos: qos)) { return refusal }
    guard dialogue.message(where: { $0.topic == topic && $0.qos == qos }) != nil else {
      return ProbeFinding(
        subject: subject, verdict: .bad,
        text: "acknowledged, but the message was not received back; check the access list")
    }
    let time = ConnectReport.milliseconds((Instant.now() - began).wholeNanoseconds / 1000)
    return ProbeFinding(subject: subject, verdict: .good, text: "round trip in \(time)")
  }

  /// Publishes a retained message, receives it, and clears it.
  private func retained() -> ProbeFinding {
    let (subject, topic) = ("retained messages", base + "/retained")
    if let refusal = refusal(subject, dialogue.publish(topic, Array("kept".utf8), isRetained: true)) { return refusal }
    let grant = dialogue.subscribe(topic, qos: 1)
    guard case .granted = grant else { return Self.finding(subject, topic, grant) }
    let isKept = dialogue.message { $0.topic == topic && $0.isRetained } != nil
    _ = dialogue.publish(topic, [], isRetained: true)
    return isKept
      ? ProbeFinding(subject: subject, verdict: .good, text: "retained, and cleared again")
      : ProbeFinding(
        subject: subject, verdict: .bad, text: "not retained: later subscribers do not receive the kiosk's status")
  }

  private func refusal(_ subject: String, _ answer: RequestSession.Answer) -> ProbeFinding? {
    switch answer {
    case .taken: nil
    case .refused(let code):
      ProbeFinding(subject: subject, verdict: .bad, text: "refused: \(LinkFailure.publishRefusal(code))")
    case .none: ProbeFinding(subject: subject, verdict: .bad, text: "no acknowledgement")
    }
  }
}
