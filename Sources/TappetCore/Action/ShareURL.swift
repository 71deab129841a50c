// The share URL, by which a phone or kiosk passes a secret on (docs/formats.md, "Share URL"). The URL contains a key,
// so every owner of its text must wipe the text.
//
//     smpshare://secret?idx=I&key=<64 hex>[&label=L]

/// The reason why a text is not a share URL.
package enum ShareURLError: Error, Hashable, Sendable {
  case notAShareURL
  case missingIndex
  case malformedIndex
  case missingKey
  case malformedKey
  case repeatedParameter
  case malformedLabel
  case label(NameFault)
}

/// A shared secret.
package struct ShareURL: Sendable {
  /// The `idx` of the action to which the secret belongs.
  package var index: Int64
  /// The key for the secret's tags.
  package var key: SecretKey
  /// The trimmed label; `nil` if there is none.
  package var label: String?

  /// Creates a share URL of `key` for the action with `index`; trims the label.
  package init(index: Int64, key: SecretKey, label: String?) {
    self.index = index
    self.key = key
    self.label = label.flatMap { $0.trimmedLabel }
  }

  /// Parses a share URL.
  package static func parse(_ text: some Collection<UInt8>) throws(ShareURLError) -> ShareURL {
    try URLParts.withBytes(of: text) { (bytes) throws(ShareURLError) in try parse(URLParts(bytes)) }
  }

  /// Parses a share URL in place, so that no copy of the text remains.
  @export(interface)
  package static func parse(at text: UnsafeRawBufferPointer) throws(ShareURLError) -> ShareURL {
    try parse(URLParts(text.assumingMemoryBound(to: UInt8.self)))
  }

  private static func parse(_ parts: URLParts) throws(ShareURLError) -> ShareURL {
    guard parts.scheme.elementsEqual("smpshare".utf8), parts.host.elementsEqual("secret".utf8) else {
      throw .notAShareURL
    }
    var index: URLParts.Part?
    var key: URLParts.Part?
    var label: URLParts.Part?
    var parameters = parts.parameters
    while let (name, value) = parameters.next() {
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
      index: number, key: secret,
      label: try label.flatMap { (text) throws(ShareURLError) in try decodeLabel(Array(text)[...]) })
  }

  /// Returns the text of the URL, which contains the key: the caller must wipe it.
  ///
  /// The key's digits are written directly into the result, so no other copy exists.
  @export(interface)
  package func text() -> [UInt8] {
    let head = Array("smpshare://secret?idx=\(index)&key=".utf8)
    // As in the app, characters that have a meaning in a query or are not printable ASCII are escaped.
    let tail = label.map { Array("&label=".utf8) + $0.percentEncoded(except: "!$'()*+,;:@/?") } ?? []
    let size = head.count + 2 * SecretKey.size + tail.count
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      var place = buffer.startIndex
      func put(_ byte: UInt8) {
        buffer[place] = byte
        place += 1
      }
      for byte in head { put(byte) }
      key.withBytes { bytes in
        for byte in bytes {
          put(Hex.digit(byte >> 4))
          put(Hex.digit(byte & 0x0F))
        }
      }
      for byte in tail { put(byte) }
      count = place
    }
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
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformedLabel }
    guard let label = text.trimmedLabel else { return nil }
    if let fault = label.nameFault() { throw .label(fault) }
    return label
  }
}

extension ShareURL {
  /// Returns the share code in a line, without text added by a scanner or an editor: `QR-Code:`, quotes, blanks, a byte
  /// order mark; the caller must wipe the result.
  ///
  /// A line without a share code loses only its surrounding blanks, its closing quotes and zero bytes.
  @export(interface)
  package static func trimmed(_ line: [UInt8]) -> [UInt8] {
    // In UTF-16, each character of a share code is paired with a zero byte.
    var text = line.filter { $0 != 0 }
    defer { LibCrypto.wipe(&text) }
    let isBlank = { (byte: UInt8) in byte <= 0x20 }
    let start = text.indices.first { text[$0...].starts(with: "smpshare:".utf8) }
    let before = start.map { text[..<$0] } ?? []
    var code = text[(start ?? 0)...].drop { isBlank($0) }
    func dropEnd(while isDropped: (UInt8) -> Bool) { while let last = code.last, isDropped(last) { code.removeLast() } }
    dropEnd { isBlank($0) || $0 == 0x22 }
    // Strip closing typographic quotes, ' or > only after the matching opening mark: a label may end in one.
    let mark = before.suffix(3).elementsEqual([0xEF, 0xBB, 0xBF]) ? nil : before.last
    if let mark, mark >= 0x80 { dropEnd { $0 >= 0x80 } }
    if mark == UInt8(ascii: "'") || mark == UInt8(ascii: "<") { dropEnd { $0 == (mark == 0x27 ? 0x27 : 0x3E) } }
    if start == nil, code.allSatisfy({ $0 >= 0x80 || $0 == 0x22 }) { return [] }
    return Array(code)
  }
}
