// A tag that is yet to be written: a new secret, and the content for its tag. Nothing is written or saved here.

/// The reason why a tag's content could not be created.
package enum TagDraftError: Error, Hashable, Sendable {
  case label(NameFault)
  case crypto(CryptoError)
}

/// A new secret of an action, and the message for its tag.
///
/// Save the secret only after the message was written and read back: until then, no tag uses the secret.
package final class TagDraft: Sendable {
  /// The new secret.
  package let secret: TagSecret
  /// The URL on its tag.
  package let url: TagURL
  // Written only in `init` and `deinit`, when there is no other reference, so threads may share it.
  nonisolated(unsafe) private var bytes: [UInt8]

  /// Generates a key for `action`, whose tags have `index`, and signs the URL of its tag.
  ///
  /// With `carriesKey` the URL has the older form, from which a phone can import the secret, but which every reader of
  /// the tag can copy.
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

  /// The NDEF message: a record with an unabbreviated URI, followed by the text, if any.
  ///
  /// The message may contain the key: the caller must wipe every copy.
  package var message: [UInt8] { bytes }

  /// Builds the message in place, so that no copy of the key remains.
  private static func message(_ url: TagURL, carrying key: SecretKey?, then other: NDEFRecord?) -> [UInt8] {
    let text = url.text()
    let keySize = key == nil ? 0 : 5 + 2 * SecretKey.size
    // MB, ME, SR, TNF 1; at most 210 bytes with the longest numbers, so that the length is one byte (NDEF 1.0 §3.2.4).
    // Without ME if another record follows.
    let header: UInt8 = other == nil ? 0xD1 : 0x91
    var message: [UInt8] = [header, 0x01, UInt8(truncatingIfNeeded: 1 + text.count + keySize), UInt8(ascii: "U"), 0x00]
    message.reserveCapacity(message.count + text.count + keySize + (other?.payload.count ?? 0) + 8)
    message += text
    if let key {
      message += "&key=".utf8
      key.withBytes { for byte in $0 { Hex.append(byte, to: &message) } }
    }
    // Its only flags, MB, ME and SR, are those of a single-record message; here it is not the first record.
    if let other, let record = NDEFMessage(records: [other]).encode() {
      message.append(record[0] & 0x7F)
      message += record.dropFirst()
    }
    return message
  }
}

extension TagSecret {
  /// A random UUID (RFC 9562 §5.4), lower-case.
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
