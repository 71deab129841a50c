// tappet mqtt connect: tests each endpoint, from name resolution to CONNACK.

import TappetBroker
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Connects to each endpoint once, and reports the steps.
enum ConnectCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    var settings = try BrokerChoice.settings(arguments)
    if arguments.has("kiosk") || !arguments.has("url") { settings = settings.forProbe(clientID: settings.clientID) }
    let patience = arguments.seconds("timeout") ?? Limits.connectTimeout
    var reports: [ConnectReport] = []
    for index in settings.endpoints.indices {
      let report = try report(settings, index, patience)
      reports.append(report)
      if !arguments.asJSON { report.print() }
    }
    arguments.report?.set(.object(["endpoints": .array(reports.map { $0.json })]))
    if let failed = reports.first(where: { $0.failure != nil }) {
      throw .reported(failed.failure?.exit ?? .silent)
    }
  }

  /// Connects to one endpoint, and disconnects.
  static func report(
    _ settings: BrokerSettings, _ index: Int, _ patience: Duration
  ) throws(CommandFailure) -> ConnectReport {
    let endpoint = settings.endpoints[index]
    let trace = ConnectTrace(endpoint)
    let client = try BrokerClient(settings) { trace.note($0) }
    defer { client.shutdown() }
    let attempt = client.connect(endpoint: index, within: patience)
    var facts = trace.facts
    var report = ConnectReport(endpoint: endpoint, settings: settings, facts: facts)
    switch attempt {
    case .connected(let usesMQTT5):
      facts.end(.mqtt, "MQTT \(settings.versionName(usesMQTT5: usesMQTT5)): accepted as \(settings.clientID.quoted)")
      report.usesMQTT5 = usesMQTT5
    case .failed(let failure): report.failure = failure
    case .timeUp: report.failure = silence(facts, endpoint)
    case .interrupted: throw .interrupted
    }
    if let failure = report.failure {
      facts.end(failure.stage(facts, usesTLS: endpoint.usesTLS), isGood: false, failure.sentence)
      if failure.isOfTheProtocol, let address = facts.address {
        client.shutdown()
        report.hint = ProtocolProbe.finding(settings, endpoint, address: address)
      }
    }
    report.facts = facts
    return report
  }

  /// Returns the reason for a timeout.
  private static func silence(_ facts: ConnectTrace.Facts, _ endpoint: BrokerEndpoint) -> LinkFailure {
    if !facts.steps.contains(where: { $0.stage == .tcp && $0.isGood }) { return .connectTimedOut }
    return endpoint.usesTLS && facts.tls == nil ? .handshakeTimedOut : .noConnack
  }
}

extension LinkFailure {
  /// Whether the server may be something other than an MQTT broker.
  fileprivate var isOfTheProtocol: Bool {
    switch exit {
    case .wrongProtocol, .silent: true
    default: false
    }
  }
}
