// Responses from certificate authorities to EST clients: only certificates, in a signed-data message that has no
// signature (RFC 5652 §5.2, RFC 8551 §3.7).

import COpenSSL
import TappetCore

/// Parses responses from certificate authorities.
package enum CertificateAnswer {
  /// Returns the certificates in a PKCS#7 message (DER) as PEM, in order; `nil` if there are none or it is malformed.
  @export(interface)
  package static func certificates(ofPKCS7 message: [UInt8]) -> [UInt8]? {
    defer { ERR_clear_error() }
    let decoded = message.withUnsafeBufferPointer { bytes in
      var place = bytes.baseAddress
      return d2i_PKCS7(nil, &place, bytes.count)
    }
    guard let decoded else { return nil }
    defer { PKCS7_free(decoded) }
    guard OBJ_obj2nid(decoded.pointee.type) == NID_pkcs7_signed, let signed = decoded.pointee.d.sign,
      let found = signed.pointee.cert, case let count = OPENSSL_sk_num(found),
      (1...Int32(Limits.certificatesPerFileMax)).contains(count)
    else { return nil }
    let pem = OpenSSLText.bytes(sizeMax: Limits.certificateFileSizeMax) { target in
      for index in 0..<count {
        if let certificate = OPENSSL_sk_value(found, index) { PEM_write_bio_X509(target, OpaquePointer(certificate)) }
      }
    }
    return pem.isEmpty ? nil : pem
  }
}
