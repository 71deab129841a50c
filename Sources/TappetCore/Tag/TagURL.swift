// The signed action URL on a tag (formats.md, "Tag URL"). Stricter than the phone app in two places: forms of integers that
// no app writes are refused, and so is a parameter that occurs twice, over which the app crashes.
//
//     smp://action?idx=I&ts=T&sig=S[&key=K]      S = HMAC-SHA256(key, "idx=I&ts=T")

/// One of a tag URL's parameters.
public enum TagURLParameter: UInt8, Hashable, Sendable {
  case index
  case timestamp
  case signature
  case key
}

/// Why a text is no tag URL, in the order of the checks.
public enum TagURLError: Error, Hashable, Sendable {
  case invalidScheme
  case invalidHost
  case noParameters
  case missing(TagURLParameter)
  case malformed(TagURLParameter)
  case repeated(TagURLParameter)
  /// A parameter that is none of ours, twice.
  case repeatedUnknown
}

/// A tag URL taken apart.
///
/// That it was parsed says nothing about whether it is genuine: `verify` does.
public struct TagURL: Hashable, Sendable {
  /// Which action.
  public var index: Int64
  /// When it was written, seconds since 1970; never expires.
  public var timestamp: Int64
  /// 32 bytes; nil: what stands there is no signature at all, and nothing verifies it.
  public var signature: [UInt8]?
  /// Whether it carries its key: whoever reads the tag can copy it.
  public var carriesKey: Bool

  /// Takes a URL apart.
  public static func parse(_ text: some Collection<UInt8>) throws(TagURLError) -> TagURL {
    let parts = URLParts(text)
    guard parts.scheme.elementsEqual("smp".utf8) else { throw .invalidScheme }
    guard parts.host.elementsEqual("action".utf8) else { throw .invalidHost }
    guard !parts.query.isEmpty else { throw .noParameters }
    var index: ArraySlice<UInt8>?
    var timestamp: ArraySlice<UInt8>?
    var signature: ArraySlice<UInt8>?
    var key: ArraySlice<UInt8>?
    var unknown: [ArraySlice<UInt8>] = []
    for (name, value) in parts.parameters {
      if name.elementsEqual("idx".utf8) {
        guard index == nil else { throw .repeated(.index) }
        index = value
      } else if name.elementsEqual("ts".utf8) {
        guard timestamp == nil else { throw .repeated(.timestamp) }
        timestamp = value
      } else if name.elementsEqual("sig".utf8) {
        guard signature == nil else { throw .repeated(.signature) }
        signature = value
      } else if name.elementsEqual("key".utf8) {
        guard key == nil else { throw .repeated(.key) }
        key = value
      } else {
        guard unknown.count < Limits.tagURLParametersMax, !unknown.contains(name) else { throw .repeatedUnknown }
        unknown.append(name)
      }
    }
    guard let index else { throw .missing(.index) }
    guard let timestamp else { throw .missing(.timestamp) }
    guard let signature else { throw .missing(.signature) }
    guard let indexValue = Int64(decimal: index) else { throw .malformed(.index) }
    guard let timestampValue = Int64(decimal: timestamp) else { throw .malformed(.timestamp) }
    let bytes = signature.count == 64 ? Hex.decode(signature) : nil
    return TagURL(index: indexValue, timestamp: timestampValue, signature: bytes, carriesKey: key != nil)
  }

  /// The key that a text carries which `parse` accepts: for importing it, once the signature verifies under it.
  ///
  /// Nil when it
  /// carries none, or something that is no key.
  public static func carriedKey(in text: some Collection<UInt8>) -> SecretKey? {
    let key = URLParts(text).parameters.first { $0.name.elementsEqual("key".utf8) }
    return key.flatMap { SecretKey(hex: $0.value) }
  }

  /// Signs for the action of `index`.
  public static func sign(index: Int64, timestamp: Int64, key: SecretKey) throws(CryptoError) -> TagURL {
    let signature = try key.authenticate(signedBytes(index, timestamp))
    return TagURL(index: index, timestamp: timestamp, signature: signature, carriesKey: false)
  }

  /// The secret that made the signature.
  ///
  /// Tries every one, in a time that does not depend on which it is.
  public func verify(with secrets: [TagSecret]) -> TagSecret? {
    let message = TagURL.signedBytes(index, timestamp)
    let claimed = signature ?? [UInt8](repeating: 0, count: 32)
    var match: TagSecret?
    for secret in secrets {
      guard let expected = try? secret.key.authenticate(message) else { continue }
      if LibCrypto.areEqual(expected, claimed), signature != nil { match = secret }
    }
    return match
  }

  /// The URL.
  ///
  /// With `carrying`, in the older form from which a phone can import the secret.
  public func text(carrying key: SecretKey? = nil) -> [UInt8] {
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
  /// Decimal digits without sign and without leading zeros, as the apps print them; nil for anything else, or too large.
  public init?(decimal digits: some Collection<UInt8>) {
    guard let first = digits.first, digits.count <= 19, first != 0x30 || digits.count == 1 else { return nil }
    var value: Int64 = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowed) = product.addingReportingOverflow(Int64(digit - 0x30))
      if overflow || overflowed { return nil }
      value = sum
    }
    self = value
  }
}

/// A URL's parts as they stand; nothing is decoded.
struct URLParts {
  var scheme: ArraySlice<UInt8> = []
  var host: ArraySlice<UInt8> = []
  var query: ArraySlice<UInt8> = []

  /// `scheme://host[/path][?query][#fragment]`; parts that are not there are empty.
  init(_ text: some Collection<UInt8>) {
    var rest = Array(text)[...]
    if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = rest[(mark + 1)...]
      rest = rest[..<mark]
    }
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return }
    scheme = rest[..<colon]
    guard rest[(colon + 1)...].starts(with: "//".utf8) else { return }
    let authority = rest[(colon + 3)...]
    host = authority.prefix { $0 != UInt8(ascii: "/") }
  }

  /// Name and value of each parameter, in order; a parameter without `=` has an empty value.
  var parameters: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
    query.split(separator: UInt8(ascii: "&")).map { parameter in
      guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")) else { return (parameter, []) }
      return (parameter[..<equals], parameter[(equals + 1)...])
    }
  }
}
