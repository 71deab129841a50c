// A message as it stands in the configuration, with places for a timestamp token and an id (formats.md, "%T").

/// A payload in which the first `%T` and the first `%I` are filled in when it is sent.
///
/// What else it holds stands for itself.
public struct PayloadTemplate: Hashable, Sendable {
  /// As written.
  public let text: String
  /// Whether `%T` occurs.
  public let usesTimestamp: Bool
  /// Whether `%I` occurs.
  public let usesID: Bool

  /// Any text is a template, as in the app.
  public init(_ text: String) {
    self.text = text
    let bytes = Array(text.utf8)
    usesTimestamp = PayloadTemplate.place(of: UInt8(ascii: "T"), in: bytes) != nil
    usesID = PayloadTemplate.place(of: UInt8(ascii: "I"), in: bytes) != nil
  }

  /// The payload.
  ///
  /// Without a token `%T` stands as it is, as in the app. What is filled in is not looked at again.
  public func fill(token: String?, id: EntryID) -> [UInt8] {
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
