// The share URL, by which one phone or kiosk gives a secret to another (formats.md, "Share URL"). It holds a key: whoever
// holds the text wipes it.
//
//     smpshare://secret?idx=I&key=<64 hex>[&label=L]

/// Why a text is no share URL.
public enum ShareURLError: Error, Hashable, Sendable {
  case notAShareURL
  case missingIndex
  case malformedIndex
  case missingKey
  case malformedKey
  case repeatedParameter
  case malformedLabel
  case labelTooLong(size: Int, max: Int)
}

/// A shared secret.
public struct ShareURL: Sendable {
  public var index: Int64
  public var key: SecretKey
  /// Trimmed; nil when there is none.
  public var label: String?

  /// To share `key` for the action of `index`; the label is trimmed.
  public init(index: Int64, key: SecretKey, label: String?) {
    self.index = index
    self.key = key
    self.label = label.flatMap { ShareURL.trimmed(Array($0.utf8)) }
  }

  /// Takes a share URL apart.
  public static func parse(_ text: some Collection<UInt8>) throws(ShareURLError) -> ShareURL {
    let parts = URLParts(text)
    guard parts.scheme.elementsEqual("smpshare".utf8), parts.host.elementsEqual("secret".utf8) else {
      throw .notAShareURL
    }
    var index: ArraySlice<UInt8>?
    var key: ArraySlice<UInt8>?
    var label: ArraySlice<UInt8>?
    for (name, value) in parts.parameters {
      if name.elementsEqual("idx".utf8) {
        guard index == nil else { throw .repeatedParameter }
        index = value
      } else if name.elementsEqual("key".utf8) {
        guard key == nil else { throw .repeatedParameter }
        key = value
      } else if name.elementsEqual("label".utf8) {
        guard label == nil else { throw .repeatedParameter }
        label = value
      }
    }
    guard let index else { throw .missingIndex }
    guard let number = Int64(decimal: index) else { throw .malformedIndex }
    guard let key else { throw .missingKey }
    guard let secret = SecretKey(hex: key) else { throw .malformedKey }
    return ShareURL(
      index: number, key: secret, label: try label.flatMap { (text) throws(ShareURLError) in try decodeLabel(text) })
  }

  /// The URL; it holds the key.
  public func text() -> [UInt8] {
    var text = Array("smpshare://secret?idx=\(index)&key=".utf8) + key.revealedHexDigits()
    if let label { text += Array("&label=".utf8) + ShareURL.encodeLabel(label) }
    return text
  }

  private static func decodeLabel(_ text: ArraySlice<UInt8>) throws(ShareURLError) -> String? {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let value = Hex.decode(rest.prefix(2))?.first else { throw .malformedLabel }
      rest = rest.dropFirst(2)
      bytes.append(value)
    }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .malformedLabel }
    guard bytes.count <= Limits.secretLabelSizeMax else {
      throw .labelTooLong(size: bytes.count, max: Limits.secretLabelSizeMax)
    }
    return trimmed(bytes)
  }

  /// As the app encodes it: what has a meaning in a query, and everything that is not printable ASCII.
  private static func encodeLabel(_ label: String) -> [UInt8] {
    var text: [UInt8] = []
    for byte in label.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        text.append(byte)
      default:
        if "-._~!$'()*+,;:@/?".utf8.contains(byte) {
          text.append(byte)
        } else {
          let digits = Hex.digits(of: [byte]).map { (0x61...0x66).contains($0) ? $0 - 32 : $0 }
          text += [UInt8(ascii: "%")] + digits
        }
      }
    }
    return text
  }

  private static func trimmed(_ bytes: [UInt8]) -> String? {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
    else {
      return nil
    }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
