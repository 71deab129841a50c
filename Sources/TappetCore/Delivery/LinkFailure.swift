// Causes of a failed or lost broker connection, each reported by the layer that detects it. TappetMessages contains the
// texts.

/// The cause of a failed connection attempt or a lost connection.
package indirect enum LinkFailure: Error, Hashable, Sendable {
  // Before the broker was reached.
  /// The host name could not be resolved; `code` (EAI_…) and `text` are from the resolver.
  case nameNotResolved(host: String, code: Int32, text: String)
  case connectionRefused
  case unreachable(SystemCode)
  case connectTimedOut
  /// A local failure: files, memory or descriptors.
  case files(CertificateProblem)
  case system(SystemCode)
  case settingsRefused(code: Int32)

  // Between the first byte and CONNACK.
  case handshakeTimedOut
  case tls(TLSFailure)
  /// Closed before the broker sent the first byte of its handshake.
  case closedWithoutTLS
  case closedDuringHandshake(clientCertificateGiven: Bool)
  case closedBeforeConnack(usesTLS: Bool, clientCertificateGiven: Bool)
  case noConnack
  case connack(ConnackCode)
  case connackUnknown(code: UInt8)
  /// MQTT 5 CONNACK with a reason code.
  case refused(ReasonCode)

  // After CONNACK.
  /// The broker closed the connection properly, but gave no reason.
  case closedByBroker
  case connectionBroken(SystemCode)
  /// MQTT 5 DISCONNECT with a reason code.
  case disconnectedByBroker(ReasonCode)
  case keepaliveExpired
  case acknowledgeExpired
  /// The broker closed the connection while only this message was in flight; with MQTT 5's reason code, if any.
  case closedAtMessage(topic: String, size: Int, ReasonCode?)
  /// The broker has closed two connections while the same `count` messages were in flight.
  case closedAtMessages(count: Int, ReasonCode?)

  // At any time.
  /// The broker sent messages, or more bytes than any response needs, to a client without subscriptions.
  case sentUnasked
  /// The received bytes are not MQTT; `code` is libmosquitto's error code.
  case protocolViolated(code: Int32)
  /// An MQTT 5 packet has a property unknown to libmosquitto.
  case propertyUnknown
}

extension LinkFailure {
  /// Whether the broker reports that it does not support MQTT 5.
  package var refusesMQTT5: Bool { self == .refused(.unsupportedProtocolVersion) }

  /// Whether MQTT 5 cannot be used with the broker.
  package var excludesMQTT5: Bool { refusesMQTT5 || self == .propertyUnknown }

  /// MQTT 5's reason code in CONNACK or DISCONNECT; `nil` if there was none.
  package var reason: UInt8? {
    switch self {
    case .refused(let code), .disconnectedByBroker(let code): code.number
    case .closedAtMessage(_, _, let code), .closedAtMessages(_, let code): code?.number
    default: nil
    }
  }

  /// Whether the broker closed the connection, possibly because of a message.
  var mayBeOfMessage: Bool {
    switch self {
    // libmosquitto rejects a two-byte MQTT 5 DISCONNECT, and an MQTT 3.1.1 DISCONNECT.
    case .closedByBroker, .protocolViolated: true
    // EPIPE and ECONNRESET mean that the broker's host responded; a broken network causes neither.
    case .connectionBroken(let system): system.code == 32 || system.code == 104
    case .disconnectedByBroker(let code): !code.isOfBroker
    default: false
    }
  }

  /// Whether a restart of the broker may cause this failure.
  var mayBeOfRestart: Bool {
    switch self {
    case .connack(let code): code == .serverUnavailable
    case .refused(let code): code.isOfBroker
    default: true
    }
  }

  /// Whether a broker that supports only MQTT 3.1.1 may fail in this way on MQTT 5.
  package var mayRefuseMQTT5: Bool {
    switch self {
    case .closedBeforeConnack, .protocolViolated: true
    default: excludesMQTT5
    }
  }
}

/// An errno with the C library's text, captured where the error occurred.
package struct SystemCode: Hashable, Sendable {
  /// The errno value.
  package var code: Int32
  /// The text from strerror.
  package var text: String

  package init(code: Int32, text: String) {
    self.code = code
    self.text = text
  }
}

/// The MQTT 3.1.1 CONNACK return codes that refuse a connection (§3.2.2.3).
package enum ConnackCode: UInt8, CaseIterable, Hashable, Sendable {
  case unacceptableProtocolVersion = 1
  case identifierRejected = 2
  case serverUnavailable = 3
  case badUserNameOrPassword = 4
  case notAuthorized = 5
}

/// The MQTT 5 reason codes that end a connection (§3.2.2.2 and §3.14.2.1).
package enum ReasonCode: Hashable, Sendable {
  case normalDisconnection
  case unspecifiedError
  case malformedPacket
  case protocolError
  case implementationSpecificError
  case unsupportedProtocolVersion
  case clientIdentifierNotValid
  case badUserNameOrPassword
  case notAuthorized
  case serverUnavailable
  case serverBusy
  case banned
  case serverShuttingDown
  case badAuthenticationMethod
  case keepAliveTimeout
  case sessionTakenOver
  case topicFilterInvalid
  case topicNameInvalid
  case receiveMaximumExceeded
  case topicAliasInvalid
  case packetTooLarge
  case messageRateTooHigh
  case quotaExceeded
  case administrativeAction
  case payloadFormatInvalid
  case retainNotSupported
  case qosNotSupported
  case useAnotherServer
  case serverMoved
  case sharedSubscriptionsNotSupported
  case connectionRateExceeded
  case maximumConnectTime
  case subscriptionIdentifiersNotSupported
  case wildcardSubscriptionsNotSupported
  /// A code that the specification does not define.
  case unknown(UInt8)

  /// Creates a reason from its code on the wire.
  package init(_ number: UInt8) {
    self = ReasonCode.named.first { $0.number == number }?.code ?? .unknown(number)
  }

  /// Whether the reason concerns the broker or the connection, not a message.
  fileprivate var isOfBroker: Bool {
    switch self {
    case .serverUnavailable, .serverBusy, .serverShuttingDown, .keepAliveTimeout, .sessionTakenOver, .useAnotherServer,
      .serverMoved, .connectionRateExceeded, .maximumConnectTime, .administrativeAction:
      true
    default: false
    }
  }

  /// The code on the wire.
  package var number: UInt8 {
    if case .unknown(let number) = self { return number }
    return ReasonCode.named.first { $0.code == self }?.number ?? 0x80
  }

  /// The codes of MQTT 5.0 §2.4, table 2-6, except those that only a PUBACK or an AUTH can contain.
  private static var named: [(number: UInt8, code: ReasonCode)] {
    [
      (0x00, .normalDisconnection), (0x80, .unspecifiedError), (0x81, .malformedPacket), (0x82, .protocolError),
      (0x83, .implementationSpecificError), (0x84, .unsupportedProtocolVersion), (0x85, .clientIdentifierNotValid),
      (0x86, .badUserNameOrPassword), (0x87, .notAuthorized), (0x88, .serverUnavailable), (0x89, .serverBusy),
      (0x8A, .banned), (0x8B, .serverShuttingDown), (0x8C, .badAuthenticationMethod), (0x8D, .keepAliveTimeout),
      (0x8E, .sessionTakenOver), (0x8F, .topicFilterInvalid), (0x90, .topicNameInvalid),
      (0x93, .receiveMaximumExceeded), (0x94, .topicAliasInvalid), (0x95, .packetTooLarge),
      (0x96, .messageRateTooHigh), (0x97, .quotaExceeded), (0x98, .administrativeAction),
      (0x99, .payloadFormatInvalid), (0x9A, .retainNotSupported), (0x9B, .qosNotSupported),
      (0x9C, .useAnotherServer), (0x9D, .serverMoved), (0x9E, .sharedSubscriptionsNotSupported),
      (0x9F, .connectionRateExceeded), (0xA0, .maximumConnectTime), (0xA1, .subscriptionIdentifiersNotSupported),
      (0xA2, .wildcardSubscriptionsNotSupported),
    ]
  }
}

/// The cause of a failed TLS handshake.
///
/// Subjects are in OpenSSL's one-line format.
package indirect enum TLSFailure: Hashable, Sendable {
  // The broker's certificate is at fault.
  case untrustedIssuer(subject: String)
  case selfSigned(subject: String)
  case expired(subject: String)
  /// The certificate is not valid yet; usually the local clock is wrong, not the certificate.
  case notYetValid(subject: String)
  /// `names` is the subjectAltName, such as `DNS:localhost, IP Address:127.0.0.1`; empty if absent.
  case hostMismatch(expected: String, subject: String, names: String)
  case revoked(subject: String)
  /// No revocation list from the issuer is available.
  case crlMissing(subject: String)
  case crlExpired(subject: String)
  /// The revocation list is not valid yet, or not signed by the issuer.
  case crlUnusable(subject: String, text: String)
  /// Any other OpenSSL verification error (X509_V_ERR_…).
  case unacceptable(subject: String, code: Int32, text: String)

  // The broker aborted the handshake with an alert.
  case alert(TLSAlert)

  // Neither side's certificate is at fault.
  case notTLS
  case noCommonVersion
  /// OpenSSL's packed error code and its text.
  case protocolError(code: UInt64, text: String)
}

/// The alerts that end a handshake (RFC 8446 §6.2, and older ones from RFC 5246 §7.2.2).
package enum TLSAlert: Hashable, Sendable {
  case unexpectedMessage
  case badRecord
  case handshakeFailure
  case badCertificate
  case unsupportedCertificate
  case certificateRevoked
  case certificateExpired
  case certificateUnknown
  case illegalParameter
  case unknownCA
  case accessDenied
  case decodeError
  case decryptError
  case protocolVersion
  case insufficientSecurity
  case internalError
  case unrecognizedName
  case certificateRequired
  case noApplicationProtocol
  /// An alert with any other number.
  case other(UInt8)

  /// Creates an alert from its description byte on the wire.
  @export(interface)
  package init(_ number: UInt8) {
    switch number {
    case 10: self = .unexpectedMessage
    case 20: self = .badRecord
    case 40: self = .handshakeFailure
    case 42: self = .badCertificate
    case 43: self = .unsupportedCertificate
    case 44: self = .certificateRevoked
    case 45: self = .certificateExpired
    case 46: self = .certificateUnknown
    case 47: self = .illegalParameter
    case 48: self = .unknownCA
    case 49: self = .accessDenied
    case 50: self = .decodeError
    case 51: self = .decryptError
    case 70: self = .protocolVersion
    case 71: self = .insufficientSecurity
    case 80: self = .internalError
    case 112: self = .unrecognizedName
    case 116: self = .certificateRequired
    case 120: self = .noApplicationProtocol
    default: self = .other(number)
    }
  }
}

/// A fault in the certificate files on this machine.
package indirect enum CertificateProblem: Error, Hashable, Sendable {
  case unreadable(path: String, SystemCode)
  case tooLarge(path: String)
  case empty(path: String)
  /// The first line of the broker password file is empty.
  case passwordEmpty(path: String)
  /// The first line of the broker password file is longer than MQTT allows.
  case passwordTooLong(path: String)
  /// The first line of the file cannot be read as text: it contains a NUL, or damaged UTF-16.
  case notText(path: String, isDamaged: Bool)
  /// The file contains no certificate, or a damaged one.
  case notPEM(path: String)
  /// The file contains no revocation list, or a damaged one.
  case notCRL(path: String)
  /// The next update of one of the file's revocation lists is overdue.
  case crlExpired(path: String, issuer: String)
  case keyNotPEM(path: String)
  case keyEncrypted(path: String)
  /// The file contains a certificate request instead of the issued certificate.
  case request(path: String)
  /// A PKCS#12 file with a passphrase, which cannot be entered on a kiosk.
  case bundleEncrypted(path: String)
  /// A PKCS#12 file with a cipher that OpenSSL 3 supports only in its legacy provider (RC2, as in old exports).
  case bundleLegacy(path: String)
  case bundleDamaged(path: String)
  case bundleWithoutKey(path: String)
  case bundleWithoutCertificate(path: String)
  case passphraseWrong(path: String)
  /// A PKCS#12 file whose key derivation would take too long.
  case bundleSlow(path: String, iterations: UInt64)
  case keyWithoutCertificate(key: String)
  /// The file with the password is readable by other users.
  case keyReadable(path: String)
  case certificateWithoutKey(certificate: String)
  case keyMismatch(certificate: String, key: String)
  /// The certificate's key is damaged, or of a type unknown to OpenSSL.
  case unknownKey(path: String)
  /// OpenSSL's local policy rejects the certificate: the key is too short, or the digest too weak.
  case tooWeak(path: String, text: String)
  case noSystemTrustStore
  case unusableHost(String)
  /// OpenSSL could not create its own objects: out of memory, or a broken openssl.cnf.
  case library(text: String)
}
