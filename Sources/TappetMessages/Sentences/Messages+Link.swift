// Sentences for failures of the broker link: cause, place and remedy.

import TappetCore
import TappetPlatform

extension LinkFailure {
  /// Human-readable failure, one sentence without a full stop.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .nameNotResolved(let host, _, let text):
        "no address found for '\(host)' (\(text)): check the spelling in broker.url, the network and its name server"
      case .connectionRefused:
        "the broker's machine refused the connection: nothing listens on that port; is the broker running, "
          + "is the port right?"
      case .unreachable(let system):
        "the broker cannot be reached (\(system.text)): check the network, the address and any firewall"
      case .connectTimedOut:
        "the broker's machine does not answer: check the address, the network and any firewall that drops silently"
      case .files(let problem): problem.sentence
      case .system(let system):
        "this machine could not open a connection (\(system.text)): is it out of memory or descriptors?"
      case .settingsRefused(let code):
        "libmosquitto refused the broker settings (its code \(code)): check client_id, keepalive and the host"
      case .handshakeTimedOut:
        "the broker took the connection but never answered the TLS handshake: is this its TLS port, or does it hang?"
      case .tls(let failure): failure.sentence
      case .closedWithoutTLS:
        "the broker dropped the connection without a word of TLS: if this is its port without TLS, write mqtt:// in "
          + "broker.url, or use its TLS port (8883)"
      case .closedDuringHandshake(let given): LinkFailure.dropped("during the TLS handshake", certificateGiven: given)
      case .closedBeforeConnack(usesTLS: true, clientCertificateGiven: true):
        "the broker dropped the connection before it answered CONNECT: it may not accept this client certificate, the "
          + "client_id, or QoS 1; see its log"
      case .closedBeforeConnack(usesTLS: true, clientCertificateGiven: false):
        LinkFailure.dropped("before it answered CONNECT", certificateGiven: false)
      case .closedBeforeConnack(usesTLS: false, _):
        "the broker dropped the connection before it answered CONNECT: if this is its TLS port, "
          + "write mqtts:// in broker.url"
      case .noConnack:
        "the broker took the connection but never answered CONNECT: is this an MQTT port, or does it hang?"
      case .connack(let code): code.sentence
      case .connackUnknown(let code): "the broker refused the connection with the unknown code \(code): see its log"
      case .refused(let code): "the broker refused the connection: \(code.sentence)"
      case .closedByBroker:
        "the broker closed the connection: it was stopped, or another client came with the same client_id; see its log"
      case .connectionBroken(let system): "the connection broke (\(system.text)): the network, or the broker's machine"
      case .disconnectedByBroker(let code): "the broker ended the connection: \(code.sentence)"
      case .closedAtMessage(let topic, let size, let reason):
        "the broker closed the connection at a message of \(size) bytes to \(topic.quoted)"
          + LinkFailure.because(reason)
      case .closedAtMessages(let count, let reason):
        "the broker closed the connection a second time before it acknowledged "
          + (count == 1 ? "a message, which is now sent alone" : "\(count) messages, which are now sent one at a time")
          + LinkFailure.because(reason)
      case .keepaliveExpired: "the broker stopped answering: it hangs, or the network swallows what is sent"
      case .acknowledgeExpired: "the broker did not acknowledge a message in time, so the connection was given up"
      case .sentUnasked:
        "the broker sent what this client never asked for (it subscribes to nothing), so the connection was given up: "
          + "is it the right broker?"
      case .protocolViolated(let code):
        "what answered does not speak MQTT as agreed (libmosquitto's code \(code)): is this the broker's MQTT port?"
      case .propertyUnknown:
        "the broker sent an MQTT 5 packet with a property that libmosquitto does not know: set broker.protocol to 3.1.1"
      }
    }
  }

  /// Returns the end of the sentence "the broker refused light for good: …".
  @export(interface)
  package static func publishRefusal(_ code: Int32) -> String {
    guard code >= 0x80, let byte = UInt8(exactly: code) else {
      return "libmosquitto does not send it (its code \(code)); is it larger than the broker takes?"
    }
    if case .notAuthorized = ReasonCode(byte) {
      return "its access list does not allow this client to publish to the topic"
    }
    return "\(ReasonCode(byte).sentence) (reason code \(code))"
  }

  /// Returns the end of the sentence "the broker refuses the subscription: …".
  @export(interface)
  package static func subscriptionRefusal(_ reason: UInt8) -> String {
    switch reason {
    case 0: "libmosquitto does not send it; is the filter right?"
    // MQTT 3.1.1 §3.9.3 defines no other failure code.
    case 0x80: "it gives no reason; most likely its access list does not allow this client to read it"
    case 0x87: "its access list does not allow this client to read it"
    default: "\(ReasonCode(reason).sentence) (reason code \(reason))"
    }
  }

  /// Returns the sentence about the fallback to MQTT 3.1.1.
  func fallbackSentence(_ endpoint: String, days: Int64) -> String {
    let why =
      switch self {
      case .propertyUnknown: "sent an MQTT 5 packet with an unknown property"
      default: refusesMQTT5 ? "does not speak MQTT 5" : "may not speak MQTT 5 (\(sentence))"
      }
    return "\(endpoint) \(why): MQTT 3.1.1 is used for \(days) \(days == 1 ? "day" : "days"), "
      + "with which a message that the broker's access list denies may count as delivered"
  }

  private static func because(_ reason: ReasonCode?) -> String { reason.map { ": " + $0.sentence } ?? "" }

  private static func dropped(_ when: String, certificateGiven: Bool) -> String {
    certificateGiven
      ? "the broker dropped the connection \(when): the likely cause is that it does not accept this client "
        + "certificate; see its log"
      : "the broker dropped the connection \(when): the likely cause is that it wants a client certificate; "
        + "set broker.certificate and broker.private_key"
  }
}

extension ConnackCode {
  fileprivate var sentence: String {
    switch self {
    case .unacceptableProtocolVersion: "the broker does not speak this version of MQTT: try the other broker.protocol"
    case .identifierRejected: "the broker rejected the client_id: it may be too long, or not allowed there; see its log"
    case .serverUnavailable: "the broker says that it is unavailable: wait, or look at its log"
    case .badUserNameOrPassword:
      "the broker wants a user name and password, or does not take the certificate as identity: see its configuration"
    case .notAuthorized:
      "the broker does not allow this client to connect: see the user name and password, or the certificate's name, "
        + "and the broker's access list"
    }
  }
}

extension ReasonCode {
  /// End of the sentence "the broker refused the connection: …".
  fileprivate var sentence: String {
    switch self {
    case .normalDisconnection: "it was closed in order"
    case .unspecifiedError: "it gave no reason; see its log"
    case .malformedPacket: "it could not read a packet of ours; please report this"
    case .protocolError: "it calls a packet of ours against the protocol; please report this"
    case .implementationSpecificError: "it has a rule of its own against this; see its log"
    case .unsupportedProtocolVersion: "it does not speak MQTT 5; leave out broker.protocol"
    case .clientIdentifierNotValid: "it does not take this client_id"
    case .badUserNameOrPassword: "it wants a user name and password, or does not take the certificate as identity"
    case .notAuthorized:
      "this client is not allowed; see the user name and password, or the certificate's name, and its access list"
    case .serverUnavailable: "it is unavailable; wait, or look at its log"
    case .serverBusy: "it is busy; it is tried again"
    case .banned: "this client is banned; ask who runs it"
    case .serverShuttingDown: "it is shutting down; it is tried again"
    case .badAuthenticationMethod: "it wants another way of authentication than certificates"
    case .keepAliveTimeout: "it heard nothing for too long; the network swallows what is sent"
    case .sessionTakenOver: "another client came with the same client_id; give each kiosk its own"
    case .topicFilterInvalid: "it does not take a topic filter"
    case .topicNameInvalid: "it does not take a topic; see its rules"
    case .receiveMaximumExceeded: "it got more messages at once than it allows; please report this"
    case .topicAliasInvalid: "it does not take a topic alias; please report this"
    case .packetTooLarge: "a message is larger than it allows"
    case .messageRateTooHigh: "messages come faster than it allows"
    case .quotaExceeded: "its quota for this client is used up"
    case .administrativeAction: "its administrator ended the connection"
    case .payloadFormatInvalid: "it does not take a message's format"
    case .retainNotSupported: "it keeps no retained messages, and the status is one"
    case .qosNotSupported: "it does not take QoS 1, which every message needs"
    case .useAnotherServer: "another server is to be used for now; see broker.url"
    case .serverMoved: "it has moved; change broker.url"
    case .sharedSubscriptionsNotSupported: "it has no shared subscriptions"
    case .connectionRateExceeded: "connections come faster than it allows; it is tried again"
    case .maximumConnectTime: "the time that it allows a connection is over; it is tried again"
    case .subscriptionIdentifiersNotSupported: "it has no subscription identifiers"
    case .wildcardSubscriptionsNotSupported: "it has no wildcard subscriptions"
    case .unknown(let number): "with the unknown reason \(number)"
    }
  }
}

extension TLSFailure {
  fileprivate var sentence: String {
    switch self {
    case .untrustedIssuer(let subject):
      "the broker's certificate (\(subject.quoted)) comes from an issuer that is not trusted: "
        + "is broker.ca the right file?"
    case .selfSigned(let subject):
      "the broker's certificate chain ends in a self-signed certificate that is not trusted (\(subject.quoted)): "
        + "is broker.ca the right file?"
    case .expired(let subject):
      "a certificate of the broker has expired (\(subject.quoted)): renew it there, or set this machine's clock "
        + "if it is ahead"
    case .notYetValid(let subject):
      "a certificate of the broker is not valid yet (\(subject.quoted)): most likely this machine's clock is behind"
    case .hostMismatch(let expected, let subject):
      "the broker's certificate (\(subject.quoted)) is not for '\(expected)': use a name from the certificate's "
        + "subjectAltName in broker.url; a CN does not count"
    case .revoked(let subject):
      "a certificate of the broker was revoked (\(subject.quoted)): do not trust what answers there"
    case .crlMissing(let subject):
      "broker.crl has no revocation list of the issuer of the broker's certificate (\(subject.quoted)): "
        + "add the issuer's list to it"
    case .crlExpired(let subject):
      "the revocation list in broker.crl has expired, so it is unknown whether the broker's certificate "
        + "(\(subject.quoted)) was revoked: replace it by the issuer's current list"
    case .crlUnusable(let subject, let text):
      "the revocation list in broker.crl cannot be used for the broker's certificate (\(subject.quoted)): \(text)"
    case .unacceptable(let subject, _, let text):
      "the broker's certificate (\(subject.quoted)) is not acceptable: \(text)"
    case .alert(let alert): alert.sentence
    case .notTLS: "what answered does not speak TLS: is this the broker's port without TLS, or not a broker at all?"
    case .noCommonVersion: "the broker speaks only TLS versions older than 1.2: update it"
    case .protocolError(_, let text): "the TLS handshake failed (\(text)): see the broker's log"
    }
  }
}

extension TLSAlert {
  fileprivate var sentence: String {
    switch self {
    case .unexpectedMessage: TLSAlert.refused("it got something unexpected; see its log")
    case .badRecord: TLSAlert.refused("the data was damaged on the way")
    case .handshakeFailure:
      TLSAlert.refused("nothing offered was acceptable, or it wants a client certificate; check broker.certificate")
    case .badCertificate: TLSAlert.refused("it calls the client certificate bad; check broker.certificate")
    case .unsupportedCertificate:
      TLSAlert.refused("it does not take this kind of client certificate; it may lack 'client authentication'")
    case .certificateRevoked: TLSAlert.refused("the client certificate was revoked; get a new one")
    case .certificateExpired: TLSAlert.refused("the client certificate has expired; renew broker.certificate")
    case .certificateUnknown: TLSAlert.refused("it does not accept the client certificate; see its log")
    case .illegalParameter: TLSAlert.refused("it calls a parameter illegal; see its log")
    case .unknownCA:
      TLSAlert.refused("it does not know the issuer of the client certificate; is broker.certificate for this broker?")
    case .accessDenied: TLSAlert.refused("the client certificate is good but not allowed; see its access list")
    case .decodeError: TLSAlert.refused("it could not read a message; see its log")
    case .decryptError:
      TLSAlert.refused("a signature did not verify; do broker.certificate and broker.private_key belong together?")
    case .protocolVersion: TLSAlert.refused("it does not speak TLS 1.2 or newer; update it")
    case .insufficientSecurity: TLSAlert.refused("it wants stronger ciphers than were offered")
    case .internalError: TLSAlert.refused("it has trouble of its own; see its log")
    case .unrecognizedName: TLSAlert.refused("it does not know the name in broker.url")
    case .certificateRequired:
      TLSAlert.refused("it wants a client certificate; set broker.certificate and broker.private_key")
    case .noApplicationProtocol: TLSAlert.refused("it wants an application protocol that was not offered")
    case .other(let number): TLSAlert.refused("TLS alert \(number); see its log")
    }
  }

  private static func refused(_ why: String) -> String { "the broker refused the TLS handshake: \(why)" }
}

extension CertificateProblem {
  /// Human-readable problem, one sentence without a full stop.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .unreadable(let path, let system): "\(path) cannot be read: \(system.text)"
      case .tooLarge(let path): "\(path) is too large for a certificate or key file: is it the right file?"
      case .empty(let path): "\(path) is empty: put the PEM text into it"
      case .passwordEmpty(let path): "\(path) has an empty first line; write the password into its first line"
      case .notPEM(let path): "\(path) has no readable certificate: it must be PEM, with '-----BEGIN CERTIFICATE-----'"
      case .notCRL(let path):
        "\(path) has no readable revocation list: it must be PEM, with '-----BEGIN X509 CRL-----', or DER"
      case .crlExpired(let path, let issuer):
        "the revocation list of \(issuer.quoted) in \(path) has expired, and no broker is believed with it: "
          + "replace it by the current list"
      case .keyNotPEM(let path):
        "\(path) has no readable private key: it must be PEM, with '-----BEGIN … PRIVATE KEY-----'"
      case .keyEncrypted(let path):
        "\(path) is encrypted, and a kiosk cannot prompt for the passphrase: 'tappet cert import' asks once and "
          + "stores it with mode 0600"
      case .request(let path):
        "\(path) is a certificate request: send it to the CA, and use the certificate that comes back"
      case .bundleEncrypted(let path):
        "\(path) has a passphrase, and a kiosk cannot prompt for it: run 'tappet cert import \(path)'"
      case .bundleLegacy(let path):
        "\(path) is encrypted in an old way (RC2) that this machine's OpenSSL has only in its legacy provider: "
          + "install openssl-provider-legacy, or export it again"
      case .bundleDamaged(let path):
        "\(path) is neither PEM nor a complete certificate, key or .p12 file: copy it again"
      case .bundleWithoutKey(let path):
        "\(path) has no private key: export it together with its key, or name the key's file too"
      case .bundleWithoutCertificate(let path): "\(path) has no certificate: export it together with its key"
      case .passphraseWrong(let path): "the passphrase does not open \(path)"
      case .keyWithoutCertificate(let key): "\(key) is given without a certificate: set broker.certificate too"
      case .keyNotHex(let path): "the first line of \(path) is not a pre-shared key of 2 to 128 hexadecimal digits"
      case .keyReadable(let path): "\(path) can be read by others; run: chmod 600 \(path)"
      case .certificateWithoutKey(let certificate):
        "\(certificate) is given without its key: set broker.private_key too"
      case .unknownKey(let path):
        "\(path) has a key that this machine's OpenSSL does not know, or that is damaged: "
          + "get one with P-256 or RSA 2048"
      case .bundleSlow(let path, let iterations):
        "\(path) takes \(iterations) iterations to open, more than \(Limits.bundleIterationsMax): export it again"
      case .keyMismatch(let certificate, let key):
        "\(key) is not the key of \(certificate): use the pair that was made together"
      case .tooWeak(let path, let text): "\(path) is refused by this machine's OpenSSL policy: \(text)"
      case .noSystemTrustStore: "this machine's trust store cannot be loaded: install ca-certificates, or set broker.ca"
      case .unusableHost(let host): "'\(host)' is not a name or address that a certificate can be checked against"
      case .library(let text): "OpenSSL could not be set up: \(text)"
      }
    }
  }
}
