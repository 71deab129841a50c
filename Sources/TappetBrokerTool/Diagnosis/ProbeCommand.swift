// tappet mqtt probe: tests which features the broker supports and what it permits this client to do.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// One finding about the broker.
struct ProbeFinding {
  var subject: String
  var verdict: CheckResult
  var text: String

  var json: JSON {
    .object([
      "subject": .string(subject), "good": verdict == .note ? .null : .bool(verdict == .good), "text": .string(text),
    ])
  }

  func print() {
    let mark =
      switch verdict {
      case .good: "ok  "
      case .note: "note"
      case .bad: "no  "
      }
    Output.print("\(mark)  \(Help.padded(subject, 20))  \(text)")
  }
}

/// Tests the broker's features on separate topics, and the permissions on the configured topics.
enum ProbeCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let settings = try BrokerChoice.settings(arguments)
    let isKiosk = arguments.has("kiosk") || !arguments.has("url")
    let configuration = isKiosk ? try KioskAccess.load(arguments) : nil
    let base = (arguments.value("topic") ?? "tappet/probe") + "/" + BrokerChoice.nonce()
    try requireConsent(arguments, base, configuration)
    let trace = ConnackTrace()
    let client = try BrokerClient(settings) { trace.note($0) }
    defer { client.shutdown() }
    let usesMQTT5 = try client.connectToAny()
    var findings = usesMQTT5 ? trace.findings : [ProbeFinding.version311]
    let dialogue = RequestSession(client)
    findings += try FeatureProbe(dialogue, base: base).findings()
    if dialogue.loss != nil { _ = try client.connectToAny() }
    if let configuration { findings += rights(configuration, settings, client) }
    if let report = arguments.report {
      report.set(.object(["findings": .array(findings.map { $0.json })]))
    } else {
      for finding in findings { finding.print() }
    }
    if findings.contains(where: { $0.verdict == .bad }) { throw .found }
  }

  private static func requireConsent(
    _ arguments: Arguments, _ base: String, _ configuration: KioskConfiguration?
  ) throws(CommandFailure) {
    let topics = ([base + "/…"] + (configuration?.actions.compactMap { $0.sampleTopic } ?? [])).joined(separator: ", ")
    guard try Prompt.isNeeded(for: "test messages are published to \(topics)", arguments) else { return }
    Output.printError("Test messages will be sent to: \(topics)")
    guard Prompt().confirm("Send them?", default: false) == true else { throw .refused("nothing was sent") }
  }

  /// Tests the permissions of this certificate or login on the configured topics.
  private static func rights(
    _ configuration: KioskConfiguration, _ settings: BrokerSettings, _ client: BrokerClient
  ) -> [ProbeFinding] {
    var findings: [ProbeFinding] = []
    for action in configuration.actions {
      guard let topic = action.sampleTopic else { continue }
      let found = DeliveryProbe.finding(settings, endpoint: client.endpoint, action, topic: topic)
      findings.append(ProbeFinding(subject: "publish", verdict: found.verdict, text: found.text))
    }
    let dialogue = RequestSession(client)
    for plan in configuration.commands {
      findings.append(FeatureProbe.finding("commands", plan.topic, dialogue.subscribe(plan.topic, qos: 1)))
    }
    return findings
  }
}

/// Receives the properties of CONNACK from the link's thread.
final class ConnackTrace: Sendable {
  private let facts = Mutexed<ConnackFacts?>(nil)

  func note(_ step: LinkStep) {
    guard case .answered(let properties) = step else { return }
    facts.locked { $0 = ConnackFacts(properties) }
  }

  /// The capabilities that the broker states in CONNACK.
  var findings: [ProbeFinding] {
    guard let facts = facts.locked({ $0 }) else { return [] }
    func says(_ subject: String, _ text: String) -> ProbeFinding {
      ProbeFinding(subject: subject, verdict: .note, text: text)
    }
    return [
      ProbeFinding(subject: "MQTT 5", verdict: .good, text: "supported"),
      says("messages in flight", facts.receiveMaximum.map { "\($0)" } ?? "65535, the default"),
      says("packet size", facts.maximumPacketSize.map { "at most \($0) bytes" } ?? "no limit"),
      says("keepalive", facts.keepaliveSeconds.map { "the broker requires \($0) s" } ?? "as requested"),
      says("topic aliases", facts.topicAliasMaximum.map { "\($0)" } ?? "none"),
      says("session expiry", facts.sessionExpirySeconds.map { "the broker requires \($0) s" } ?? "as requested"),
    ]
  }
}

extension ProbeFinding {
  fileprivate static var version311: ProbeFinding {
    ProbeFinding(
      subject: "MQTT 5", verdict: .note,
      text: "not used: with MQTT 3.1.1, the broker does not state its capabilities")
  }
}
