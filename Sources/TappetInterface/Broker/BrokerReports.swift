// The report of a connection attempt for C (tappet.h, "broker"), with the data that 'tappet mqtt connect' prints.

import CTappet
import TappetBroker
import TappetCore
import TappetMessages
import TappetTLS

extension ConnectTrace {
  /// Adds the final step of the attempt; called on the link's thread.
  func note(_ event: LinkEvent) {
    switch event {
    case .connected: end(.mqtt, isGood: true, facts.version == .v5 ? "MQTT 5: accepted" : "MQTT 3.1.1: accepted")
    case .failed(let failure):
      let facts = facts
      end(failure.stage(facts, usesTLS: usesTLS), isGood: false, failure.sentence)
    case .didFallBack, .foundMQTT5, .lacksRetained, .lost, .disconnected, .acknowledged, .acknowledgedUnheard,
      .publishRefused:
      break
    }
  }
}

extension BrokerObject {
  /// Error message for calls before the first connection attempt.
  static let noAttempt = "no attempt to connect has been made yet"

  func report(_ facts: ConnectTrace.Facts, to result: UnsafeMutablePointer<tappet_broker_report>) {
    reportLoan.clear()
    var report = tappet_broker_report()
    report.size = MemoryLayout<tappet_broker_report>.size
    report.microseconds = facts.microseconds
    report.step_count = facts.steps.count
    report.certificate_count = facts.tls?.chain.count ?? 0
    report.address = facts.address.flatMap { reportLoan.text($0) }
    report.tls_version = facts.tls.flatMap { reportLoan.text($0.version) }
    report.tls_cipher = facts.tls.flatMap { reportLoan.text($0.cipher) }
    report.tls_alpn = facts.tls?.alpn.flatMap { reportLoan.text($0) }
    switch facts.version {
    case .v5: report.protocol = TAPPET_BROKER_PROTOCOL_MQTT_5
    case .v311: report.protocol = TAPPET_BROKER_PROTOCOL_MQTT_311
    case nil: report.protocol = TAPPET_BROKER_PROTOCOL_DEFAULT
    }
    report.is_connected = facts.steps.last.map { $0.stage == .mqtt && $0.isGood } ?? false
    report.asks_certificate = facts.wantsCertificate
    describe(facts.version == .v5 ? facts.connack : nil, in: &report)
    result.pointee = report
  }

  private func describe(_ connack: ConnackFacts?, in report: inout tappet_broker_report) {
    report.assigned_client_id = connack?.assignedClientID.flatMap { reportLoan.text($0) }
    report.broker_reason = connack?.reason.flatMap { reportLoan.text($0) }
    report.receive_maximum = connack?.receiveMaximum.map { Int64($0) } ?? -1
    report.maximum_packet_size = connack?.maximumPacketSize.map { Int64($0) } ?? -1
    report.session_expiry_seconds = connack?.sessionExpirySeconds.map { Int64($0) } ?? -1
    report.keepalive_seconds = connack?.keepaliveSeconds.map { Int32($0) } ?? -1
    report.topic_alias_maximum = connack?.topicAliasMaximum.map { Int32($0) } ?? -1
    report.maximum_qos = connack?.maximumQoS.map { Int8(clamping: $0) } ?? -1
    report.has_retained = BrokerObject.answer(connack?.hasRetained)
    report.has_wildcards = BrokerObject.answer(connack?.hasWildcards)
    report.has_shared_subscriptions = BrokerObject.answer(connack?.hasSharedSubscriptions)
  }

  private static func answer(_ isSo: Bool?) -> Int8 { isSo.map { $0 ? 1 : 0 } ?? -1 }

  func describe(_ step: ConnectStep, to result: UnsafeMutablePointer<tappet_broker_step>) {
    stepLoan.clear()
    var given = tappet_broker_step()
    given.size = MemoryLayout<tappet_broker_step>.size
    given.stage = tappet_broker_stage(rawValue: UInt32(step.stage.rawValue))
    given.is_good = step.isGood
    given.microseconds = step.microseconds
    given.text = stepLoan.text(step.text) ?? staticText("")
    result.pointee = given
  }

  func describe(
    _ certificate: TLSConnectionFacts.Link, to result: UnsafeMutablePointer<tappet_broker_certificate>
  ) {
    certificateLoan.clear()
    var given = tappet_broker_certificate()
    given.size = MemoryLayout<tappet_broker_certificate>.size
    given.subject = certificateLoan.text(certificate.subject) ?? staticText("")
    given.issuer = certificateLoan.text(certificate.issuer) ?? staticText("")
    given.names = certificateLoan.text(certificate.names) ?? staticText("")
    given.expires_unix_seconds = certificate.notAfterUnixSeconds
    result.pointee = given
  }
}
