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
          + "and is the port correct?"
      case .unreachable(let system):
        "the broker cannot be reached (\(system.text)): check the network, the address and any firewall"
      case .connectTimedOut:
        "the broker's machine does not respond: check the address, the network and any firewall that drops packets"
      case .files(let problem): problem.sentence
      case .system(let system):
        "this machine could not open a connection (\(system.text)): is it out of memory or file descriptors?"
      case .settingsRefused(let code):
        "libmosquitto rejected the broker settings (error \(code)): check client_id, keepalive and the host"
      case .handshakeTimedOut:
        "the broker accepted the connection but did not respond to the TLS handshake: is this its TLS port, or is it "
          + "hanging?"
      case .tls(let failure): failure.sentence
      case .closedWithoutTLS:
        "the broker dropped the connection without a TLS response: if this is its port without TLS, write mqtt:// in "
          + "broker.url, or use its TLS port (8883)"
      case .closedDuringHandshake(let given): LinkFailure.dropped("during the TLS handshake", certificateGiven: given)
      case .closedBeforeConnack(usesTLS: true, clientCertificateGiven: true):
        "the broker dropped the connection before responding to CONNECT: it may not accept this client certificate "
          + "or the client_id; see its log"
      case .closedBeforeConnack(usesTLS: true, clientCertificateGiven: false):
        LinkFailure.dropped("before responding to CONNECT", certificateGiven: false)
      case .closedBeforeConnack(usesTLS: false, _):
        "the broker dropped the connection before responding to CONNECT: if this is its TLS port, "
          + "write mqtts:// in broker.url"
      case .noConnack:
        "the broker accepted the connection but did not respond to CONNECT: is this an MQTT port, or is it hanging?"
      case .connack(let code): code.sentence
      case .connackUnknown(let code): "the broker refused the connection with the unknown code \(code): see its log"
      case .refused(let code): "the broker refused the connection: \(code.sentence)"
      case .closedByBroker:
        "the broker closed the connection: it was stopped, or another client used the same client_id; see its log"
      case .connectionBroken(let system): "the connection broke (\(system.text)): check the network and the broker"
      case .disconnectedByBroker(let code): "the broker disconnected this client: \(code.sentence)"
      case .closedAtMessage(let topic, let size, let reason):
        "the broker closed the connection when it received a message of \(size) bytes to \(topic.quoted)"
          + LinkFailure.because(reason)
      case .closedAtMessages(let count, let reason):
        "the broker closed the connection a second time before it acknowledged "
          + (count == 1 ? "a message, which is now sent alone" : "\(count) messages, which are now sent one at a time")
          + LinkFailure.because(reason)
      case .keepaliveExpired: "the broker stopped responding: it is hanging, or the network is dropping packets"
      case .acknowledgeExpired: "the broker did not acknowledge a message in time, so the connection was closed"
      case .sentUnasked:
        "the broker sent data that this client never requested, or more than its topics allow, so the connection was "
          + "closed: is this the right broker, and does it limit who may publish to them, and how much?"
      case .protocolViolated(let code):
        "the server violated the MQTT protocol (libmosquitto error \(code)): is this the broker's MQTT port?"
      case .propertyUnknown:
        "the broker sent an MQTT 5 packet with a property unknown to libmosquitto: set broker.protocol to 3.1.1"
      }
    }
  }

  /// Returns the end of the sentence "the broker refused light for good: …".
  @export(interface)
  package static func publishRefusal(_ code: Int32) -> String {
    guard code >= 0x80, let byte = UInt8(exactly: code) else {
      return "libmosquitto refused to send the message (error \(code)); is it larger than the broker accepts?"
    }
    if case .notAuthorized = ReasonCode(byte) {
      return "the broker's access list does not allow this client to publish to the topic"
    }
    return "\(ReasonCode(byte).sentence) (reason code \(code))"
  }

  /// Returns a sentence about a message of the action that will never be sent.
  @export(interface)
  package static func undeliverable(_ action: String, code: Int32?) -> String {
    guard let code else {
      return
        "\(action) cannot be sent: %T cannot be filled in; is 'timestamp_key' still configured, and the clock correct?"
    }
    return "the broker permanently refused \(action): \(publishRefusal(code))"
  }

  /// Returns the end of the sentence "the broker refuses the subscription: …".
  @export(interface)
  package static func subscriptionRefusal(_ reason: UInt8) -> String {
    switch reason {
    case 0: "libmosquitto refused to send the subscription; is the filter valid?"
    // MQTT 3.1.1 §3.9.3 defines no other failure code.
    case 0x80: "no reason was given; most likely the broker's access list does not allow this client to read the topic"
    case 0x87: "the broker's access list does not allow this client to read the topic"
    default: "\(ReasonCode(reason).sentence) (reason code \(reason))"
    }
  }

  /// Returns a sentence about the fallback to MQTT 3.1.1.
  func fallbackSentence(_ endpoint: String, days: Int64) -> String {
    let why =
      switch self {
      case .propertyUnknown: "sent an MQTT 5 packet with an unknown property"
      default: refusesMQTT5 ? "does not support MQTT 5" : "possibly does not support MQTT 5 (\(sentence))"
      }
    return "\(endpoint) \(why): using MQTT 3.1.1 for \(plural(days, "day")), "
      + "in which a message denied by the broker's access list may be counted as delivered"
  }

  private static func because(_ reason: ReasonCode?) -> String { reason.map { ": " + $0.sentence } ?? "" }

  private static func dropped(_ when: String, certificateGiven: Bool) -> String {
    certificateGiven
      ? "the broker dropped the connection \(when): the likely cause is that it does not accept this client "
        + "certificate; see its log"
      : "the broker dropped the connection \(when): the likely cause is that it requires a client certificate; "
        + "set broker.certificate and broker.private_key"
  }
}

extension ConnackCode {
  fileprivate var sentence: String {
    switch self {
    case .unacceptableProtocolVersion:
      "the broker does not support this version of MQTT: try a different broker.protocol"
    case .identifierRejected:
      "the broker rejected the client_id, which may be too long or not allowed, or a keepalive above its limit, for "
        + "which MQTT 3.1.1 has no other code; see its log"
    case .serverUnavailable: "the broker reports that it is unavailable: wait, or see its log"
    case .badUserNameOrPassword:
      "the broker requires a user name and password, or does not accept the certificate as identity: see its "
        + "configuration"
    case .notAuthorized:
      "the broker does not allow this client to connect: check the user name and password, or the certificate's name, "
        + "and the broker's access list"
    }
  }
}

extension ReasonCode {
  /// End of the sentence "the broker refused the connection: …".
  fileprivate var sentence: String {
    switch self {
    case .normalDisconnection: "it closed the connection normally"
    case .unspecifiedError: "it gave no reason; see its log"
    case .malformedPacket: "it could not parse a packet from Tappet; please report this"
    case .protocolError: "it considers a packet from Tappet a protocol error; please report this"
    case .implementationSpecificError: "it reported an implementation-specific error; see its log"
    case .unsupportedProtocolVersion: "it does not support MQTT 5; leave out broker.protocol"
    case .clientIdentifierNotValid: "it does not accept this client_id"
    case .badUserNameOrPassword: "it requires a user name and password, or does not accept the certificate as identity"
    case .notAuthorized:
      "this client is not authorized; check the user name and password, or the certificate's name, and its access list"
    case .serverUnavailable: "it is unavailable; wait, or see its log"
    case .serverBusy: "it is busy; retrying"
    case .banned: "this client is banned; ask the broker's administrator"
    case .serverShuttingDown: "it is shutting down; retrying"
    case .badAuthenticationMethod: "it requires an authentication method other than certificates"
    case .keepAliveTimeout: "it received nothing within the keepalive interval; the network is dropping packets"
    case .sessionTakenOver: "another client connected with the same client_id; use a different client_id for each kiosk"
    case .topicFilterInvalid: "it rejected a topic filter"
    case .topicNameInvalid: "it rejected a topic; see its rules for topics"
    case .receiveMaximumExceeded: "it received more messages at the same time than it allows; please report this"
    case .topicAliasInvalid: "it rejected a topic alias; please report this"
    case .packetTooLarge: "a message is larger than it allows"
    case .messageRateTooHigh: "messages arrive faster than it allows"
    case .quotaExceeded: "its quota for this client is used up"
    case .administrativeAction: "its administrator ended the connection"
    case .payloadFormatInvalid: "it rejected a message's payload format"
    case .retainNotSupported: "it does not support retained messages, which the kiosk's status requires"
    case .qosNotSupported: "it does not support QoS 1, which every message requires"
    case .useAnotherServer: "it refers clients to another server for now; see broker.url"
    case .serverMoved: "it has moved; change broker.url"
    case .sharedSubscriptionsNotSupported: "it does not support shared subscriptions"
    case .connectionRateExceeded: "connections are made faster than it allows; retrying"
    case .maximumConnectTime: "the connection reached the maximum duration that it allows; retrying"
    case .subscriptionIdentifiersNotSupported: "it does not support subscription identifiers"
    case .wildcardSubscriptionsNotSupported: "it does not support wildcard subscriptions"
    case .unknown(let number): "unknown reason \(number)"
    }
  }
}

extension TLSFailure {
  fileprivate var sentence: String {
    switch self {
    case .untrustedIssuer(let subject):
      "the broker's certificate (\(subject.quoted)) was issued by a CA that is not trusted: "
        + "is broker.ca the right file?"
    case .selfSigned(let subject):
      "the broker's certificate chain ends in a self-signed certificate that is not trusted (\(subject.quoted)): "
        + "is broker.ca the right file?"
    case .expired(let subject):
      "a certificate of the broker has expired (\(subject.quoted)): renew it on the broker, or correct this machine's "
        + "clock if it is ahead"
    case .notYetValid(let subject):
      "a certificate of the broker is not valid yet (\(subject.quoted)): most likely this machine's clock is behind"
    case .hostMismatch(let expected, let subject, let names):
      "the broker's certificate (\(subject.quoted)) was not issued for '\(expected)'"
        + TLSFailure.advice(expected, names: names)
    case .revoked(let subject):
      "a certificate of the broker was revoked (\(subject.quoted)): do not trust this server"
    case .crlMissing(let subject):
      "broker.crl contains no revocation list from the issuer of the broker's certificate (\(subject.quoted)): "
        + "add the issuer's list to it"
    case .crlExpired(let subject):
      "the revocation list in broker.crl has expired, so it is unknown whether the broker's certificate "
        + "(\(subject.quoted)) was revoked: replace it with the issuer's current list"
    case .crlUnusable(let subject, let text):
      "the revocation list in broker.crl cannot be used for the broker's certificate (\(subject.quoted)): \(text)"
    case .unacceptable(let subject, _, let text):
      "the broker's certificate (\(subject.quoted)) is not acceptable: \(text)"
    case .alert(let alert): alert.sentence
    case .notTLS: "the server does not use TLS: is this the broker's port without TLS, or not a broker at all?"
    case .noCommonVersion: "the broker supports only TLS versions older than 1.2: update it"
    case .protocolError(_, let text): "the TLS handshake failed (\(text)): see the broker's log"
    }
  }
}

extension TLSFailure {
  /// The most names of a certificate that a sentence lists.
  private static var namesMax: Int { 5 }

  /// Returns the end of the sentence about a certificate for other names.
  private static func advice(_ expected: String, names: String) -> String {
    let all = names.utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)).trimmedLabel ?? "" }
    if all.isEmpty { return ": it has no subjectAltName, and the CN is ignored; get a certificate for that name" }
    if all.contains("DNS:" + expected) {
      return ": it has the address as a DNS name, but an address counts only as an IP address (IP:\(expected))"
    }
    let more = all.count > namesMax ? " and \(all.count - namesMax) more" : ""
    return ", but for " + all.prefix(namesMax).joined(separator: ", ").quoted + more
      + ": use one of these names in broker.url, or get a certificate for that name"
  }
}

extension TLSAlert {
  fileprivate var sentence: String {
    switch self {
    case .unexpectedMessage: TLSAlert.refused("it received an unexpected message; see its log")
    case .badRecord: TLSAlert.refused("the data was damaged in transit")
    case .handshakeFailure:
      TLSAlert.refused("it found no common parameters, or requires a client certificate; check broker.certificate")
    case .badCertificate: TLSAlert.refused("it considers the client certificate invalid; check broker.certificate")
    case .unsupportedCertificate:
      TLSAlert.refused("it does not accept this kind of client certificate, which may lack 'client authentication'")
    case .certificateRevoked: TLSAlert.refused("the client certificate was revoked; get a new one")
    case .certificateExpired: TLSAlert.refused("the client certificate has expired; renew broker.certificate")
    case .certificateUnknown: TLSAlert.refused("it does not accept the client certificate; see its log")
    case .illegalParameter: TLSAlert.refused("it reported an illegal parameter; see its log")
    case .unknownCA:
      TLSAlert.refused("it does not recognize the client certificate's issuer; is broker.certificate for this broker?")
    case .accessDenied: TLSAlert.refused("the client certificate is valid but not allowed; see its access list")
    case .decodeError: TLSAlert.refused("it could not decode a message; see its log")
    case .decryptError:
      TLSAlert.refused("signature verification failed; do broker.certificate and broker.private_key belong together?")
    case .protocolVersion: TLSAlert.refused("it does not support TLS 1.2 or newer; update it")
    case .insufficientSecurity: TLSAlert.refused("it requires stronger ciphers than were offered")
    case .internalError: TLSAlert.refused("it reported an internal error; see its log")
    case .unrecognizedName: TLSAlert.refused("it does not recognize the name in broker.url")
    case .certificateRequired:
      TLSAlert.refused("it requires a client certificate; set broker.certificate and broker.private_key")
    case .noApplicationProtocol: TLSAlert.refused("it requires an application protocol that was not offered")
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
      case .empty(let path): "\(path) is empty: add the PEM text"
      case .passwordTooLong(let path):
        "the first line of \(path) is longer than \(Limits.brokerPasswordSizeMax) bytes, the limit of MQTT"
      case .notText(let path, isDamaged: let isDamaged):
        (isDamaged ? TextFault.utf16Damaged : .containsNUL).sentence(path)
      case .passwordEmpty(let path): "\(path) has an empty first line; write the password into its first line"
      case .notPEM(let path):
        "\(path) contains no readable certificate: it must be PEM, with '-----BEGIN CERTIFICATE-----'"
      case .notCRL(let path):
        "\(path) contains no readable revocation list: it must be PEM, with '-----BEGIN X509 CRL-----', or DER"
      case .crlExpired(let path, let issuer):
        "the revocation list of \(issuer.quoted) in \(path) has expired, so no broker is trusted: "
          + "replace it with the current list"
      case .keyNotPEM(let path):
        "\(path) contains no readable private key: it must be PEM, with '-----BEGIN … PRIVATE KEY-----'"
      case .keyEncrypted(let path):
        "\(path) is encrypted, and a kiosk cannot prompt for the passphrase: use 'tappet cert import', which "
          + "prompts once and stores the key with mode 0600"
      case .request(let path):
        "\(path) is a certificate request: send it to the CA, and use the certificate that it issues"
      case .bundleEncrypted(let path):
        "\(path) is protected by a passphrase, for which a kiosk cannot prompt: run 'tappet cert import \(path)'"
      case .bundleLegacy(let path):
        "\(path) is encrypted with an old cipher (RC2) that this machine's OpenSSL supports only in its legacy "
          + "provider: install openssl-provider-legacy, or export it again"
      case .bundleDamaged(let path):
        "\(path) is neither PEM nor a complete certificate, key or .p12 file: copy it again"
      case .bundleWithoutKey(let path):
        "\(path) contains no private key: export it together with its key, or specify the key file too"
      case .bundleWithoutCertificate(let path): "\(path) contains no certificate: export it together with its key"
      case .passphraseWrong(let path): "wrong passphrase for \(path)"
      case .keyWithoutCertificate(let key): "\(key) is specified without a certificate: set broker.certificate too"
      case .keyReadable(let path): "\(path) can be read by others; run: chmod 600 \(path)"
      case .certificateWithoutKey(let certificate):
        "\(certificate) is specified without its key: set broker.private_key too"
      case .unknownKey(let path):
        "\(path) contains a damaged key, or a key type that this machine's OpenSSL does not support: "
          + "use a P-256 or RSA 2048 key"
      case .bundleSlow(let path, let iterations):
        "\(path) requires \(iterations) iterations to open, more than \(Limits.bundleIterationsMax): export it with "
          + "fewer iterations"
      case .keyMismatch(let certificate, let key):
        "\(key) is not the key of \(certificate): use a certificate and key that were created together"
      case .tooWeak(let path, let text): "\(path) is refused by this machine's OpenSSL policy: \(text)"
      case .noSystemTrustStore: "this machine's trust store cannot be loaded: install ca-certificates, or set broker.ca"
      case .unusableHost(let host): "'\(host)' is not a name or address that a certificate can be checked against"
      case .library(let text): "OpenSSL could not be set up: \(text)"
      }
    }
  }
}
