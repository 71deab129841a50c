// Machine-readable codes for the broker link, its certificates and kiosk.yaml.

import TappetConfig
import TappetCore

extension LinkFailure {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .nameNotResolved: "name-not-resolved"
      case .connectionRefused: "connection-refused"
      case .unreachable: "unreachable"
      case .connectTimedOut: "connect-timed-out"
      case .files(let problem): problem.code
      case .system: "system-error"
      case .settingsRefused: "settings-refused"
      case .handshakeTimedOut: "handshake-timed-out"
      case .tls(let failure): failure.code
      case .closedWithoutTLS: "not-tls"
      case .closedDuringHandshake: "closed-during-handshake"
      case .closedBeforeConnack, .noConnack: "no-connack"
      case .connack(let code): code.code
      case .connackUnknown: "broker-refused"
      case .refused(let reason): reason.code
      case .closedByBroker: "closed-by-broker"
      case .connectionBroken: "connection-broken"
      case .disconnectedByBroker(.sessionTakenOver): "client-id-taken"
      case .disconnectedByBroker: "closed-by-broker"
      case .closedAtMessage, .closedAtMessages: "closed-at-message"
      case .keepaliveExpired: "keepalive-expired"
      case .acknowledgeExpired: "acknowledge-expired"
      case .sentUnasked: "sent-unasked"
      case .protocolViolated, .propertyUnknown: "protocol-violated"
      }
    }
  }
}

extension TLSFailure {
  fileprivate var code: String {
    switch self {
    case .untrustedIssuer, .selfSigned: "broker-untrusted"
    case .expired: "broker-certificate-expired"
    case .notYetValid: "broker-certificate-not-yet-valid"
    case .hostMismatch: "broker-name-mismatch"
    case .revoked: "broker-certificate-revoked"
    case .crlMissing, .crlExpired, .crlUnusable: "revocation-list-unusable"
    case .unacceptable: "broker-certificate-unacceptable"
    case .alert: "client-certificate-refused"
    case .notTLS: "not-tls"
    case .noCommonVersion, .protocolError: "tls-error"
    }
  }
}

extension ConnackCode {
  fileprivate var code: String {
    switch self {
    case .unacceptableProtocolVersion: "protocol-version-refused"
    case .identifierRejected: "client-id-refused"
    case .serverUnavailable: "broker-unavailable"
    case .badUserNameOrPassword: "credentials-refused"
    case .notAuthorized: "not-authorized"
    }
  }
}

extension ReasonCode {
  fileprivate var code: String {
    switch self {
    case .unsupportedProtocolVersion: "protocol-version-refused"
    case .clientIdentifierNotValid: "client-id-refused"
    case .serverUnavailable, .serverBusy, .serverShuttingDown, .useAnotherServer, .serverMoved: "broker-unavailable"
    case .badUserNameOrPassword, .badAuthenticationMethod: "credentials-refused"
    case .notAuthorized, .banned: "not-authorized"
    default: "broker-refused"
    }
  }
}

extension CertificateProblem {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .unreadable: "file-unreadable"
      case .passwordEmpty: "password-empty"
      case .passwordTooLong: "password-too-long"
      case .notText: "text-malformed"
      case .tooLarge, .empty, .notPEM, .request, .bundleDamaged, .bundleLegacy, .bundleSlow, .bundleWithoutCertificate,
        .unknownKey:
        "certificate-unusable"
      case .notCRL, .crlExpired: "revocation-list-unusable"
      case .keyNotPEM, .bundleWithoutKey: "key-unusable"
      case .keyEncrypted, .bundleEncrypted: "passphrase-needed"
      case .passphraseWrong: "passphrase-wrong"
      case .keyWithoutCertificate, .certificateWithoutKey: "partner-missing"
      case .keyMismatch: "key-mismatch"
      case .keyReadable: "key-readable"
      case .tooWeak: "certificate-weak"
      case .noSystemTrustStore: "no-trust-store"
      case .unusableHost: "host-unusable"
      case .library: "openssl-error"
      }
    }
  }
}

extension ConfigurationProblem.Kind {
  /// Machine-readable error code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .cannotRead, .fileUnreadable, .sessionUnreadable: "file-unreadable"
      case .tooLarge: "file-too-large"
      case .notUTF8: "not-utf8"
      case .yaml, .mergeKey, .keyNotText: "not-yaml"
      case .unknownKey: "key-unknown"
      case .duplicateKey: "key-duplicate"
      case .missingKey: "key-missing"
      case .wrongType: "value-of-wrong-type"
      case .invalidValue, .malformedName: "value-invalid"
      case .needsPartner: "partner-missing"
      case .needsBroker: "broker-missing"
      case .excludes: "value-invalid"
      case .needsTLS, .passwordWithoutTLS, .needlessWithoutTLS: "tls-missing"
      case .duplicateName, .duplicateIndex: "action-duplicate"
      case .unknownAction: "action-unknown"
      case .tagNotTrusted, .needsProof(_, .externalTag): "tag-trusted-too-much"
      case .needsProof(_, .scan), .needsProof(_, .inventory): "proof-missing"
      case .duplicateTag: "tag-duplicate"
      case .lineUsedTwice: "line-used-twice"
      case .unknownButton: "button-unknown"
      case .unknownOutput: "output-unknown"
      case .unknownInput: "input-unknown"
      case .loneInterlock: "interlock-lone"
      case .unknownLight: "light-unknown"
      case .unanswerable: "confirm-unanswerable"
      case .nothingUnlocks: "lock-without-unlock"
      case .timestampWithoutKey, .tokenWithoutKey: "timestamp-key-missing"
      case .unusableProfile: "profile-unusable"
      case .timeZoneMissing: "time-zone-missing"
      case .keyFileOpen: "file-open-to-others"
      case .keyFileMalformed, .signingKeyMalformed, .sessionMalformed: "key-unusable"
      case .passwordInFile: "password-in-file"
      case .unusableLine(_, .noPassword), .unusableLine(_, .noValue): "password-empty"
      case .unusableLine(_, .tooLong): "password-too-long"
      case .unusableLine(_, .notText), .unusableLine(_, .unprintable): "text-malformed"
      case .badWebhookURL: "value-invalid"
      case .plainWebhook: "tls-missing"
      case .webhookSecretMalformed: "key-unusable"
      case .badMessage, .unquotedMessage: "message-malformed"
      case .badPlaceholder: "placeholder-unknown"
      case .passphraseNeeded: "passphrase-needed"
      case .more: "more"
      }
    }
  }
}
