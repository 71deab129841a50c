// Limits on a kiosk's external input: its broker, its files, and the programs on its control socket.

extension Limits {
  // MARK: Files
  /// Iterations of a key derivation; exporters use 2,000 to 600,000, and a slow board does a million in 4 s.
  package static let bundleIterationsMax: UInt64 = 1_000_000
  /// Levels of ASN.1 within a certificate or key file; a .p12 has 12.
  package static let certificateFileDepthMax = 32
  // MARK: The broker
  /// Maximum number of unsolicited bytes from a broker to a client without subscriptions.
  ///
  /// A handshake with a long chain and session tickets takes 20 KB.
  package static let linkUnaskedSizeMax: Int64 = 256 * 1024
  /// Bytes of one answer, a PUBACK or PINGRESP: 2 to 100 with TLS, more with MQTT 5's reason string.
  package static let linkAnswerSizeMax: Int64 = 512
  /// Time that 'tappet check --deliver' waits for each answer, and for the return of its message.
  package static let deliveryProbeMax: Duration = .seconds(5)
  /// Time before MQTT 5 is tried again with a broker that reported that it does not support it: brokers are updated.
  package static let fallbackMax: Duration = .seconds(7 * 24 * 3600)
  /// The same time for a broker that only closed the connection, possibly for another reason.
  package static let doubtfulFallbackMax: Duration = .seconds(24 * 3600)
  /// Consecutive attempts without CONNACK until 3.1.1 may be tried with a broker that has spoken MQTT 5: an attacker
  /// who can cut a connection must not choose the version.
  package static let hangUpsUntilDoubt = 5
  /// Bytes that one call of libmosquitto reads before the received data is checked: four TLS records of maximum size.
  package static let linkReadSizeMax = 64 * 1024
  /// Receive window in bytes: unread data that a broker may send to a client without subscriptions.
  package static let linkWindow: Int32 = 16 * 1024
  // MARK: The control socket
  /// Clients on the control socket.
  package static let controlClientsMax = 16
  /// Clients among them reserved for root and the kiosk's own user: a group's programs must not lock them out.
  package static let controlPlacesKept = 2
  /// Clients accepted in one turn of the loop; the rest follows in the next.
  package static let controlAcceptsPerTurn = 4
}
