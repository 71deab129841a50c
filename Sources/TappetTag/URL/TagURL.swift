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

  /// Creates a URL from its parts, unchecked.
  package init(index: Int64, timestamp: Int64, signature: [UInt8]?, carriesKey: Bool) {
    self.index = index
    self.timestamp = timestamp
    self.signature = signature
    self.carriesKey = carriesKey
  }

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

  /// The bytes that the signature covers.
  package var signedBytes: [UInt8] { TagURL.signedBytes(index, timestamp) }

  package static func signedBytes(_ index: Int64, _ timestamp: Int64) -> [UInt8] {
    Array("idx=\(index)&ts=\(timestamp)".utf8)
  }
}
