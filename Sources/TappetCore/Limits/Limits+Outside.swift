// Bounds on what others may make a kiosk do: its broker, its files, the programs at its control socket.

extension Limits {
  // MARK: Files
  /// Iterations of a key derivation; exporters use 2,000 to 600,000, and a slow board does a million in 4 s.
  package static let bundleIterationsMax: UInt64 = 1_000_000
  /// Levels of ASN.1 within a certificate or key file; a .p12 has 12.
  package static let certificateFileDepthMax = 32
  // MARK: The broker
  /// Bytes that a broker may send, in addition to its answers, to a client that subscribes to nothing.
  ///
  /// A handshake with a long chain and session tickets takes 20 KB.
  package static let linkUnaskedSizeMax: Int64 = 256 * 1024
  /// Bytes of one answer, a PUBACK or PINGRESP: 2 to 100 with TLS, more with MQTT 5's reason string.
  package static let linkAnswerSizeMax: Int64 = 512
  /// How long 'tappet check --deliver' waits for each answer, and for its message to come back.
  package static let deliveryProbeMax: Duration = .seconds(5)
  /// How long a broker that says that it does not speak MQTT 5 is not asked again: brokers are updated.
  package static let fallbackMax: Duration = .seconds(7 * 24 * 3600)
  /// The same of one that only hung up: it may have had another reason.
  package static let doubtfulFallbackMax: Duration = .seconds(24 * 3600)
  /// Attempts in turn that end without CONNACK until a broker that has spoken MQTT 5 may be asked with 3.1.1: whoever
  /// can cut a connection should not choose the version.
  package static let hangUpsUntilDoubt = 5
  /// Bytes that one call of libmosquitto's reads, before what has come is judged: four of TLS's largest records.
  package static let linkReadSizeMax = 64 * 1024
  /// Bytes that a broker may send ahead of what was read, to a client that subscribes to nothing.
  package static let linkWindow: Int32 = 16 * 1024
  // MARK: The control socket
  /// Clients on the control socket.
  package static let controlClientsMax = 16
  /// Places among them that only root and the kiosk's own user get: a group's programs must not lock them out.
  package static let controlPlacesKept = 2
  /// Clients accepted in one turn of the loop; the rest comes with the next.
  package static let controlAcceptsPerTurn = 4
}
