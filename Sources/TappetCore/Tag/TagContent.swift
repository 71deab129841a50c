// From a tag's memory to the URL on it.

/// Why a tag's memory holds no URL.
package enum TagContentError: Error, Hashable, Sendable {
  /// Tappet reads no NDEF from this model.
  case unsupportedModel(TagModel)
  /// Formatted, but nothing is written on it.
  case empty
  /// The memory has no NDEF block.
  case noMessage
  /// The reading ends before the message does.
  case incomplete(needed: Int, read: Int)
  case memory(Type2Error)
  case message(NDEFError)
  /// There is a message, but it contains no URI.
  case noURI
  case tooLong(size: Int)
  /// A tag URL with a byte that no link has: a blank, a NUL, a control character.
  case strayByte(UInt8)
}

/// Why a reading yields no tag URL.
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

  /// The first text on the tag; `nil` when it has none.
  package var firstText: String? {
    guard let bytes = try? message(), let decoded = try? NDEFMessage(decoding: bytes) else { return nil }
    return decoded.firstText
  }

  /// The first link as text; `nil` without one, and for one that would copy a tag or a secret.
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
  /// Whether the link may be a tag URL or a share code, also a damaged one.
  package var isOurs: Bool { beginsAsLink("smp") }

  /// Whether this is the beginning, but for bytes before it that no link has.
  fileprivate func beginsAsLink(_ start: String) -> Bool {
    let link = String(decoding: drop { !(0x21...0x7E).contains($0) }.prefix(start.utf8.count), as: UTF8.self)
    return link.asciiLowercased == start
  }
}

extension TagReading {
  /// The reading with zeros in place of the digits of a key that the tag carries, which makes any tag of its action.
  package var withoutCarriedKey: TagReading { masked { $0.elementsEqual("key=".utf8) } }

  /// The reading with zeros in place of the digits of key and signature, for viewers who may not copy tags.
  package var withoutSignature: TagReading {
    masked { $0.elementsEqual("key=".utf8) || $0.elementsEqual("sig=".utf8) }
  }

  private func masked(_ isSecret: (ArraySlice<UInt8>) -> Bool) -> TagReading {
    var masked = self
    var isInSecret = false
    for index in masked.bytes.indices {
      let byte = masked.bytes[index]
      if isInSecret {
        // Up to the next parameter or the end of the TLV; other bytes in between may be the memory's own.
        if byte == UInt8(ascii: "&") || byte == 0xFE { isInSecret = false }
        if Hex.value(of: byte) < 16 { masked.bytes[index] = UInt8(ascii: "0") }
      } else if index >= 3, isSecret(masked.bytes[index - 3...index]) {
        isInSecret = true
      }
    }
    return masked
  }
}
