// TLS contexts made from certificate and key files, and checks of these files that need no connection.
//
// Verification is never disabled. If a CA file is configured, its certificates are the only trust anchors, even if they
// are an intermediate or the server's own certificate (X509_V_FLAG_PARTIAL_CHAIN); otherwise, the system's trust store
// is used. The host name is checked in both cases. Files are read when a context is created, so a replaced file takes
// effect with the next connection. This code never prompts for a passphrase.

import COpenSSL
import CPlatform
import TappetCore
import TappetPlatform

/// The context of one connection attempt, with the results that OpenSSL reports during the attempt.
///
/// Confined to the broker's thread.
package final class TLSContext {
  /// The SSL_CTX, which this object owns.
  ///
  /// libmosquitto holds a separate reference, and must release it before this object is released.
  package let handle: OpaquePointer
  /// Whether the handshake is complete on our side.
  package fileprivate(set) var isEstablished = false
  /// Whether the broker has responded to the start of the handshake.
  package fileprivate(set) var hasAnswered = false
  /// Whether the broker has requested a client certificate.
  package fileprivate(set) var isCertificateRequested = false
  /// The errno of the handshake's first socket error; 0 if there was none.
  package fileprivate(set) var systemCode: Int32 = 0
  /// The name for SNI; `nil` for an IP address, which RFC 6066 §3 does not allow.
  fileprivate let serverName: String?
  fileprivate let host: String
  fileprivate var verification: (code: Int32, subject: String, names: String)?
  fileprivate var alert: UInt8?
  fileprivate var errorCode: UInt = 0

  fileprivate init(host: String, serverName: String?) throws(CertificateProblem) {
    ERR_clear_error()
    guard let handle = SSL_CTX_new(TLS_client_method()) else { throw .library(text: OpenSSLText.lastError()) }
    self.handle = handle
    self.host = host
    self.serverName = serverName
    // Slot 0 is reserved for the application (SSL_CTX_set_app_data); libmosquitto does not use it.
    SSL_CTX_set_ex_data(handle, 0, Unmanaged.passUnretained(self).toOpaque())
    SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    SSL_CTX_set_options(handle, 1 << 30)  // SSL_OP_NO_RENEGOTIATION, a macro with an argument.
    SSL_CTX_ctrl(handle, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, Certificates.onVerify)
    SSL_CTX_set_info_callback(handle, Certificates.onInfo)
  }

  deinit { SSL_CTX_free(handle) }

  /// Discards the last handshake's results, for a new connection with the same files.
  package func restart() {
    (isEstablished, hasAnswered, isCertificateRequested, systemCode) = (false, false, false, 0)
    (verification, alert, errorCode) = (nil, nil, 0)
  }

  /// The failure, from the most specific source; `nil` if the connection was simply closed.
  package var failure: TLSFailure? {
    @export(interface) get {
      if let verification { return Certificates.failure(verification, host: host) }
      if let alert { return .alert(TLSAlert(alert)) }
      guard errorCode != 0 else { return nil }
      switch ERR_GET_REASON(errorCode) {
      case SSL_R_UNEXPECTED_EOF_WHILE_READING: return nil
      case SSL_R_WRONG_VERSION_NUMBER, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_BAD_RECORD_TYPE: return .notTLS
      case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION: return .noCommonVersion
      default: return .protocolError(code: UInt64(errorCode), text: OpenSSLText.reason(errorCode))
      }
    }
  }
}

/// Creates contexts and inspects certificate files.
package enum Certificates {
  /// Returns a context for one attempt to reach `endpoint`, created from the current files.
  @export(interface)
  package static func makeContext(
    _ settings: BrokerSettings, endpoint: BrokerEndpoint
  ) throws(CertificateProblem) -> TLSContext {
    let host = checkedName(endpoint.host)
    let isAddress = isNumeric(host)
    let context = try TLSContext(host: host, serverName: isAddress ? nil : host)
    try expect(host, isAddress: isAddress, in: context.handle)
    if let path = settings.caFile {
      try trust(path, in: context.handle)
    } else if SSL_CTX_set_default_verify_paths(context.handle) != 1 {
      throw .noSystemTrustStore
    }
    if let path = settings.crlFile { try revoke(path, in: context.handle) }
    switch (settings.certificateFile, settings.privateKeyFile) {
    case (nil, nil): break
    case (nil, let key?): throw .keyWithoutCertificate(key: key)
    case (let certificate?, let key): try present(certificate, key, in: context.handle)
    }
    if let name = settings.alpn { try offer(name, in: context.handle) }
    return context
  }

  /// Flags for the host check: only the subjectAltName counts (RFC 9525 §2); the common name is ignored.
  static let hostFlags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)

  // MARK: The context's parts

  private static func expect(_ host: String, isAddress: Bool, in context: OpaquePointer) throws(CertificateProblem) {
    let parameters = SSL_CTX_get0_param(context)
    X509_VERIFY_PARAM_set_hostflags(parameters, hostFlags)
    let result =
      isAddress
      ? X509_VERIFY_PARAM_set1_ip_asc(parameters, host)
      : X509_VERIFY_PARAM_set1_host(parameters, host, 0)
    // If there were no name to check, any certificate from the CA would be accepted; no configuration may allow that.
    guard result == 1, !host.isEmpty else { throw .unusableHost(host) }
  }

  private static func trust(_ path: String, in context: OpaquePointer) throws(CertificateProblem) {
    let store = SSL_CTX_get_cert_store(context)
    for certificate in try CertificateFile(path).certificates()
    where X509_STORE_add_cert(store, certificate.handle) != 1 {
      throw .library(text: OpenSSLText.lastError())
    }
    X509_STORE_set_flags(store, UInt(X509_V_FLAG_PARTIAL_CHAIN))
  }

  /// Loads revocation lists; a broker certificate is refused if it is listed, or if its issuer has no valid list.
  private static func revoke(_ path: String, in context: OpaquePointer) throws(CertificateProblem) {
    let store = SSL_CTX_get_cert_store(context)
    for list in try CertificateFile(path).revocationLists() where X509_STORE_add_crl(store, list.handle) != 1 {
      throw .library(text: OpenSSLText.lastError())
    }
    X509_STORE_set_flags(store, UInt(X509_V_FLAG_CRL_CHECK))
  }

  private static func present(
    _ path: String, _ keyPath: String?, in context: OpaquePointer
  ) throws(CertificateProblem) {
    let file = try CertificateFile(path)
    let certificates = try file.certificates()
    // A .p12 file also contains the key, and so may a PEM file.
    let key: PrivateKey
    if let keyPath {
      key = try CertificateFile(keyPath).privateKey()
    } else if let own = try file.contents().key {
      key = own
    } else {
      throw .certificateWithoutKey(certificate: path)
    }
    let keyPath = keyPath ?? path
    let chain = certificates.ordered(for: key)
    guard let leaf = chain.first else { throw .notPEM(path: path) }
    guard leaf.publicKey != nil else { throw .unknownKey(path: path) }
    guard key.fits(leaf) else { throw .keyMismatch(certificate: path, key: keyPath) }
    guard SSL_CTX_use_certificate(context, leaf.handle) == 1 else {
      throw .tooWeak(path: path, text: OpenSSLText.lastError())
    }
    for certificate in chain.dropFirst() {
      // The context increments the reference count (SSL_CTX_add1_chain_cert is a macro for this call).
      let result = SSL_CTX_ctrl(context, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate.handle))
      guard result == 1 else { throw .tooWeak(path: path, text: OpenSSLText.lastError()) }
    }
    guard SSL_CTX_use_PrivateKey(context, key.handle) == 1 else {
      throw .tooWeak(path: keyPath, text: OpenSSLText.lastError())
    }
  }

  /// Offers a single ALPN protocol, preceded by a byte with its length (RFC 7301 §3.1).
  private static func offer(_ name: String, in context: OpaquePointer) throws(CertificateProblem) {
    let list = [UInt8(truncatingIfNeeded: name.utf8.count)] + Array(name.utf8)
    // This function returns 0 on success.
    guard SSL_CTX_set_alpn_protos(context, list, UInt32(list.count)) == 0 else {
      throw .library(text: OpenSSLText.lastError())
    }
  }

  /// Returns the host without a trailing dot or an address's zone, because certificates contain neither.
  private static func checkedName(_ host: String) -> String {
    var name = host.utf8.prefix { $0 != UInt8(ascii: "%") }
    if name.last == UInt8(ascii: ".") { name = name.dropLast() }
    return String(decoding: name, as: UTF8.self)
  }

  private static func isNumeric(_ host: String) -> Bool {
    guard let address = a2i_IPADDRESS(host) else {
      ERR_clear_error()
      return false
    }
    ASN1_OCTET_STRING_free(address)
    return true
  }

  // MARK: OpenSSL's callbacks

  /// Leaves the result unchanged, and records the first verification error.
  fileprivate static let onVerify: @convention(c) (Int32, OpaquePointer?) -> Int32 = { verdict, store in
    guard verdict == 0, let store,
      let ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()),
      let context = context(of: OpaquePointer(ssl)), context.verification == nil
    else { return verdict }
    let certificate = X509_STORE_CTX_get_current_cert(store)
    context.verification = (
      X509_STORE_CTX_get_error(store), OpenSSLText.name(X509_get_subject_name(certificate)),
      alternativeNames(of: certificate)
    )
    return verdict
  }

  /// Sets the correct SNI (libmosquitto uses the host it connects to, here an address), and records alerts and errors.
  fileprivate static let onInfo: @convention(c) (OpaquePointer?, Int32, Int32) -> Void = { ssl, event, value in
    guard let ssl, let context = context(of: ssl) else { return }
    switch SSL_get_state(ssl) {
    case TLS_ST_CR_SRVR_HELLO: context.hasAnswered = true
    case TLS_ST_CR_CERT_REQ: context.isCertificateRequested = true
    default: break
    }
    switch event {
    case SSL_CB_HANDSHAKE_START:
      setServerName(context.serverName, of: ssl)
    case SSL_CB_HANDSHAKE_DONE:
      context.isEstablished = true
    case SSL_CB_READ | SSL_CB_ALERT where value >> 8 == SSL3_AL_FATAL:
      context.alert = UInt8(truncatingIfNeeded: value)
    case SSL_ST_CONNECT | SSL_CB_EXIT where value <= 0:
      let systemCode = SystemError.last("SSL_do_handshake").code
      let code = ERR_peek_last_error()
      if code != 0 { context.errorCode = code }
      if code == 0, systemCode != EAGAIN, context.systemCode == 0 { context.systemCode = systemCode }
    default: break
    }
  }

  /// Replaces SSL_set_tlsext_host_name, which is a macro.
  private static func setServerName(_ name: String?, of ssl: OpaquePointer) {
    guard let name else {
      SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), nil)
      return
    }
    var text = Array(name.utf8CString)
    _ = text.withUnsafeMutableBytes {
      SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), $0.baseAddress)
    }
  }

  static func context(of ssl: OpaquePointer) -> TLSContext? {
    guard let pointer = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), 0) else { return nil }
    return Unmanaged<TLSContext>.fromOpaque(pointer).takeUnretainedValue()
  }

  fileprivate static func failure(
    _ verification: (code: Int32, subject: String, names: String), host: String
  ) -> TLSFailure {
    let (code, subject, names) = verification
    return switch code {
    // With legitimate brokers, a signature mismatch means that the CA was recreated under the same name.
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_CERT_UNTRUSTED:
      .untrustedIssuer(subject: subject)
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .selfSigned(subject: subject)
    case X509_V_ERR_CERT_HAS_EXPIRED: .expired(subject: subject)
    case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid(subject: subject)
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      .hostMismatch(expected: host, subject: subject, names: names)
    case X509_V_ERR_CERT_REVOKED: .revoked(subject: subject)
    case X509_V_ERR_UNABLE_TO_GET_CRL: .crlMissing(subject: subject)
    case X509_V_ERR_CRL_HAS_EXPIRED: .crlExpired(subject: subject)
    case X509_V_ERR_CRL_NOT_YET_VALID, X509_V_ERR_CRL_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER,
      X509_V_ERR_UNABLE_TO_DECRYPT_CRL_SIGNATURE:
      .crlUnusable(subject: subject, text: OpenSSLText.string(X509_verify_cert_error_string(Int(code))))
    default:
      .unacceptable(
        subject: subject, code: code, text: OpenSSLText.string(X509_verify_cert_error_string(Int(code))))
    }
  }
}
