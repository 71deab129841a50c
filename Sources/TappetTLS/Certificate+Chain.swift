// A certificate's properties and its chain.

import COpenSSL
import TappetCore

extension [Certificate] {
  /// Returns the key's certificate followed by its chain; returns all, unchanged, if the former is first or missing.
  func ordered(for key: PrivateKey) -> [Certificate] {
    guard let place = firstIndex(where: { key.fits($0) }), place > 0 else { return self }
    return self[place].chain(in: self)
  }
}

extension Certificate {
  /// Returns the certificate's details.
  func details(_ role: CertificateDetails.Role, path: String) -> CertificateDetails {
    CertificateDetails(
      role: role, path: path, subject: subject, issuer: OpenSSLText.name(X509_get_issuer_name(handle)),
      notBeforeUnixSeconds: OpenSSLText.unixSeconds(X509_get0_notBefore(handle)),
      notAfterUnixSeconds: OpenSSLText.unixSeconds(X509_get0_notAfter(handle)))
  }

  /// The certificate's subject, on one line.
  var subject: String { OpenSSLText.name(X509_get_subject_name(handle)) }

  /// Whether the certificate may sign other certificates.
  var isAuthority: Bool { X509_check_ca(handle) > 0 }

  /// Whether the certificate's subject is also its issuer.
  var isSelfIssued: Bool {
    X509_NAME_cmp(X509_get_subject_name(handle), X509_get_issuer_name(handle)) == 0
  }

  /// Whether the certificate was issued by `issuer` and has a valid signature from it.
  func isSigned(by issuer: Certificate) -> Bool {
    defer { ERR_clear_error() }
    guard X509_check_issued(issuer.handle, handle) == X509_V_OK, let key = issuer.publicKey else { return false }
    return X509_verify(handle, key) == 1
  }

  /// The public key, owned by the certificate; `nil` if it is damaged or OpenSSL does not support its type.
  var publicKey: OpaquePointer? {
    defer { ERR_clear_error() }
    return X509_get0_pubkey(handle)
  }

  /// Whether both certificates are identical, byte for byte.
  func isEqual(to other: Certificate) -> Bool { X509_cmp(handle, other.handle) == 0 }

  /// Returns the chain from this certificate up to a root, or to a certificate whose issuer is not in `pool`.
  func chain(in pool: [Certificate]) -> [Certificate] {
    var chain = [self]
    while let last = chain.last, chain.count <= Limits.certificateChainMax {
      if last.isSelfIssued { break }
      guard let issuer = pool.first(where: { last.isSigned(by: $0) }),
        !chain.contains(where: { $0.isEqual(to: issuer) })
      else { break }
      chain.append(issuer)
    }
    return chain
  }
}
