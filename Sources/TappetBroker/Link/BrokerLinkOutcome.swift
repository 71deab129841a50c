// Results of libmosquitto's calls, and their meaning for an attempt or a connection.

import CMosquitto
import CPlatform
import TappetCore
import TappetPlatform
import TappetTLS

extension BrokerLinkSession.Outcome {
  /// Whether the call succeeded.
  var isSuccess: Bool { code == MOSQ_ERR_SUCCESS.rawValue }
  /// Returns the reason why connecting could not be started; `nil` if it was started.
  ///
  /// A handshake may already have succeeded or failed when `start` returns.
  func startFailure(of session: BrokerLinkSession, settings: BrokerSettings) -> LinkFailure? {
    // With TLS, a refused connection shows up at the first write, and libmosquitto does not report it: 2.0.11 returns
    // success, 2.0.20 a TLS error.
    if let code = session.tls?.systemCode, code != 0 { return .ofSocket(code, session, settings) }
    if isSuccess, session.socket >= 0 { return nil }
    switch mosq_err_t(code) {
    case MOSQ_ERR_ERRNO where systemCode != EPROTO: return .ofSocket(systemCode, session, settings)
    case MOSQ_ERR_INVAL, MOSQ_ERR_EAI, MOSQ_ERR_NOT_SUPPORTED, MOSQ_ERR_MALFORMED_UTF8:
      return .settingsRefused(code: code)
    default: return failure(of: session, settings: settings)
    }
  }
  /// Whether a message was rejected because of its content, although the connection still works.
  var refusesMessage: Bool {
    switch mosq_err_t(code) {
    case MOSQ_ERR_INVAL, MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_NOT_SUPPORTED,
      MOSQ_ERR_QOS_NOT_SUPPORTED, MOSQ_ERR_OVERSIZE_PACKET:
      true
    default: false
    }
  }

  /// The way the connection ended; `nil` if libmosquitto reports a different reason.
  private var ending: Ending? {
    switch mosq_err_t(code) {
    // An end of TLS without close_notify, as after a crash, is reported as EPROTO; an end within a packet has no errno.
    case MOSQ_ERR_ERRNO where ![EPROTO, ECONNRESET, EPIPE, 0].contains(systemCode): .broken
    case MOSQ_ERR_SUCCESS, MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST, MOSQ_ERR_ERRNO, MOSQ_ERR_TLS: .closed
    default: nil
    }
  }
  private enum Ending {
    case closed
    case broken
  }

  /// Returns the reason why no CONNACK was received.
  ///
  /// A TLS failure takes precedence, because it is closest to the cause.
  func failure(of session: BrokerLinkSession, settings: BrokerSettings) -> LinkFailure {
    if code == Self.assertionFailed { return .propertyUnknown }
    if let failure = session.tls?.failure { return .tls(failure) }
    if code == MOSQ_ERR_NOMEM.rawValue { return .system(SystemCode(ENOMEM)) }
    guard let ending else { return .protocolViolated(code: code) }
    if ending == .broken { return .connectionBroken(SystemCode(systemCode)) }
    let hasCertificate = settings.certificateFile != nil
    guard let tls = session.tls else {
      return .closedBeforeConnack(usesTLS: false, clientCertificateGiven: hasCertificate)
    }
    guard tls.hasAnswered else { return .closedWithoutTLS }
    return tls.isEstablished
      ? .closedBeforeConnack(usesTLS: true, clientCertificateGiven: hasCertificate)
      : .closedDuringHandshake(clientCertificateGiven: hasCertificate)
  }

  /// Returns the reason why a connection was lost; `socketError` is the value of SO_ERROR, or 0.
  func loss(of session: BrokerLinkSession, socketError: Int32) -> LinkFailure {
    if code == Self.assertionFailed { return .propertyUnknown }
    if let reason = session.disconnectReason, reason >= 0x80, let byte = UInt8(exactly: reason) {
      return .disconnectedByBroker(ReasonCode(byte))
    }
    if let failure = session.tls?.failure { return .tls(failure) }
    if code == MOSQ_ERR_KEEPALIVE.rawValue { return .keepaliveExpired }
    if code == MOSQ_ERR_NOMEM.rawValue { return .system(SystemCode(ENOMEM)) }
    guard let ending else { return .protocolViolated(code: code) }
    if socketError != 0 { return .connectionBroken(SystemCode(socketError)) }
    return ending == .broken ? .connectionBroken(SystemCode(systemCode)) : .closedByBroker
  }
}

extension LinkFailure {
  /// Returns the failure that a socket's errno means before the connection is usable.
  static func ofSocket(_ code: Int32, _ session: BrokerLinkSession, _ settings: BrokerSettings) -> LinkFailure {
    switch code {
    case ECONNREFUSED: .connectionRefused
    case ETIMEDOUT: .connectTimedOut
    case EMFILE, ENFILE, ENOMEM, ENOBUFS: .system(SystemCode(code))
    // The connection was established, and the peer dropped it.
    case ECONNRESET, EPIPE:
      BrokerLinkSession.Outcome(code: MOSQ_ERR_CONN_LOST.rawValue, systemCode: code).failure(
        of: session, settings: settings)
    default: .unreachable(SystemCode(code))
    }
  }
}

extension SystemCode {
  init(_ code: Int32) { self.init(SystemError(call: "", code: code)) }
}
