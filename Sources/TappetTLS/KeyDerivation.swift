// The cost of decrypting a file with a passphrase, determined in advance. The file contains the number of iterations,
// which its creator chose.
//
//     PBKDF2-params (RFC 8018 A.2), PBEParameter (A.3)   SEQUENCE { salt OCTET STRING, iterations INTEGER, … }
//     scrypt-params (RFC 7914 §7)                        SEQUENCE { salt OCTET STRING, N INTEGER, … }
//     MacData (RFC 7292 §4)                              SEQUENCE { mac …, salt OCTET STRING, iterations INTEGER }

import COpenSSL
import TappetCore

/// Finds key derivations in DER.
enum KeyDerivation {
  /// Returns the largest number of iterations that the file specifies; 0 if it specifies none.
  ///
  /// In these formats, an INTEGER right after an OCTET STRING has no other meaning. Encrypted parts are not searched.
  static func iterations(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    defer { ERR_clear_error() }
    guard var place = bytes.bindMemory(to: UInt8.self).baseAddress as UnsafePointer<UInt8>? else { return 0 }
    return largest(from: &place, to: place + bytes.count, depth: 0)
  }

  /// Searches BER elements up to `end`, or to an end-of-contents element or an invalid one.
  private static func largest(
    from place: inout UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>, depth: Int
  ) -> UInt64 {
    var largest: UInt64 = 0
    var isAfterOctets = false
    guard depth < Limits.certificateFileDepthMax else { return 0 }
    while place < end {
      var next: UnsafePointer<UInt8>? = place
      var (size, tag, family): (Int, Int32, Int32) = (0, 0, 0)
      let form = ASN1_get_object(&next, &size, &tag, &family, end - place)
      guard form & 0x80 == 0, let content = next else { break }
      let isUniversal = family == V_ASN1_UNIVERSAL
      let (isConstructed, isIndefinite) = (form & V_ASN1_CONSTRUCTED != 0, form & 1 != 0)
      place = content + (isIndefinite ? 0 : size)
      if isUniversal, tag == V_ASN1_EOC, size == 0, !isConstructed { break }
      if isUniversal, tag == V_ASN1_INTEGER, isAfterOctets { largest = max(largest, number(content, size)) }
      isAfterOctets = isUniversal && tag == V_ASN1_OCTET_STRING
      // An OCTET STRING may contain further elements: a .p12 file consists of nested envelopes.
      guard isConstructed || isAfterOctets && size > 0 && content.pointee == 0x30 else { continue }
      var inner = content
      largest = max(largest, self.largest(from: &inner, to: isIndefinite ? end : place, depth: depth + 1))
      if isIndefinite { place = inner }
    }
    return largest
  }

  private static func number(_ content: UnsafePointer<UInt8>, _ size: Int) -> UInt64 {
    let bytes = UnsafeBufferPointer(start: content, count: size)
    guard let first = bytes.first, first < 0x80 else { return 0 }
    return bytes.reduce(0) { $0 >> 56 != 0 ? .max : $0 << 8 | UInt64($1) }
  }
}

extension CertificateFile {
  /// Refuses a file that would take too long to decrypt.
  func requireIterations(_ bytes: UnsafeRawBufferPointer) throws(CertificateProblem) {
    let iterations = KeyDerivation.iterations(bytes)
    guard iterations <= Limits.bundleIterationsMax else { throw .bundleSlow(path: path, iterations: iterations) }
  }

  /// Checks each PEM block of `source`.
  func requireIterations(ofBlocksIn source: OpaquePointer) throws(CertificateProblem) {
    var name: UnsafeMutablePointer<CChar>?
    var header: UnsafeMutablePointer<CChar>?
    var content: UnsafeMutablePointer<UInt8>?
    var size = 0
    while PEM_read_bio(source, &name, &header, &content, &size) == 1 {
      defer {
        CRYPTO_free(name, "", 0)
        CRYPTO_free(header, "", 0)
        CRYPTO_clear_free(content, size, "", 0)
      }
      try requireIterations(UnsafeRawBufferPointer(start: content, count: size))
    }
    ERR_clear_error()
  }
}
