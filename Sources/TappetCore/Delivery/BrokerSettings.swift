// The broker's address and our credentials; read from the configuration, used by BrokerLink.

/// One broker's address.
package struct BrokerEndpoint: Hashable, Sendable {
  /// A name or a numeric address, without brackets.
  package var host: String
  /// The port, 1 to 65535.
  package var port: UInt16
  /// Whether it is `mqtts://` and not `mqtt://`.
  package var usesTLS: Bool

  /// An endpoint at this address.
  package init(host: String, port: UInt16, usesTLS: Bool) {
    self.host = host
    self.port = port
    self.usesTLS = usesTLS
  }
}

/// The version of MQTT to use.
package enum MQTTVersion: Hashable, Sendable {
  /// For the broker tool alone.
  case v31
  case v311
  case v5
}

/// Whether a broker speaks MQTT 5, as far as that is known before an attempt to connect.
package enum MQTT5Support: Hashable, Sendable {
  /// Nothing: without an answer it is asked again with 3.1.1.
  case unknown
  /// It has spoken it: a connection that is cut does not mean that it does not.
  case present
  /// It is asked with 3.1.1.
  case absent
}

/// A password in memory, which is wiped at the end.
package struct BrokerPassword: Hashable, Sendable {
  /// 1 to 65535 bytes without NUL.
  package let bytes: SecretBytes

  /// Takes a password; `nil` when it cannot be one.
  package init?(_ bytes: SecretBytes) {
    guard (1...Limits.brokerPasswordSizeMax).contains(bytes.count), !bytes.hasNUL else { return nil }
    self.bytes = bytes
  }

  package static func == (left: Self, right: Self) -> Bool { left.bytes.isEqual(to: right.bytes) }

  package func hash(into hasher: inout Hasher) { hasher.combine(bytes.count) }
}

/// A key that the broker has too, instead of certificates (RFC 4279, RFC 8446 §2.2).
package struct PreSharedKey: Hashable, Sendable {
  /// The name under which the broker knows the key.
  package var identity: String
  /// File whose first line is the key in hexadecimal digits, read at each connect.
  package var file: String

  /// The key in this file, under this name.
  package init(identity: String, file: String) {
    self.identity = identity
    self.file = file
  }
}

/// The message that the broker publishes when the connection breaks.
package struct BrokerWill: Hashable, Sendable {
  /// Topic without wildcards.
  package var topic: String
  /// The payload's bytes.
  package var payload: [UInt8]
  /// Quality of service, 0 to 2.
  package var qos: Int32
  /// Whether the broker keeps it.
  package var isRetained: Bool

  /// A will with these parts.
  package init(topic: String, payload: [UInt8], qos: Int32, isRetained: Bool) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.isRetained = isRetained
  }
}

/// Everything that a connection needs.
///
/// Files are given by name: they are read again at each connect.
package struct BrokerSettings: Hashable, Sendable {
  /// The endpoints, at least one; when one fails, the next is tried.
  package var endpoints: [BrokerEndpoint]
  /// The client id, unique at the broker.
  package var clientID: String
  /// PEM file of the trust anchors; `nil` means the system's.
  ///
  /// If it is given, its certificates are the only anchors, even if they are an intermediate or the server's own.
  package var caFile: String?
  /// PEM or DER file of revocation lists; `nil` means that revocation is not checked.
  ///
  /// If it is given, the issuer of the broker's certificate must have a list in it that is still valid.
  package var crlFile: String?
  /// PEM file with the chain after the leaf, or PKCS#12 without a passphrase; `nil` means no client certificate.
  package var certificateFile: String?
  /// PEM file of the private key; `nil` means that the certificate's file contains the key too.
  package var privateKeyFile: String?
  /// A key in place of certificates on both sides; for the broker tool alone.
  package var preSharedKey: PreSharedKey?
  /// The user name in CONNECT; `nil` means none.
  package var username: String?
  /// File whose first line is the password, read at each connect; `nil` means none.
  ///
  /// Only with a user name, and only to endpoints that use TLS.
  package var passwordFile: String?
  /// The password, if it is not in a file; under the same conditions.
  package var password: BrokerPassword?
  /// The protocol name offered in the handshake (ALPN); `nil` means none.
  ///
  /// On port 443 AWS IoT Core uses it to tell MQTT from HTTPS.
  package var alpn: String?
  /// The only version of MQTT to use; `nil` means the usual one of each endpoint.
  package var version: MQTTVersion?
  /// Seconds between two PINGREQs.
  package var keepaliveSeconds: UInt16
  /// How long the broker may be silent while it owes an answer; `nil` means the usual time.
  package var answerTimeout: Duration?
  /// Whether `online` and `offline` are kept at `<statusTopic>/status`, the latter also as the last will.
  package var announcesStatus: Bool
  /// Whether the broker keeps retained messages; without, the status and all others are sent without that wish.
  package var keepsRetained = true
  /// Whether a broker without QoS 1 is of no use.
  package var needsQoS1 = false
  /// Topics that are subscribed to at each connect, with QoS 1; nothing on any other topic is taken.
  package var commandTopics: [String] = []
  /// The topic of the site's bundles, which is subscribed to as well, with what the broker keeps there.
  package var siteTopic: String?
  /// All topics that are subscribed to at each connect.
  package var ownTopics: [String] { commandTopics + (siteTopic.map { [$0] } ?? []) }
  /// A will of the caller's own, without `announcesStatus`.
  package var will: BrokerWill?
  /// The time for CONNACK, and for silence while a PUBACK or the answer to a ping is due.
  ///
  /// Shorter where there is another broker to go to.
  package var answerMax: Duration {
    answerTimeout ?? (endpoints.count > 1 ? Limits.clusterAnswerTimeout : Limits.acknowledgeTimeout)
  }
  /// The first part of the topics for status and counters: `tappet/<client_id>`.
  package var statusTopic: String { "tappet/" + clientID }

  /// The topics for Home Assistant.
  package var homeAssistantTopics: HomeAssistantTopics { HomeAssistantTopics(base: statusTopic) }

  /// Topic of the kiosk's state.
  package var stateTopic: String { statusTopic + "/state" }

  /// Topic on which the kiosk answers `tappet fleet run check`.
  package var checkTopic: String { statusTopic + "/check" }

  /// Whether a text can be a client id, which is part of the status topic.
  package static func isClientID(_ text: String) -> Bool {
    let isForbidden = text.utf8.contains { $0 == 0x2F || $0 == 0x2B || $0 == 0x23 }
    return !isForbidden && text.isOfMQTT && (1...Limits.clientIDSizeMax).contains(text.utf8.count)
  }

  /// The version to begin with: MQTT 5, whose PUBACK says whether the message was taken, but only over TLS.
  ///
  /// One packet of MQTT 5 with an unknown property ends the connection, and a program that uses libtappet.so
  /// (libmosquitto 2.0.11 to 2.0.20 asserts); without TLS anybody on the way could send it.
  package func firstVersion(for endpoint: BrokerEndpoint) -> MQTTVersion {
    version ?? (endpoint.usesTLS ? .v5 : .v311)
  }

  /// The name of the version that was agreed upon: `5`, `3.1.1` or `3.1`.
  package func versionName(usesMQTT5: Bool) -> String { usesMQTT5 ? "5" : version == .v31 ? "3.1" : "3.1.1" }

  /// Settings with the usual version of MQTT.
  @export(interface)
  package init(
    endpoints: [BrokerEndpoint], clientID: String, caFile: String? = nil, certificateFile: String? = nil,
    privateKeyFile: String? = nil, version: MQTTVersion? = nil, keepaliveSeconds: UInt16 = 60,
    announcesStatus: Bool = true, alpn: String? = nil, username: String? = nil, passwordFile: String? = nil
  ) {
    self.endpoints = endpoints
    self.clientID = clientID
    self.caFile = caFile
    self.certificateFile = certificateFile
    self.privateKeyFile = privateKeyFile
    self.version = version
    self.keepaliveSeconds = keepaliveSeconds
    self.announcesStatus = announcesStatus
    self.username = username
    self.passwordFile = passwordFile
    self.alpn = alpn
  }
}
