// tappet mqtt bridge-check: tests whether a message crosses the bridge between two brokers, and arrives only once.

import TappetBroker
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Publishes to one broker, and checks what both receive.
enum BridgeCheckCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let settings = try BrokerChoice.settings(arguments)
    let here = try BrokerClient(settings)
    let there = try BrokerClient(try BrokerChoice.other(arguments, beside: settings))
    defer {
      here.shutdown()
      there.shutdown()
    }
    _ = try here.connectToAny()
    _ = try there.connectToAny()
    let topic = arguments.value("topic") ?? "tappet/bridge"
    let check = BridgeCheck(
      here: RequestSession(here), topic: topic, there: RequestSession(there),
      topicThere: arguments.value("other-topic") ?? topic)
    let findings = try check.findings(arguments.value("direction") ?? "out")
    if let report = arguments.report {
      report.set(.object(["findings": .array(findings.map { $0.json })]))
    } else {
      for finding in findings { finding.print() }
    }
    if findings.contains(where: { $0.verdict == .bad }) { throw .found }
  }
}

/// Two brokers, and the topics on them that the bridge connects.
struct BridgeCheck {
  let here: RequestSession
  let topic: String
  let there: RequestSession
  let topicThere: String

  func findings(_ direction: String) throws(CommandFailure) -> [ProbeFinding] {
    let grants = [
      ("here", topic, here.subscribe(topic, qos: 1)), ("there", topicThere, there.subscribe(topicThere, qos: 1)),
    ]
    for (side, topic, grant) in grants {
      guard case .granted = grant else { return [FeatureProbe.finding(side, topic, grant)] }
    }
    var findings: [ProbeFinding] = []
    if direction != "in" { findings.append(try crossing("out", from: here, topic, to: there)) }
    if direction != "out" { findings.append(try crossing("in", from: there, topicThere, to: here)) }
    return findings
  }

  private func crossing(
    _ subject: String, from sender: RequestSession, _ topic: String, to receiver: RequestSession
  ) throws(CommandFailure) -> ProbeFinding {
    let text = Array("tappet bridge-check \(BrokerChoice.nonce())".utf8)
    func bad(_ text: String) -> ProbeFinding { ProbeFinding(subject: subject, verdict: .bad, text: text) }
    let began = Instant.now()
    switch sender.publish(topic, text) {
    case .taken: break
    case .refused(let code): return bad("refused: \(LinkFailure.publishRefusal(code))")
    case .none: return bad("no acknowledgement")
    }
    guard receiver.message(where: { $0.payload == text }) != nil else {
      try receiver.requireConnection()
      return bad("published, but did not arrive")
    }
    let time = ConnectReport.milliseconds((Instant.now() - began).wholeNanoseconds / 1000)
    // A loop would deliver the message repeatedly.
    receiver.collect(until: Limits.retainedQuietMax)
    sender.collect(until: Limits.benchTurn)
    try sender.requireConnection()
    let again = receiver.messages.filter { $0.payload == text }.count
    let back = sender.messages.filter { $0.payload == text }.count
    guard again == 0, back <= 1 else {
      return bad("a loop: in a second, the message arrived \(again + 1) times and returned \(max(0, back - 1)) times")
    }
    return ProbeFinding(subject: subject, verdict: .good, text: "arrived after \(time), once")
  }
}
