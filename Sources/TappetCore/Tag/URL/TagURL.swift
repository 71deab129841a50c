// The signed action URL on a tag (docs/formats.md, "Tag URL"). The parser is stricter than the phone app's in two
// respects: it rejects integer formats that no app writes, and repeated parameters, on which the app crashes.
//
//     smp://action?idx=I&ts=T&sig=S[&key=K]      S = HMAC-SHA256(key, "idx=I&ts=T")

/// A parameter of a tag URL.
package enum TagURLParameter: UInt8, Hashable, Sendable {
  case index
  case timestamp
  case signature
  case key
}

/// The reason why a text is not a tag URL, in the order of the checks.
package enum TagURLError: Error, Hashable, Sendable {
  case invalidScheme
  case invalidHost
  case noParameters
  case missing(TagURLParameter)
  case malformed(TagURLParameter)
  case repeated(TagURLParameter)
  /// An unknown parameter that occurs twice.
  case repeatedUnknown
}

/// A parsed tag URL.
///
/// A parsed URL is not necessarily genuine: `verify` checks its signature.
package struct TagURL: Hashable, Sendable {
  /// The action's `idx`.
  package var index: Int64
  /// Time of writing, in seconds since 1970; the URL never expires.
  package var timestamp: Int64
  /// The signature's 32 bytes; `nil` if the text contains no well-formed signature, so that verification fails.
  package var signature: [UInt8]?
  /// Whether the URL carries its key, so that anyone who reads the tag can copy the key.
  package var carriesKey: Bool

  /// Parses a URL.
  package static func parse(_ text: some Collection<UInt8>) throws(TagURLError) -> TagURL {
    try URLParts.withBytes(of: text) { (bytes) throws(TagURLError) in
      let url = try TagURLText(bytes)
      return TagURL(
        index: url.index, timestamp: url.timestamp,
        signature: url.signature.count == 64 ? Hex.decode(url.signature) : nil,
        carriesKey: url.carriesKey)
    }
  }

  /// Returns the key that the text of a URL carries, for import once the key verifies the signature.
  ///
  /// The text must be one that `parse` accepts.
  ///
  /// Returns `nil` if the text carries no key, or a malformed key.
  package static func carriedKey(in text: some Collection<UInt8>) -> SecretKey? {
    URLParts.withBytes(of: text) { bytes in
      var parameters = URLParts(bytes).parameters
      while let (name, value) = parameters.next() {
        if name.elementsEqual("key".utf8) { return SecretKey(hex: value) }
      }
      return nil
    }
  }

  /// Creates and signs a URL for the action with the given `index`.
  package static func sign(index: Int64, timestamp: Int64, key: SecretKey) throws(CryptoError) -> TagURL {
    let signature = try key.authenticate(signedBytes(index, timestamp))
    return TagURL(index: index, timestamp: timestamp, signature: signature, carriesKey: false)
  }

  /// Returns the secret that created the signature.
  ///
  /// Tries every secret, in a time that does not depend on which secret matches; returns `nil` if none matches.
  package func verify(with secrets: some Sequence<TagSecret>) -> TagSecret? {
    let message = TagURL.signedBytes(index, timestamp)
    let claimed = signature ?? [UInt8](repeating: 0, count: 32)
    var match: TagSecret?
    for secret in secrets {
      guard let expected = try? secret.key.authenticate(message) else { continue }
      if LibCrypto.areEqual(expected, claimed), signature != nil { match = secret }
    }
    return match
  }

  /// Returns the URL's text.
  ///
  /// With `carrying`, the text has the older format, from which a phone can import the secret.
  package func text(carrying key: SecretKey? = nil) -> [UInt8] {
    var text = Array("smp://action?".utf8) + TagURL.signedBytes(index, timestamp)
    text += Array("&sig=".utf8) + Hex.digits(of: signature ?? [])
    if let key { text += Array("&key=".utf8) + key.revealedHexDigits() }
    return text
  }

  private static func signedBytes(_ index: Int64, _ timestamp: Int64) -> [UInt8] {
    Array("idx=\(index)&ts=\(timestamp)".utf8)
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
