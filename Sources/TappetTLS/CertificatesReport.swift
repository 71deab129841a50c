// The findings that `tappet cert check` reports about files: each certificate and key, and how they match.
// TappetMessages contains the texts.

import COpenSSL
import TappetCore

/// A remark about a file.
package indirect enum CertificateRemark: Sendable {
  /// A certificate in the file; `key` is its key's type and size, `names` are its alternative names.
  case certificate(CertificateDetails, isAuthority: Bool, key: String, names: String)
  /// An extended key usage without client authentication, or without server authentication if a host is specified.
  case wrongPurpose(subject: String, isServer: Bool)
  /// A key usage that does not allow signing, which every current handshake requires.
  case cannotSign(subject: String)
  /// A key that OpenSSL's security level 2, Debian's default, rejects.
  case weakKey(subject: String, key: String)
  /// A key of a type that OpenSSL does not support.
  case unknownKey(subject: String)
  case weakSignature(subject: String)
  /// The key belongs to this certificate.
  case keyMatches(subject: String)
  case keyFitsNone
  /// A key without any certificate.
  case keyAlone
  case keyOpenToOthers(mode: UInt32)
  /// The key's certificate is not the first in its file, where a TLS library looks for it.
  case leafNotFirst(subject: String)
  /// Subjects from the leaf up to the root, or to a certificate that is trusted instead of a root.
  case chain([String])
  /// An incomplete chain: none of the files contains the certificate of this issuer.
  case chainEnds(issuer: String)
  case chainRefused(text: String)
  case hostMatches(String)
  case hostMismatch(String, names: String)
  case problem(CertificateProblem)
}

/// A remark and the file to which it applies.
package struct CertificateFinding: Sendable {
  /// The path as specified.
  package var path: String
  /// The remark about the file.
  package var remark: CertificateRemark
}

/// Findings from inspecting several files together.
package struct CertificatesReport {
  /// Findings about each file, in order, followed by findings about all files together.
  package private(set) var findings: [CertificateFinding] = []
  private var certificates: [(certificate: Certificate, path: String, place: Int)] = []
  private var keys: [(key: PrivateKey, path: String)] = []

  /// Inspects the files.
  ///
  /// If `host` is given, the leaf must be a server certificate that is valid for this name. For `ask`, see
  /// `ClientIdentity.read`.
  package init(_ paths: [String], host: String?, ask: (String) -> SecretBytes?) {
    for path in paths { read(path, ask) }
    for (certificate, path, _) in certificates { describe(certificate, path, host: host) }
    let leaves = pair()
    for (leaf, path) in leaves { checkLeaf(leaf, path, host: host) }
  }

  private mutating func note(_ path: String, _ remark: CertificateRemark) {
    findings.append(CertificateFinding(path: path, remark: remark))
  }

  private mutating func read(_ path: String, _ ask: (String) -> SecretBytes?) {
    do throws(CertificateProblem) {
      let file = try CertificateFile(path)
      let contents = try ClientIdentity.opened(file, ask)
      for (place, certificate) in contents.certificates.enumerated() { certificates.append((certificate, path, place)) }
      if let problem = contents.keyProblem { note(path, .problem(problem)) }
      if let key = contents.key {
        keys.append((key, path))
        if file.mode & 0o077 != 0 { note(path, .keyOpenToOthers(mode: file.mode & 0o7777)) }
      }
      if contents.certificates.isEmpty, contents.key == nil, contents.keyProblem == nil {
        note(path, .problem(file.isRequest ? .request(path: path) : .notPEM(path: path)))
      }
    } catch { note(path, .problem(error)) }
  }

  private mutating func describe(_ certificate: Certificate, _ path: String, host: String?) {
    let isAuthority = certificate.isAuthority
    let subject = certificate.subject
    let key = certificate.keyText
    note(
      path,
      .certificate(
        certificate.details(isAuthority ? .authority : .client, path: path), isAuthority: isAuthority, key: key,
        names: certificate.alternativeNames))
    if certificate.publicKey == nil {
      note(path, .unknownKey(subject: subject))
    } else if !certificate.hasStrongKey {
      note(path, .weakKey(subject: subject, key: key))
    }
    if !certificate.isSelfIssued, !certificate.hasStrongSignature { note(path, .weakSignature(subject: subject)) }
    if !isAuthority {
      let purpose = UInt32(host == nil ? XKU_SSL_CLIENT : XKU_SSL_SERVER)
      if X509_get_extended_key_usage(certificate.handle) & purpose == 0 {
        note(path, .wrongPurpose(subject: subject, isServer: host != nil))
      }
      if X509_get_key_usage(certificate.handle) & UInt32(KU_DIGITAL_SIGNATURE) == 0 {
        note(path, .cannotSign(subject: subject))
      }
    }
  }

  /// Returns the leaf certificates: those that match a key or, if there are no keys, those that are not authorities.
  private mutating func pair() -> [(Certificate, String)] {
    guard !keys.isEmpty else {
      return certificates.filter { !$0.certificate.isAuthority }.map { ($0.certificate, $0.path) }
    }
    var leaves: [(Certificate, String)] = []
    for (key, path) in keys {
      if certificates.isEmpty {
        note(path, .keyAlone)
      } else if let found = certificates.first(where: { key.fits($0.certificate) }) {
        note(path, .keyMatches(subject: found.certificate.subject))
        if found.place > 0 { note(found.path, .leafNotFirst(subject: found.certificate.subject)) }
        leaves.append((found.certificate, found.path))
      } else {
        note(path, .keyFitsNone)
      }
    }
    return leaves
  }

  private mutating func checkLeaf(_ leaf: Certificate, _ path: String, host: String?) {
    let pool = certificates.map { $0.certificate }
    let chain = leaf.chain(in: pool)
    if let top = chain.last, !top.isSelfIssued {
      note(path, .chainEnds(issuer: OpenSSLText.name(X509_get_issuer_name(top.handle))))
    }
    if chain.count > 1 {
      if let text = leaf.refusal(of: chain) {
        note(path, .chainRefused(text: text))
      } else {
        note(path, .chain(chain.map { $0.subject }))
      }
    }
    guard let host else { return }
    defer { ERR_clear_error() }
    let isFor =
      X509_check_host(leaf.handle, host, host.utf8.count, Certificates.hostFlags, nil) == 1
      || X509_check_ip_asc(leaf.handle, host, 0) == 1
    note(
      path,
      isFor
        ? .hostMatches(host) : .hostMismatch(host, names: leaf.alternativeNames))
  }
}

extension Certificate {
  /// The key's type and size, such as `RSA 2048` or `EC 256`.
  fileprivate var keyText: String {
    guard let publicKey else { return "unknown key" }
    return OpenSSLText.string(EVP_PKEY_get0_type_name(publicKey)) + " " + String(EVP_PKEY_get_bits(publicKey))
  }

  /// Whether the key has at least 112 bits of security, the strength of RSA with 2048 bits.
  fileprivate var hasStrongKey: Bool { publicKey.map { EVP_PKEY_get_security_bits($0) >= 112 } ?? false }

  fileprivate var hasStrongSignature: Bool {
    var bits: Int32 = 0
    return X509_get_signature_info(handle, nil, nil, &bits, nil) != 1 || bits >= 112
  }

  /// The subjectAltName, such as `DNS:localhost, IP Address:127.0.0.1`: untrusted text, empty if absent.
  var alternativeNames: String { Certificates.alternativeNames(of: handle) }

  /// Returns why the chain is invalid; `nil` when it is valid.
  ///
  /// `time` is in seconds since 1970; if it is `nil`, validity periods are ignored.
  func refusal(of chain: [Certificate], atUnixSeconds time: Int64? = nil) -> String? {
    defer { ERR_clear_error() }
    let store = X509_STORE_new()
    defer { X509_STORE_free(store) }
    let others = OPENSSL_sk_new_null()
    defer { OPENSSL_sk_free(others) }
    for certificate in chain.dropFirst().dropLast() { OPENSSL_sk_push(others, UnsafeRawPointer(certificate.handle)) }
    let context = X509_STORE_CTX_new()
    defer { X509_STORE_CTX_free(context) }
    guard let top = chain.last, X509_STORE_add_cert(store, top.handle) == 1,
      X509_STORE_CTX_init(context, store, handle, others) == 1
    else { return OpenSSLText.lastError() }
    X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    if let time {
      X509_STORE_CTX_set_time(context, 0, Int(time))
    } else {
      X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_NO_CHECK_TIME))
    }
    guard X509_verify_cert(context) != 1 else { return nil }
    return OpenSSLText.string(X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context))))
  }
}

extension Certificates {
  /// Returns a certificate's subjectAltName, such as `DNS:localhost, IP Address:127.0.0.1`: untrusted text, empty if
  /// absent.
  static func alternativeNames(of certificate: OpaquePointer?) -> String {
    let place = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1)
    guard place >= 0, let found = X509_get_ext(certificate, place) else { return "" }
    let text = OpenSSLText.bytes(sizeMax: Limits.certificateNameSizeMax) { X509V3_EXT_print($0, found, 0, 0) }
    return String(decoding: text, as: UTF8.self)
  }
}
