// Revocation lists: certificates that their issuer has revoked (RFC 5280 §5).

import COpenSSL
import TappetCore

/// An OpenSSL `X509_CRL`, freed with this object.
final class RevocationList {
  let handle: OpaquePointer
  /// Takes ownership of `handle`.
  init(_ handle: OpaquePointer) { self.handle = handle }
  deinit { X509_CRL_free(handle) }

  /// The list's issuer, on one line.
  var issuer: String { OpenSSLText.name(X509_CRL_get_issuer(handle)) }

  /// Whether the list's next update is overdue; a list that does not specify one never expires.
  var hasExpired: Bool {
    guard let end = X509_CRL_get0_nextUpdate(handle) else { return false }
    return X509_cmp_current_time(end) < 0
  }
}

extension CertificateFile {
  /// Returns every revocation list in the file, at least one.
  func revocationLists() throws(CertificateProblem) -> [RevocationList] {
    defer { ERR_clear_error() }
    var lists: [RevocationList] = []
    let source = try makeSource()
    defer { BIO_free(source) }
    while lists.count < Limits.certificatesPerFileMax, let handle = PEM_read_bio_X509_CRL(source, nil, nil, nil) {
      lists.append(RevocationList(handle))
    }
    // The end is reported as "no start line"; any other error means a damaged list, which must not be skipped.
    let end = ERR_peek_last_error()
    let isEnd = end == 0 || (ERR_GET_LIB(end) == ERR_LIB_PEM && ERR_GET_REASON(end) == PEM_R_NO_START_LINE)
    if lists.isEmpty, isEnd, let handle = try read({ d2i_X509_CRL_bio($0, nil) }) {
      lists.append(RevocationList(handle))
    }
    guard isEnd, !lists.isEmpty else { throw .notCRL(path: path) }
    return lists
  }
}
