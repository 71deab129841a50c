// A message as the configuration has it, with places for a timestamp token and an id (docs/formats.md, "%T").

/// A payload whose first `%T` and first `%I` are filled in when it is sent; everything else is literal.
package struct PayloadTemplate: Hashable, Sendable {
  /// The template as written.
  package let text: String
  /// Whether `%T` occurs.
  package let usesTimestamp: Bool
  /// Whether `%I` occurs.
  package let usesID: Bool

  /// Any text is a template, as in the app.
  package init(_ text: String) {
    self.text = text
    let bytes = Array(text.utf8)
    usesTimestamp = PayloadTemplate.place(of: UInt8(ascii: "T"), in: bytes) != nil
    usesID = PayloadTemplate.place(of: UInt8(ascii: "I"), in: bytes) != nil
  }

  /// Returns the payload.
  ///
  /// Without a token `%T` is left as it is, as in the app. Inserted text is not examined again.
  package func fill(token: String?, id: EntryID) -> [UInt8] {
    let bytes = Array(text.utf8)
    guard usesTimestamp || usesID else { return bytes }
    let timestamp = token == nil ? nil : PayloadTemplate.place(of: UInt8(ascii: "T"), in: bytes)
    let identity = PayloadTemplate.place(of: UInt8(ascii: "I"), in: bytes)
    var payload: [UInt8] = []
    var offset = 0
    while offset < bytes.count {
      if offset == timestamp, let token {
        payload += Array(token.utf8)
        offset += 2
      } else if offset == identity {
        payload += id.hexDigits
        offset += 2
      } else {
        payload.append(bytes[offset])
        offset += 1
      }
    }
    return payload
  }

  private static func place(of letter: UInt8, in bytes: [UInt8]) -> Int? {
    guard bytes.count >= 2 else { return nil }
    return (0..<bytes.count - 1).first { bytes[$0] == UInt8(ascii: "%") && bytes[$0 + 1] == letter }
  }
}
