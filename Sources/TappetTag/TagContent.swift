// Extracts the URL from a tag's memory.

/// The reason why a tag's memory contains no URL.
package enum TagContentError: Error, Hashable, Sendable {
  /// NDEF is not supported on the tag's model.
  case unsupportedModel(TagModel)
  /// The tag is formatted but empty.
  case empty
  /// The memory has no NDEF block.
  case noMessage
  /// The reading ends before the end of the message; sizes in bytes.
  case incomplete(needed: Int, read: Int)
  case memory(Type2Error)
  case message(NDEFError)
  /// The message contains no URI.
  case noURI
  case tooLong(size: Int)
  /// A tag URL contains a byte that is invalid in links: a space, a NUL or another control character.
  case strayByte(UInt8)
}

/// The reason why a reading contains no tag URL.
package enum TagReadingError: Error, Hashable, Sendable {
  case content(TagContentError)
  case url(TagURLError)
}

extension TagReading {
  /// Returns the NDEF message's bytes.
  @export(interface)
  package func message() throws(TagContentError) -> [UInt8] {
    switch model.layout {
    case .unsupported: throw .unsupportedModel(model)
    case .type4:
      guard !bytes.isEmpty else { throw .empty }
      return bytes
    case .type2:
      switch Type2Memory.locate(in: bytes) {
      case .message(let message): return message
      case .empty: throw .empty
      case .none: throw .noMessage
      case .needs(let count): throw .incomplete(needed: count, read: bytes.count)
      case .malformed(let error): throw .memory(error)
      }
    }
  }

  /// Returns the first URI of the message.
  @export(interface)
  package func uri() throws(TagContentError) -> [UInt8] {
    let bytes = try message()
    let decoded: NDEFMessage
    do throws(NDEFError) { decoded = try NDEFMessage(decoding: bytes) } catch { throw .message(error) }
    guard let uri = decoded.firstURI else { throw .noURI }
    guard uri.count <= Limits.tagURLSizeMax else { throw .tooLong(size: uri.count) }
    return uri
  }

  /// The first text on the tag; `nil` if there is none.
  package var firstText: String? {
    guard let bytes = try? message(), let decoded = try? NDEFMessage(decoding: bytes) else { return nil }
    return decoded.firstText
  }

  /// The first link as text; `nil` if there is none, or if the link would disclose a tag URL or a secret.
  package var shownURI: String? {
    guard let uri = try? uri(), !uri.isOurs else { return nil }
    return String(decoding: uri, as: UTF8.self)
  }

  /// Returns the tag URL.
  @export(interface)
  package func tagURL() throws(TagReadingError) -> TagURL {
    let text: [UInt8]
    do throws(TagContentError) { text = try uri() } catch { throw .content(error) }
    if text.beginsAsLink("smp:"), let stray = text.first(where: { !(0x21...0x7E).contains($0) }) {
      throw .content(.strayByte(stray))
    }
    do throws(TagURLError) { return try TagURL.parse(text) } catch { throw .url(error) }
  }
}

extension [UInt8] {
  /// Whether the link or text may be or contain a tag URL or a share code, even if it is malformed.
  package var isOurs: Bool { beginsAsLink("smp") || isSecret }

  /// Whether the link or text contains a tag URL or a share code, whose signature or key must not be shown.
  ///
  /// A link may begin with the prefix of its record, such as `http://`, and a text with other words.
  package var isSecret: Bool {
    indices.contains { index in
      let rest = self[index...]
      return self[index] | 0x20 == UInt8(ascii: "s") && (rest.begins("smp://action") || rest.begins("smpshare:"))
    }
  }

  /// Returns whether the bytes start with `start`, ignoring leading bytes that are invalid in links.
  fileprivate func beginsAsLink(_ start: String) -> Bool { drop { !(0x21...0x7E).contains($0) }.begins(start) }
}

extension ArraySlice<UInt8> {
  /// Returns whether the bytes start with lower-case text, ignoring case.
  fileprivate func begins(_ start: String) -> Bool {
    String(decoding: prefix(start.utf8.count), as: UTF8.self).asciiLowercased == start
  }
}

extension TagReading {
  /// The reading with the digits of a carried key zeroed, because any tag of the action can be created with the key.
  package var withoutCarriedKey: TagReading { masked { $0.elementsEqual("key=".utf8) } }

  /// The reading with the digits of key and signature zeroed, for users who are not permitted to copy tags.
  package var withoutSignature: TagReading {
    masked { $0.elementsEqual("key=".utf8) || $0.elementsEqual("sig=".utf8) }
  }

  private func masked(_ isSecret: (ArraySlice<UInt8>) -> Bool) -> TagReading {
    var masked = self
    var isInSecret = false
    for index in masked.bytes.indices {
      let byte = masked.bytes[index]
      if isInSecret {
        // A secret ends at the next parameter or the end of the TLV; bytes in between may be part of the layout.
        if byte == UInt8(ascii: "&") || byte == 0xFE { isInSecret = false }
        if Hex.value(of: byte) < 16 { masked.bytes[index] = UInt8(ascii: "0") }
      } else if index >= 3, isSecret(masked.bytes[index - 3...index]) {
        isInSecret = true
      }
    }
    return masked
  }
}
