// A tag that has not been written yet: a new secret, and the content for its tag. This code writes and saves nothing.

/// The reason why a tag's content could not be created.
package enum TagDraftError: Error, Hashable, Sendable {
  case label(NameFault)
  case crypto(CryptoError)
}

/// A new secret of an action, and the message for its tag.
///
/// Save the secret only after the message has been written and read back: until then, no tag uses the secret.
package final class TagDraft: Sendable {
  /// The new secret.
  package let secret: TagSecret
  /// The URL on the secret's tag.
  package let url: TagURL
  // Written only in `init` and `deinit`, when no other reference exists, so threads may share the object.
  nonisolated(unsafe) private var bytes: [UInt8]

  /// Generates a key for `action`, whose tags have `index`, and signs a tag URL with it.
  ///
  /// With `carriesKey`, the URL has the older format: a phone can import the secret, but any reader can copy the key.
  @export(interface)
  package init(
    action: Action, index: Int64, label: String?, person: Person? = nil, carriesKey: Bool, text: String? = nil,
    unixSeconds: Int64
  ) throws(TagDraftError) {
    let label = label.flatMap { $0.trimmedLabel }
    if let fault = label?.nameFault() { throw .label(fault) }
    do throws(CryptoError) {
      let key = try SecretKey.random()
      var url = try TagURL.sign(index: index, timestamp: unixSeconds, key: key)
      url.carriesKey = carriesKey
      self.url = url
      var secret = TagSecret(
        id: try TagSecret.newID(), action: action.name, index: index, key: key, createdUnixSeconds: unixSeconds,
        label: label)
      secret.person = person
      self.secret = secret
      bytes = TagDraft.message(url, carrying: carriesKey ? key : nil, then: text.map { NDEFRecord(text: $0) })
    } catch { throw .crypto(error) }
  }

  deinit { LibCrypto.wipe(&bytes) }

  /// The NDEF message: a URI record without an abbreviated prefix, followed by the text, if any.
  ///
  /// The message may contain the key: the caller must wipe every copy.
  package var message: [UInt8] { bytes }

  /// Builds the message in place, so that no copy of the key remains.
  private static func message(_ url: TagURL, carrying key: SecretKey?, then other: NDEFRecord?) -> [UInt8] {
    let text = url.text()
    let keySize = key == nil ? 0 : 5 + 2 * SecretKey.size
    // MB, ME, SR, TNF 1; at most 210 bytes with the longest numbers, so that the length takes one byte (NDEF 1.0
    // §3.2.4). ME is not set if a text record follows.
    let header: UInt8 = other == nil ? 0xD1 : 0x91
    var message: [UInt8] = [header, 0x01, UInt8(truncatingIfNeeded: 1 + text.count + keySize), UInt8(ascii: "U"), 0x00]
    message.reserveCapacity(message.count + text.count + keySize + (other?.payload.count ?? 0) + 8)
    message += text
    if let key {
      message += "&key=".utf8
      key.withBytes { for byte in $0 { Hex.append(byte, to: &message) } }
    }
    // The encoder sets MB, ME and SR, as for a single record; MB is cleared because another record precedes this one.
    if let other, let record = NDEFMessage(records: [other]).encode() {
      message.append(record[0] & 0x7F)
      message += record.dropFirst()
    }
    return message
  }
}

extension TagSecret {
  /// Returns a random UUID (RFC 9562 §5.4) in lower case.
  @export(interface)
  package static func newID() throws(CryptoError) -> String {
    var bytes = try LibCrypto.random(count: 16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
      Hex.append(byte, to: &text)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
