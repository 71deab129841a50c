// Classification of ASCII letters and digits; letters and digits of other scripts do not match.

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
