// A key generated on the board and the request for its certificate (PKCS#10): the key never leaves the board.

import COpenSSL
import CPlatform
import TappetCore

/// Generates keys and certificate requests.
package enum CertificateRequest {
  /// Returns a new P-256 key as PEM, for a file with mode 0600.
  @export(interface)
  package static func makeKey() throws(CertificateProblem) -> SecretBytes {
    ERR_clear_error()
    let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
      EVP_PKEY_CTX_set_ec_param_enc(context, OPENSSL_EC_NAMED_CURVE) == 1,
      EVP_PKEY_keygen(context, &key) == 1, let key
    else { throw .library(text: OpenSSLText.lastError()) }
    return try PrivateKey(key).pem()
  }

  /// Returns a request as PEM for `key`, with a common name and additional DNS names.
  ///
  /// The requested key usages are signing and client authentication. Messages show `keyName` instead of a path.
  package static func make(
    key: SecretBytes, keyName: String, commonName: String, dnsNames: [String]
  ) throws(CertificateProblem) -> [UInt8] {
    let key = try CertificateFile(text: key, name: keyName).privateKey()
    return try make(key: key, commonName: commonName, dnsNames: dnsNames)
  }

  /// Returns a request for an existing key file.
  package static func make(
    keyFile: String, commonName: String, dnsNames: [String]
  ) throws(CertificateProblem) -> [UInt8] {
    try make(key: CertificateFile(keyFile).privateKey(), commonName: commonName, dnsNames: dnsNames)
  }

  /// Returns a request with the subject and the alternative names of an existing certificate, which a renewal must not
  /// change (RFC 7030 §4.2.2).
  @export(interface)
  package static func make(keyFile: String, renewing path: String) throws(CertificateProblem) -> [UInt8] {
    let key = try CertificateFile(keyFile).privateKey()
    let certificates = try CertificateFile(path).certificates()
    guard let old = certificates.first(where: { key.fits($0) }) ?? certificates.first else {
      throw .notPEM(path: path)
    }
    return try sign(key, subject: { X509_REQ_set_subject_name($0, X509_get_subject_name(old.handle)) }) {
      let place = X509_get_ext_by_NID(old.handle, NID_subject_alt_name, -1)
      return place < 0 ? [] : [X509_EXTENSION_dup(X509_get_ext(old.handle, place))]
    }
  }

  /// Whether `pem` is a certificate request for the key in this file.
  @export(interface)
  package static func isRequest(_ pem: [UInt8], forKeyIn path: String) -> Bool {
    defer { ERR_clear_error() }
    guard let key = try? CertificateFile(path).privateKey(), let source = BIO_new_mem_buf(pem, Int32(pem.count)) else {
      return false
    }
    defer { BIO_free(source) }
    guard let request = PEM_read_bio_X509_REQ(source, nil, nil, nil) else { return false }
    defer { X509_REQ_free(request) }
    return X509_REQ_check_private_key(request, key.handle) == 1
  }

  private static func make(
    key: PrivateKey, commonName: String, dnsNames: [String]
  ) throws(CertificateProblem) -> [UInt8] {
    let name = Array(commonName.utf8)
    return try sign(
      key,
      subject: {
        X509_NAME_add_entry_by_NID(
          X509_REQ_get_subject_name($0), NID_commonName, MBSTRING_UTF8_, name, Int32(name.count), -1, 0)
      },
      names: {
        let text = dnsNames.map { "DNS:" + $0 }.joined(separator: ",")
        return dnsNames.isEmpty ? [] : [X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, text)]
      })
  }

  /// Creates and signs a request; `subject` sets its subject, and `names` returns its alternative names as extensions.
  private static func sign(
    _ key: PrivateKey, subject: (OpaquePointer?) -> Int32, names: () -> [OpaquePointer?]
  ) throws(CertificateProblem) -> [UInt8] {
    ERR_clear_error()
    let request = X509_REQ_new()
    defer { X509_REQ_free(request) }
    guard X509_REQ_set_version(request, 0) == 1, subject(request) == 1, X509_REQ_set_pubkey(request, key.handle) == 1
    else { throw .library(text: OpenSSLText.lastError()) }
    let usages = [(NID_key_usage, "critical,digitalSignature"), (NID_ext_key_usage, "clientAuth")]
    let extensions = OPENSSL_sk_new_null()
    defer {
      for index in 0..<max(0, OPENSSL_sk_num(extensions)) {
        X509_EXTENSION_free(OPENSSL_sk_value(extensions, index).map { OpaquePointer($0) })
      }
      OPENSSL_sk_free(extensions)
    }
    for made in usages.map({ X509V3_EXT_conf_nid(nil, nil, $0, $1) }) + names() {
      guard let made else { throw .library(text: OpenSSLText.lastError()) }
      OPENSSL_sk_push(extensions, UnsafeRawPointer(made))
    }
    guard X509_REQ_add_extensions(request, extensions) == 1, X509_REQ_sign(request, key.handle, EVP_sha256()) > 0 else {
      throw .library(text: OpenSSLText.lastError())
    }
    return OpenSSLText.bytes(sizeMax: 64 * 1024) { PEM_write_bio_X509_REQ($0, request) }
  }

  /// MBSTRING_UTF8, a macro that Swift does not import.
  private static let MBSTRING_UTF8_: Int32 = 0x1000

  /// Whether a text is valid as a DNS name in a certificate.
  package static func isDNSName(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count) && text.utf8.first != 0x2E && text.utf8.first != 0x2D
      && text.hasOnlyASCIIAlphanumerics(and: "-.")
  }
}
