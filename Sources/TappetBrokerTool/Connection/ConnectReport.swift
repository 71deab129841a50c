// The report on a connection attempt, as text and as JSON.

import TappetBroker
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetTLS

/// The outcome for one endpoint.
struct ConnectReport {
  let endpoint: BrokerEndpoint
  let settings: BrokerSettings
  var facts: ConnectTrace.Facts
  var usesMQTT5 = false
  /// The cause of failure; `nil` if the connection was established.
  var failure: LinkFailure?
  /// The protocol or server that was detected at the endpoint instead of MQTT; `nil` if unknown.
  var hint: String?

  // MARK: Text

  func print() {
    Output.print(endpoint.text)
    for step in facts.steps {
      let mark = step.isGood ? "ok " : "bad"
      let time = Self.milliseconds(step.microseconds)
      Output.print("  \(mark)  \(Help.padded(step.stage.word, 5)) \(step.text)  (\(time))")
      if step.stage == .tls, step.isGood { for line in chainLines { Output.print("             " + line) } }
    }
    if let hint { Output.print("  found      " + hint) }
    guard failure == nil else { return }
    if let text = connackText { Output.print("             " + text) }
    Output.print("  connected in \(Self.milliseconds(facts.microseconds))")
  }

  static func milliseconds(_ microseconds: Int64) -> String {
    "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }

  private var chainLines: [String] {
    guard let tls = facts.tls else { return [] }
    let now = SystemClock().now().unixSeconds
    var lines = tls.chain.map { link in
      link.subject.quoted + (link.names.isEmpty ? "" : " for " + link.names.quoted)
        + ", \(link.daysLeft(atUnixSeconds: now)) days left"
    }
    if facts.wantsCertificate {
      lines.append(
        "requests a client certificate: " + (settings.certificateFile.map { "sent " + $0 } ?? "none was sent"))
    }
    return lines
  }

  private var connackText: String? {
    guard let connack = facts.connack, usesMQTT5 else { return nil }
    var parts: [String] = []
    if let keepalive = connack.keepaliveSeconds { parts.append("keepalive \(keepalive) s") }
    if let maximum = connack.receiveMaximum { parts.append("\(maximum) messages in flight") }
    if let size = connack.maximumPacketSize { parts.append("packets up to \(size) bytes") }
    if let qos = connack.maximumQoS { parts.append("QoS up to \(qos)") }
    if connack.hasRetained == false { parts.append("no retained messages") }
    if connack.hasWildcards == false { parts.append("no wildcards") }
    if connack.hasSharedSubscriptions == false { parts.append("no shared subscriptions") }
    if let aliases = connack.topicAliasMaximum { parts.append("\(aliases) topic aliases") }
    if let name = connack.assignedClientID { parts.append("assigned the client id \(name.quoted)") }
    if let reason = connack.reason { parts.append("reports \(reason.quoted)") }
    return parts.isEmpty ? nil : "the broker: " + parts.joined(separator: ", ")
  }

  // MARK: JSON

  var json: JSON {
    .object([
      "url": .string(endpoint.text), "good": .bool(failure == nil), "code": .optional(failure?.code),
      "text": .optional(failure?.sentence), "found": .optional(hint), "client_id": .string(settings.clientID),
      "protocol": failure == nil ? .string(settings.versionName(usesMQTT5: usesMQTT5)) : .null,
      "steps": .array(facts.steps.map { $0.json }), "tls": tlsJSON,
    ])
  }

  private var tlsJSON: JSON {
    guard let tls = facts.tls else { return .null }
    let now = SystemClock().now().unixSeconds
    let chain = tls.chain.map { link in
      JSON.object([
        "subject": .string(link.subject), "issuer": .string(link.issuer), "names": .string(link.names),
        "days_left": .number(link.daysLeft(atUnixSeconds: now)),
      ])
    }
    return .object([
      "version": .string(tls.version), "cipher": .string(tls.cipher),
      "asks_certificate": .bool(facts.wantsCertificate), "chain": .array(chain),
    ])
  }
}

extension ConnectStep {
  fileprivate var json: JSON {
    .object([
      "step": .string(stage.word), "good": .bool(isGood), "text": .string(text), "microseconds": .number(microseconds),
    ])
  }
}
