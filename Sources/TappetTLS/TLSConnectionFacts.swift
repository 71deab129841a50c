// The result of a TLS handshake and the broker's certificates, for a person who looks at the connection.

import COpenSSL
import TappetCore

/// The facts of one connection.
package struct TLSConnectionFacts: Hashable, Sendable {
  /// One certificate that the broker has sent, or that completes the chain.
  package struct Link: Hashable, Sendable {
    /// Its subject, a stranger's text.
    package var subject: String
    /// Its issuer, a stranger's text.
    package var issuer: String
    /// Its subjectAltName, a stranger's text; empty when it has none.
    package var names: String
    /// When it expires, in seconds since 1970.
    package var notAfterUnixSeconds: Int64

    /// Whole days until it expires; negative when it has expired.
    package func daysLeft(atUnixSeconds now: Int64) -> Int64 {
      CertificateDetails(
        role: .authority, path: "", subject: subject, issuer: issuer, notBeforeUnixSeconds: 0,
        notAfterUnixSeconds: notAfterUnixSeconds
      ).daysLeft(atUnixSeconds: now)
    }
  }

  /// `TLSv1.3`.
  package var version: String
  /// `TLS_AES_256_GCM_SHA384`.
  package var cipher: String
  /// The protocol that the broker has chosen of those offered (ALPN); `nil` for none.
  package var alpn: String?
  /// The verified chain, the broker's own certificate first.
  package var chain: [Link]

  /// The facts of an `SSL` whose handshake is over.
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
