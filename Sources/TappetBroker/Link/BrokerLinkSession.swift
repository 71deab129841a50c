// One libmosquitto object: one connection attempt and the resulting connection. Other files use only
// libmosquitto's codes and properties.
//
// An object is never reused, so libmosquitto cannot later send messages that it kept without our knowledge. Confined to
// one thread; callbacks run inside the calls of this type and only record what happened.

import CMosquitto
import CPlatform
import TappetCore
import TappetPlatform
import TappetTLS

/// A connection attempt and libmosquitto's reports about it.
final class BrokerLinkSession {
  /// The result of a libmosquitto call.
  struct Outcome {
    /// One of MOSQ_ERR_…, or `assertionFailed`; 0 is success.
    var code: Int32
    /// The errno right after the call; meaningful for MOSQ_ERR_ERRNO.
    var systemCode: Int32

    /// Code of a read that encountered an unknown MQTT 5 property; the object can then only be destroyed.
    static let assertionFailed: Int32 = -1000
  }

  /// The context of a TLS connection; outlives `mosquitto`, which uses the context.
  let tls: TLSContext?
  /// The CONNACK, once it has arrived.
  private(set) var connack: Connack?
  /// The reason code in MQTT 5's DISCONNECT, or libmosquitto's code for the end of the connection.
  private(set) var disconnectReason: Int32?
  private var acknowledgements: [Acknowledgement] = []
  private var grants: [Grant] = []
  private var endedSubscriptions: [Int32] = []
  private var received: (messages: [LinkMessage], discardedCount: Int) = ([], 0)
  private var isBuffered = false
  private var hasPinged = false
  /// Whether data is available to `read`, regardless of poll's result.
  private(set) var hasUnread = false
  private let mosquitto: OpaquePointer
  private let version: MQTTVersion
  private let takesCommands: Bool
  private let siteTopic: String?
  private let observe: (@Sendable (LinkStep) -> Void)?
  private let readsProperties: Bool
  var isSecured = false

  /// Whether mosquitto_lib_init succeeded, once per process; read before the first link's thread starts.
  static let isLibraryReady = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.rawValue

  /// Creates a configured object without a connection, with at most `window` messages in flight.
  init(
    _ settings: BrokerSettings, _ version: MQTTVersion, tls: TLSContext?, window: Int,
    observe: (@Sendable (LinkStep) -> Void)? = nil, readsProperties: Bool = false
  ) throws(LinkFailure) {
    self.tls = tls
    self.observe = observe
    self.readsProperties = readsProperties
    self.version = version
    takesCommands = settings.announcesStatus || !settings.ownTopics.isEmpty
    siteTopic = settings.siteTopic
    mosquitto = try BrokerLinkSession.makeObject(settings.clientID)
    let object = mosquitto
    mosquitto_user_data_set(object, Unmanaged.passUnretained(self).toOpaque())
    try configure(settings, version)
    try check(mosquitto_max_inflight_messages_set(mosquitto, UInt32(window)))
    mosquitto_connect_v5_callback_set(object) { _, context, code, flags, properties in
      BrokerLinkSession.recordConnack(context, code, flags, properties)
    }
    mosquitto_publish_v5_callback_set(object) { _, context, messageID, reason, _ in
      guard let session = BrokerLinkSession.session(context) else { return }
      session.acknowledgements.append(Acknowledgement(messageID: messageID, reason: reason))
    }
    mosquitto_subscribe_callback_set(object) { _, context, messageID, count, granted in
      guard let session = BrokerLinkSession.session(context), count > 0, let qos = granted?.pointee else { return }
      session.grants.append(
        Grant(
          messageID: messageID, qos: (0...2).contains(qos) ? qos : nil, reason: UInt8(truncatingIfNeeded: qos)))
    }
    mosquitto_unsubscribe_callback_set(object) { _, context, messageID in
      BrokerLinkSession.session(context)?.endedSubscriptions.append(messageID)
    }
    mosquitto_message_v5_callback_set(object) { _, context, message, properties in
      if let message { BrokerLinkSession.session(context)?.note(message.pointee, properties) }
    }
    mosquitto_disconnect_v5_callback_set(object) { _, context, reason, _ in
      // A DISCONNECT packet is reported first; a read without a socket then reports MOSQ_ERR_NO_CONN.
      guard let session = BrokerLinkSession.session(context), session.disconnectReason == nil else { return }
      session.disconnectReason = reason
    }
  }

  deinit { mosquitto_destroy(mosquitto) }

  /// Creates a libmosquitto object, without libmosquitto's side effect of ignoring SIGPIPE in the whole process.
  ///
  /// SIGPIPE need not be ignored: the link's thread blocks all signals, so its writes to a closed socket only fail.
  private static func makeObject(_ clientID: String) throws(LinkFailure) -> OpaquePointer {
    var code: Int32 = 0
    let object = SignalMask.keepingSIGPIPE {
      let object = mosquitto_new(clientID, true, nil)
      code = SystemError.last("mosquitto_new").code
      return object
    }
    guard let object else {
      throw code == EINVAL ? .settingsRefused(code: MOSQ_ERR_INVAL.rawValue) : .system(SystemCode(code))
    }
    return object
  }

  private func configure(_ settings: BrokerSettings, _ version: MQTTVersion) throws(LinkFailure) {
    let number = version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
    try check(mosquitto_int_option(mosquitto, MOSQ_OPT_PROTOCOL_VERSION, number))
    try check(mosquitto_int_option(mosquitto, MOSQ_OPT_TCP_NODELAY, 1))
    if let tls {
      // Without its defaults, libmosquitto adds neither a trust store nor its own verification (2.0.11, 2.0.20).
      try check(mosquitto_int_option(mosquitto, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0))
      try check(mosquitto_void_option(mosquitto, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(tls.handle)))
    }
    try logIn(settings)
    guard let will = settings.lastWill else { return }
    let size = Int32(clamping: will.payload.count)
    try check(mosquitto_will_set(mosquitto, will.topic, size, will.payload, will.qos, will.isRetained))
  }

  /// Sets the user name and the password; a password file is read again for each attempt.
  private func logIn(_ settings: BrokerSettings) throws(LinkFailure) {
    guard let name = settings.username else { return }
    // The password is never sent in plain text without consent, whatever the source of the settings.
    let maySend = tls != nil || settings.sendsPlainPassword
    if let password = settings.password, maySend {
      return try check(password.bytes.withCString { mosquitto_username_pw_set(mosquitto, name, $0) })
    }
    guard let path = settings.passwordFile, maySend else {
      return try check(mosquitto_username_pw_set(mosquitto, name, nil))
    }
    switch TextFile.read(path, sizeMax: Limits.secretFileSizeMax) {
    case .failure(let error):
      throw .files(.unreadable(path: path, SystemCode(error.code)))
    case .success(var content):
      defer { LibCrypto.wipe(&content.bytes) }
      guard content.mode & 0o077 == 0 else { throw .files(.keyReadable(path: path)) }
      var password = try Self.line(of: content, path)
      defer { LibCrypto.wipe(&password) }
      guard !password.isEmpty else { throw .files(.passwordEmpty(path: path)) }
      // libmosquitto would cut the length.
      guard password.count <= Limits.brokerPasswordSizeMax else { throw .files(.passwordTooLong(path: path)) }
      password.append(0)
      let code = password.withUnsafeBytes {
        mosquitto_username_pw_set(mosquitto, name, $0.baseAddress?.assumingMemoryBound(to: CChar.self))
      }
      try check(code)
    }
  }

  private static func line(of content: TextFile, _ path: String) throws(LinkFailure) -> [UInt8] {
    do throws(TextFault) { return try content.firstLine() } catch {
      throw .files(.notText(path: path, isDamaged: error == .utf16Damaged))
    }
  }

  private func check(_ code: Int32) throws(LinkFailure) {
    if code != MOSQ_ERR_SUCCESS.rawValue { throw .settingsRefused(code: code) }
  }

  // MARK: Calls

  /// Starts connecting to a numeric address, without blocking.
  ///
  /// Sets the socket's close-on-exec flag, which libmosquitto does not set, and keeps its receive window small.
  func start(address: String, port: UInt16, keepaliveSeconds: UInt16) -> Outcome {
    let result = outcome(mosquitto_connect_async(mosquitto, address, Int32(port), Int32(keepaliveSeconds)))
    if socket >= 0 {
      _ = tp_fcntl_set(socket, F_SETFD, FD_CLOEXEC)
      _ = tp_set_window(socket, Limits.linkWindow)
    }
    return result
  }

  /// Starts buffering on an established connection: from now on, packets are sent by `flush`.
  func beginBuffering() {
    guard let connection else { return }
    TLSBuffering.begin(connection)
    isBuffered = true
  }

  /// Sends buffered data.
  func flush() { if isBuffered, let connection { TLSBuffering.flush(connection) } }

  /// The TLS connection; `nil` if TLS is not used or the connection has ended.
  var connection: OpaquePointer? { mosquitto_ssl_get(mosquitto).map { OpaquePointer($0) } }
  private func hasBuffered(_ test: (OpaquePointer) -> Bool) -> Bool { isBuffered && connection.map(test) ?? false }

  /// Whether OpenSSL has buffered received bytes, which poll does not report.
  var hasPending: Bool { connection.map(TLSBuffering.hasUnread) ?? false }

  /// Enlarges the receive window, so that the broker can send more data before it is read.
  func openWindow() { _ = tp_set_window(socket, 1 << 30) }

  /// Number of bytes received on this connection, including TLS; -1 if the kernel does not report it.
  var receivedSize: Int64 { tp_bytes_received(socket) }

  /// The connection's socket; -1 if there is no connection.
  var socket: Int32 { mosquitto_socket(mosquitto) }
  var wantsWrite: Bool { mosquitto_want_write(mosquitto) || hasBuffered(TLSBuffering.hasUnwritten) }
  /// Reads about as many packets as there are messages in flight.
  func read() -> Outcome {
    let outcome = outcome(
      tp_read_packets(mosquitto_loop_read, mosquitto, socket, Limits.linkReadSizeMax, Outcome.assertionFailed))
    if let observe { recordSecured(observe) }
    // After EAGAIN, only an incomplete record is left.
    hasUnread = outcome.isSuccess && outcome.systemCode != EAGAIN && hasBuffered(TLSBuffering.hasUnread)
    return outcome
  }
  func write() -> Outcome { outcome(mosquitto_loop_write(mosquitto, 1)) }
  /// Runs libmosquitto's periodic work, which sends a PINGREQ if one is due by libmosquitto's count of whole seconds.
  ///
  /// Only its log tells whether it did: the PINGREQ is the only message of that work.
  func maintain() -> (outcome: Outcome, hasPinged: Bool) {
    hasPinged = false
    mosquitto_log_callback_set(mosquitto) { _, context, _, _ in BrokerLinkSession.session(context)?.hasPinged = true }
    defer { mosquitto_log_callback_set(mosquitto, nil) }
    return (outcome(mosquitto_loop_misc(mosquitto)), hasPinged)
  }
  func disconnect() -> Outcome { outcome(mosquitto_disconnect(mosquitto)) }

  /// Publishes on an established connection only: otherwise libmosquitto would keep the message and send it later.
  func publish(
    topic: String, payload: UnsafeRawBufferPointer, qos: Int32, isRetained: Bool,
    _ properties: MessageProperties = MessageProperties()
  ) -> (outcome: Outcome, messageID: Int32) {
    var messageID: Int32 = 0
    let list = version == .v5 ? properties.list : nil
    defer { MessageProperties.free(list) }
    let code = mosquitto_publish_v5(
      mosquitto, &messageID, topic, Int32(clamping: payload.count), payload.baseAddress, qos, isRetained, list)
    return (outcome(code), messageID)
  }

  /// Returns the PUBACKs received since the last call.
  func takeAcknowledgements() -> [Acknowledgement] {
    defer { acknowledgements.removeAll() }
    return acknowledgements
  }

  /// Subscribes on an established connection.
  func subscribe(
    filter: String, qos: Int32, _ options: SubscriptionOptions
  ) -> (outcome: Outcome, messageID: Int32) {
    var messageID: Int32 = 0
    let isV5 = version == .v5
    let list = isV5 ? MessageProperties.list(subscriptionID: options.subscriptionID) : nil
    defer { MessageProperties.free(list) }
    let code = mosquitto_subscribe_v5(mosquitto, &messageID, filter, qos, isV5 ? options.bits : 0, list)
    return (outcome(code), messageID)
  }

  /// Subscribes to a command topic; with MQTT 5, retained and own messages are excluded and retain flags preserved.
  func subscribeToCommands(_ topic: String, qos: Int32 = 1) -> (outcome: Outcome, messageID: Int32) {
    var messageID: Int32 = 0
    let code = mosquitto_subscribe_v5(
      mosquitto, &messageID, topic, qos, version == .v5 ? MessageProperties.commandOptions : 0, nil)
    return (outcome(code), messageID)
  }

  /// Subscribes to the site's topic, including its retained message.
  func subscribeToSite(_ topic: String) -> (outcome: Outcome, messageID: Int32) {
    var messageID: Int32 = 0
    return (outcome(mosquitto_subscribe_v5(mosquitto, &messageID, topic, 1, 0, nil)), messageID)
  }

  /// Returns the SUBACKs received since the last call.
  func takeGrants() -> [Grant] {
    defer { grants.removeAll() }
    return grants
  }

  /// Ends a subscription on an established connection.
  func unsubscribe(filter: String) -> (outcome: Outcome, messageID: Int32) {
    var messageID: Int32 = 0
    let code = mosquitto_unsubscribe(mosquitto, &messageID, filter)
    return (outcome(code), messageID)
  }

  /// Returns the UNSUBACKs received since the last call.
  func takeEndedSubscriptions() -> [Int32] {
    defer { endedSubscriptions.removeAll() }
    return endedSubscriptions
  }

  /// Returns the messages received since the last call.
  func takeMessages() -> [LinkMessage] {
    defer { received.messages.removeAll() }
    return received.messages
  }

  /// Returns the number of messages discarded since the last call.
  func takeDiscardedCount() -> Int {
    defer { received.discardedCount = 0 }
    return received.discardedCount
  }

  private func outcome(_ code: Int32) -> Outcome { Outcome(code: code, systemCode: SystemError.last("mosquitto").code) }

  // MARK: Callbacks

  private static func session(_ context: UnsafeMutableRawPointer?) -> BrokerLinkSession? {
    context.map { Unmanaged<BrokerLinkSession>.fromOpaque($0).takeUnretainedValue() }
  }

  private func note(_ message: mosquitto_message, _ properties: OpaquePointer?) {
    guard let topic = message.topic else { return }
    let size = message.payload == nil ? 0 : Int(message.payloadlen)
    let name = String(cString: topic)
    let isOfSite = siteTopic == name
    let ownMax = isOfSite ? Limits.siteBundleSizeMax : takesCommands ? Limits.commandSizeMax : Int.max
    // For a command or a bundle that is too large, only the size is reported.
    let kept = size > ownMax ? 0 : size
    guard kept <= Limits.receivedMessageSizeMax || isOfSite, Memory.hasRoom(for: kept) else {
      return received.discardedCount += 1
    }
    received.messages.append(
      LinkMessage(
        topic: name, payload: Array(UnsafeRawBufferPointer(start: message.payload, count: kept)),
        size: size, qos: message.qos, isRetained: message.retain, response: MessageProperties.response(properties),
        properties: readsProperties ? properties.map { MessageProperties(received: $0) } : nil))
  }

  private static func recordConnack(
    _ context: UnsafeMutableRawPointer?, _ code: Int32, _ flags: Int32, _ properties: OpaquePointer?
  ) {
    // A second CONNACK is a protocol error; only the first counts.
    guard let session = session(context), session.connack == nil else { return }
    session.connack = Connack(
      code: UInt8(truncatingIfNeeded: code), sessionPresent: flags & 1 != 0, facts: ConnackFacts(properties))
    guard let observe = session.observe else { return }
    // Reported now, because the broker closes a refused connection, and then no TLS connection is left to inspect.
    session.recordSecured(observe)
    observe(.answered(properties))
  }
}
