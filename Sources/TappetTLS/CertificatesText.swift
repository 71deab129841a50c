// OpenSSL's texts, names and times as Swift types.

import COpenSSL
import CPlatform
import TappetCore
import TappetPlatform

/// Converts OpenSSL's texts and times to Swift's types.
enum OpenSSLText {
  static func string(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "unknown" }

  static func reason(_ code: UInt) -> String { string(ERR_reason_error_string(code)) }

  static func lastError() -> String {
    defer { ERR_clear_error() }
    return reason(ERR_peek_last_error())
  }

  /// Returns a name as `CN=x, O=y`: untrusted text, to be quoted wherever it is shown.
  static func name(_ name: OpaquePointer?) -> String {
    guard let name, let target = BIO_new(BIO_s_mem()) else { return "" }
    defer { BIO_free(target) }
    let flags = 2 << 16 | ASN1_STRFLGS_UTF8_CONVERT  // XN_FLAG_SEP_CPLUS_SPC
    X509_NAME_print_ex(target, name, 0, UInt(flags))
    var text = [UInt8](repeating: 0, count: Limits.certificateNameSizeMax)
    let count = BIO_read(target, &text, Int32(text.count))
    return count > 0 ? String(decoding: text[..<Int(count)], as: UTF8.self) : "no subject"
  }

  /// Returns the bytes that `write` writes to a BIO, at most `sizeMax`.
  static func bytes(sizeMax: Int, _ write: (OpaquePointer) -> Void) -> [UInt8] {
    guard let target = BIO_new(BIO_s_mem()) else { return [] }
    defer { BIO_free(target) }
    write(target)
    var bytes = [UInt8](repeating: 0, count: sizeMax)
    let count = BIO_read(target, &bytes, Int32(sizeMax))
    bytes.removeLast(sizeMax - max(0, Int(count)))
    return bytes
  }

  static func unixSeconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return 0 }
    return Int64(timegm(&parts))
  }
}

extension SystemCode {
  /// The error's code and text.
  package init(_ error: SystemError) { self.init(code: error.code, text: error.text) }
}
