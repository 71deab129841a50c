// The broker's address and the kiosk's credentials, read from the configuration and used by BrokerLink.

/// One broker's address.
package struct BrokerEndpoint: Hashable, Sendable {
  /// Host name or numeric address, without brackets.
  package var host: String
  /// The port, 1 to 65535.
  package var port: UInt16
  /// Whether the scheme is `mqtts://` rather than `mqtt://`.
  package var usesTLS: Bool
  /// Whether the password is sent to the endpoint even without TLS, where everyone on the network can read it.
  package var allowsPlainPassword = false

  package init(host: String, port: UInt16, usesTLS: Bool) {
    self.host = host
    self.port = port
    self.usesTLS = usesTLS
  }
}

/// The version of MQTT to use.
package enum MQTTVersion: Hashable, Sendable {
  case v311
  case v5
}

/// A broker's MQTT 5 support, as known before a connection attempt.
package enum MQTT5Support: Hashable, Sendable {
  /// Unknown: if the broker does not respond to MQTT 5, 3.1.1 is tried.
  case unknown
  /// Known to be supported; a dropped connection does not prove otherwise.
  case present
  /// Not supported: 3.1.1 is used.
  case absent
}

/// A password in memory, which is wiped when it is released.
package struct BrokerPassword: Hashable, Sendable {
  /// 1 to 65535 bytes without NUL.
  package let bytes: SecretBytes

  /// Wraps a password; `nil` if its size is out of range or it contains a NUL.
  package init?(_ bytes: SecretBytes) {
    guard (1...Limits.brokerPasswordSizeMax).contains(bytes.count), !bytes.hasNUL else { return nil }
    self.bytes = bytes
  }

  package static func == (left: Self, right: Self) -> Bool { left.bytes.isEqual(to: right.bytes) }

  package func hash(into hasher: inout Hasher) { hasher.combine(bytes.count) }
}

/// The message that the broker publishes when the connection breaks.
package struct BrokerWill: Hashable, Sendable {
  /// Topic without wildcards.
  package var topic: String
  /// The payload's bytes.
  package var payload: [UInt8]
  /// Quality of service, 0 to 2.
  package var qos: Int32
  /// Whether the broker retains the message.
  package var isRetained: Bool

  package init(topic: String, payload: [UInt8], qos: Int32, isRetained: Bool) {
    self.topic = topic
    self.payload = payload
    self.qos = qos
    self.isRetained = isRetained
  }
}

/// The settings of a connection to the broker.
///
/// Files are specified by path, and read again on every connect.
package struct BrokerSettings: Hashable, Sendable {
  /// The endpoints, at least one; when one fails, the next is tried.
  package var endpoints: [BrokerEndpoint]
  /// The client id, which must be unique at the broker.
  package var clientID: String
  /// PEM file of the trust anchors; `nil` means the system's.
  ///
  /// If specified, its certificates are the only anchors, even if they are intermediates or the server's own.
  package var caFile: String?
  /// PEM or DER file of revocation lists; `nil` means that revocation is not checked.
  ///
  /// If specified, the file must contain a list that is still valid and is from the issuer of the broker's certificate.
  package var crlFile: String?
  /// PEM file with the leaf followed by its chain, or PKCS#12 without a passphrase; `nil` means no client certificate.
  package var certificateFile: String?
  /// PEM file of the private key; `nil` means that the certificate's file contains the key too.
  package var privateKeyFile: String?
  /// The user name in CONNECT; `nil` if there is none.
  package var username: String?
  /// File whose first line is the password, read on every connect; `nil` if there is none.
  ///
  /// Sent only with a user name, and only to endpoints that use TLS, unless `allowsPlainPassword` is set.
  package var passwordFile: String?
  /// The password, if it is not in a file; sent under the same conditions.
  package var password: BrokerPassword?
  /// The protocol name offered in the handshake (ALPN); `nil` if there is none.
  ///
  /// On port 443, AWS IoT Core uses the name to distinguish MQTT from HTTPS.
  package var alpn: String?
  /// The only MQTT version to use; `nil` means the default version of each endpoint.
  package var version: MQTTVersion?
  /// Interval between PINGREQs, in seconds.
  package var keepaliveSeconds: UInt16
  /// Maximum time without data from the broker while a response is pending; `nil` means the default.
  package var answerTimeout: Duration?
  /// Whether the retained messages `online` and `offline` are published to `<statusTopic>/status`, the latter also as
  /// the last will.
  package var announcesStatus: Bool
  /// Whether the broker supports retained messages; otherwise all messages, including the status, are sent without the
  /// retain flag.
  package var keepsRetained = true
  /// Whether the connection requires QoS 1, as a kiosk does, but not retained messages.
  package var needsQoS1 = false
  /// Topics to subscribe to on every connect, with QoS 1; messages on any other topic are ignored.
  package var commandTopics: [String] = []
  /// Topic of the site's bundles, to which the kiosk also subscribes, including its retained message.
  package var siteTopic: String?
  /// All topics to subscribe to on every connect.
  package var ownTopics: [String] { commandTopics + (siteTopic.map { [$0] } ?? []) }
  /// A custom will, used if `announcesStatus` is false.
  package var will: BrokerWill?
  /// The last will of a connection, as far as the broker supports it.
  package var lastWill: BrokerWill? {
    var will = announcesStatus ? statusWill("offline") : will
    if !keepsRetained { will?.isRetained = false }
    return will
  }
  /// A last will like the kiosk's that leaves nothing behind: it only deletes the retained status of this client.
  package var probeWill: BrokerWill { statusWill("") }
  private func statusWill(_ payload: String) -> BrokerWill {
    BrokerWill(topic: statusTopic + "/status", payload: Array(payload.utf8), qos: 1, isRetained: true)
  }
  /// Timeout for CONNACK, and for silence while a PUBACK or PINGRESP is pending.
  ///
  /// The timeout is shorter if there is more than one broker to try.
  package var answerMax: Duration {
    answerTimeout ?? (endpoints.count > 1 ? Limits.clusterAnswerTimeout : Limits.acknowledgeTimeout)
  }
  /// Whether the password is also sent without TLS.
  package var sendsPlainPassword: Bool { endpoints.contains { $0.allowsPlainPassword } }
  /// The prefix of the topics for status and counters: `tappet/<client_id>`.
  package var statusTopic: String { "tappet/" + clientID }

  /// The topics for Home Assistant.
  package var homeAssistantTopics: HomeAssistantTopics { HomeAssistantTopics(base: statusTopic) }

  /// Topic of the kiosk's state.
  package var stateTopic: String { statusTopic + "/state" }

  /// Topic on which the kiosk responds to `tappet fleet run check`.
  package var checkTopic: String { statusTopic + "/check" }

  /// Whether a text is a valid client id, which becomes part of the status topic.
  package static func isClientID(_ text: String) -> Bool {
    let isForbidden = text.utf8.contains { $0 == 0x2F || $0 == 0x2B || $0 == 0x23 }
    return !isForbidden && text.isOfMQTT && (1...Limits.clientIDSizeMax).contains(text.utf8.count)
  }

  /// Returns the version to try first: MQTT 5, whose PUBACK reports whether the message was accepted, but only over
  /// TLS.
  ///
  /// A single MQTT 5 packet with an unknown property ends the connection, and crashes a program that uses libtappet.so
  /// (libmosquitto 2.0.11 to 2.0.20 asserts); without TLS, anyone on the network path could send such a packet.
  package func firstVersion(for endpoint: BrokerEndpoint) -> MQTTVersion {
    version ?? (endpoint.usesTLS ? .v5 : .v311)
  }

  /// Returns the name of the negotiated version: `5` or `3.1.1`.
  package func versionName(usesMQTT5: Bool) -> String { usesMQTT5 ? "5" : "3.1.1" }

  /// Creates settings with the default MQTT version, unless `version` is specified.
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
