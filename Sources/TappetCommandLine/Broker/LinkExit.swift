// The exit status for each cause of failure, for scripts; docs/broker-tool.md contains the table.

import TappetCore
import TappetMessages

extension LinkFailure {
  /// The exit status of a command that cannot connect for this reason.
  package var exit: ExitStatus {
    @export(interface) get {
      switch self {
      case .nameNotResolved: .nameNotResolved
      case .connectionRefused: .connectionRefused
      case .unreachable, .connectTimedOut: .unreachable
      case .files, .system, .settingsRefused: .failure
      case .tls(let failure): failure.exit
      case .closedDuringHandshake, .closedBeforeConnack(usesTLS: true, _): .handshakeRefused
      case .closedWithoutTLS, .closedBeforeConnack(usesTLS: false, _), .protocolViolated, .propertyUnknown:
        .wrongProtocol
      case .handshakeTimedOut, .noConnack: .silent
      case .connack(.badUserNameOrPassword), .connack(.notAuthorized): .loginRefused
      case .refused(.badUserNameOrPassword), .refused(.notAuthorized), .refused(.badAuthenticationMethod): .loginRefused
      case .connack, .connackUnknown, .refused: .connectRefused
      case .closedByBroker, .connectionBroken, .disconnectedByBroker, .keepaliveExpired, .acknowledgeExpired,
        .closedAtMessage, .closedAtMessages, .sentUnasked:
        .connectionLost
      }
    }
  }
}

extension TLSFailure {
  fileprivate var exit: ExitStatus {
    switch self {
    case .untrustedIssuer, .selfSigned, .expired, .notYetValid, .hostMismatch, .revoked, .crlMissing, .crlExpired,
      .crlUnusable, .unacceptable:
      .brokerUntrusted
    case .alert, .noCommonVersion, .protocolError: .handshakeRefused
    case .notTLS: .wrongProtocol
    }
  }
}

extension CommandFailure {
  /// The failure of a command that was interrupted by a signal.
  package static var interrupted: Self { .refused("interrupted", FailureCode.cancelled) }

  /// Creates the failure of a command that has no connection.
  package static func unconnected(_ sentence: String, _ failure: LinkFailure) -> Self {
    Self(status: failure.exit, sentence: sentence, code: failure.code)
  }
}
