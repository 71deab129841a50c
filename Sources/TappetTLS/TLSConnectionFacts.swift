// The result of a TLS handshake and the broker's certificates, for display to a user.

import COpenSSL
import TappetCore

/// Details of one TLS connection.
package struct TLSConnectionFacts: Hashable, Sendable {
  /// A certificate that the broker sent, or that completes the chain.
  package struct Link: Hashable, Sendable {
    /// The subject, as untrusted text.
    package var subject: String
    /// The issuer, as untrusted text.
    package var issuer: String
    /// The subjectAltName, as untrusted text; empty if absent.
    package var names: String
    /// End of the validity period, in seconds since 1970.
    package var notAfterUnixSeconds: Int64

    /// Returns the whole days until the certificate expires; negative once it has expired.
    package func daysLeft(atUnixSeconds now: Int64) -> Int64 {
      CertificateDetails(
        role: .authority, path: "", subject: subject, issuer: issuer, notBeforeUnixSeconds: 0,
        notAfterUnixSeconds: notAfterUnixSeconds
      ).daysLeft(atUnixSeconds: now)
    }
  }

  /// The protocol version, such as `TLSv1.3`.
  package var version: String
  /// The cipher suite, such as `TLS_AES_256_GCM_SHA384`.
  package var cipher: String
  /// The application protocol that the broker selected from those offered (ALPN); `nil` if none.
  package var alpn: String?
  /// The verified chain, starting with the broker's own certificate.
  package var chain: [Link]

  /// Reads the details from an `SSL` whose handshake is complete.
  @export(interface)
  package init(_ connection: OpaquePointer) {
    version = OpenSSLText.string(SSL_get_version(connection))
    cipher = OpenSSLText.string(SSL_CIPHER_get_name(SSL_get_current_cipher(connection)))
    var name: UnsafePointer<UInt8>?
    var size: UInt32 = 0
    SSL_get0_alpn_selected(connection, &name, &size)
    alpn = name.map { String(decoding: UnsafeBufferPointer(start: $0, count: Int(size)), as: UTF8.self) }
    chain = []
    let stack = SSL_get0_verified_chain(connection)
    for index in 0..<max(0, OPENSSL_sk_num(stack)) {
      guard let entry = OPENSSL_sk_value(stack, index).map({ OpaquePointer($0) }), X509_up_ref(entry) == 1 else {
        break
      }
      chain.append(Link(Certificate(entry)))
    }
  }
}

extension TLSConnectionFacts.Link {
  init(_ certificate: Certificate) {
    let details = certificate.details(.authority, path: "")
    self.init(
      subject: details.subject, issuer: details.issuer, names: certificate.alternativeNames,
      notAfterUnixSeconds: details.notAfterUnixSeconds)
  }
}
