// Where the broker is and how to prove who we are; read from the configuration, used by BrokerLink.

import TappetCore

/// One broker's address.
public struct BrokerEndpoint: Hashable, Sendable {
  /// A name or a numeric address, without brackets.
  public var host: String
  /// 1 to 65535.
  public var port: UInt16
  /// `mqtts://` or `mqtt://`.
  public var usesTLS: Bool

  /// An endpoint.
  public init(host: String, port: UInt16, usesTLS: Bool) {
    self.host = host
    self.port = port
    self.usesTLS = usesTLS
  }
}

/// Which MQTT is spoken.
public enum MQTTVersion: Hashable, Sendable {
  case v311
  case v5
}

/// Everything that a connection needs.
///
/// Files are named, not read: they are read anew at each connect.
public struct BrokerSettings: Hashable, Sendable {
  /// At least one; the next is tried when one fails.
  public var endpoints: [BrokerEndpoint]
  /// Unique at the broker.
  public var clientID: String
  /// PEM.
  ///
  /// Given: its certificates alone are the anchors, even an intermediate or the server's own. Nil: the system's.
  public var caFile: String?
  /// PEM, the chain after the leaf; or PKCS#12 without a passphrase.
  ///
  /// Nil: no client certificate.
  public var certificateFile: String?
  /// PEM.
  ///
  /// Nil: the certificate's file holds the key too.
  public var privateKeyFile: String?
  /// The protocol's name that is offered in the handshake (ALPN); nil: none is.
  ///
  /// AWS IoT Core tells MQTT from HTTPS by it on port 443.
  public var alpn: String?
  /// 3.1.1 unless told otherwise.
  public var version: MQTTVersion
  /// Seconds between PINGREQs.
  public var keepaliveSeconds: UInt16
  /// Whether `online` and `offline` are kept at `<statusTopic>/status`, the latter also as the last will.
  public var announcesStatus: Bool
  /// The topic's first part for status and counters: `tappet/<client_id>`.
  public var statusTopic: String { "tappet/" + clientID }

  /// Whether a text can be a client id: it is part of the status topic.
  public static func isClientID(_ text: String) -> Bool {
    let isForbidden = text.utf8.contains { $0 == 0x2F || $0 == 0x2B || $0 == 0x23 || $0 < 0x20 }
    return !isForbidden && (1...Limits.clientIDSizeMax).contains(text.utf8.count)
  }

  /// Settings with the app's defaults.
  public init(
    endpoints: [BrokerEndpoint], clientID: String, caFile: String? = nil, certificateFile: String? = nil,
    privateKeyFile: String? = nil, version: MQTTVersion = .v311, keepaliveSeconds: UInt16 = 60,
    announcesStatus: Bool = true, alpn: String? = nil
  ) {
    self.endpoints = endpoints
    self.clientID = clientID
    self.caFile = caFile
    self.certificateFile = certificateFile
    self.privateKeyFile = privateKeyFile
    self.version = version
    self.keepaliveSeconds = keepaliveSeconds
    self.announcesStatus = announcesStatus
    self.alpn = alpn
  }
}
