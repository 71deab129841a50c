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
    var rest = bytes
    return largest(in: &rest, depth: 0)
  }

  private static func largest(in rest: inout UnsafeRawBufferPointer, depth: Int) -> UInt64 {
    var largest: UInt64 = 0
    var isAfterOctets = false
    guard depth < Limits.certificateFileDepthMax else { return 0 }
    while let element = Element(&rest) {
      if element.isEnd { break }
      if element.tag == 0x02, isAfterOctets { largest = max(largest, number(element.content)) }
      isAfterOctets = element.tag == 0x04 || element.tag == 0x24
      // An OCTET STRING may contain further elements: a .p12 file consists of nested envelopes.
      guard element.tag & 0x20 != 0 || element.tag == 0x04 && element.content.first == 0x30 else { continue }
      var inner = element.isIndefinite ? rest : element.content
      largest = max(largest, self.largest(in: &inner, depth: depth + 1))
      if element.isIndefinite { rest = inner }
    }
    return largest
  }

  private static func number(_ content: UnsafeRawBufferPointer) -> UInt64 {
    guard let first = content.first, first < 0x80 else { return 0 }
    return content.reduce(0) { $0 >> 56 != 0 ? .max : $0 << 8 | UInt64($1) }
  }

  /// A BER element (X.690 §8.1), which does not extend beyond its parent.
  private struct Element {
    let tag: UInt8
    let content: UnsafeRawBufferPointer
    /// Whether the length is indefinite: an end-of-contents element marks the element's end.
    let isIndefinite: Bool
    var isEnd: Bool { tag == 0 && content.isEmpty }

    /// Parses the next element; `nil` at the end, or if there is no valid element.
    init?(_ rest: inout UnsafeRawBufferPointer) {
      guard rest.count >= 2, rest[0] & 0x1F != 0x1F else { return nil }
      tag = rest[0]
      var size = Int(rest[1])
      var start = 2
      isIndefinite = size == 0x80
      if size > 0x80 {
        start += size & 0x7F
        guard start <= 6, start <= rest.count else { return nil }
        size = rest[2..<start].reduce(0) { $0 << 8 | Int($1) }
      } else if isIndefinite {
        size = 0
      }
      guard size <= rest.count - start else { return nil }
      content = UnsafeRawBufferPointer(rebasing: rest[start..<start + size])
      rest = UnsafeRawBufferPointer(rebasing: rest[(start + size)...])
    }
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
