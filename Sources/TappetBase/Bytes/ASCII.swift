// ASCII letters, digits and numbers; letters and digits of other scripts do not match.

extension UInt8 {
  package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
  package var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
  package var isASCIILowercase: Bool { (0x61...0x7A).contains(self) }
  package var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }
  package var asciiLowercased: UInt8 { isASCIILetter ? self | 0x20 : self }
  package var asciiUppercased: UInt8 { isASCIILetter ? self & 0xDF : self }
}

extension String {
  /// The text with ASCII letters in lower case; all other characters are unchanged.
  package var asciiLowercased: String { String(decoding: utf8.map { $0.asciiLowercased }, as: UTF8.self) }

  /// Whether every byte is an ASCII letter, an ASCII digit, or a byte of `others`.
  package func hasOnlyASCIIAlphanumerics(and others: String) -> Bool {
    utf8.allSatisfy { $0.isASCIIAlphanumeric || others.utf8.contains($0) }
  }
}

extension Int64 {
  /// Parses decimal digits without a sign or leading zeros, the format written by the apps.
  ///
  /// Returns `nil` for any other format, or if the number is too large.
  package init?(decimal digits: some Collection<UInt8>) {
    guard let first = digits.first, digits.count <= 19, first != 0x30 || digits.count == 1 else { return nil }
    var value: Int64 = 0
    for digit in digits {
      guard digit.isASCIIDigit else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowed) = product.addingReportingOverflow(Int64(digit - 0x30))
      if overflow || overflowed { return nil }
      value = sum
    }
    self = value
  }
}
