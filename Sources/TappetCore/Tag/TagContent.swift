// From a tag's memory to the URL on it.

/// Why there is no URL in a tag's memory.
public enum TagContentError: Error, Hashable, Sendable {
  /// The model has no NDEF that Tappet reads.
  case unsupportedModel(TagModel)
  /// Formatted, but nothing is written on it.
  case empty
  /// There is no NDEF block in its memory.
  case noMessage
  /// The reading ends before the message does.
  case incomplete(needed: Int, read: Int)
  case memory(Type2Error)
  case message(NDEFError)
  /// There is a message, but no URI in it.
  case noURI
  case tooLong(size: Int)
}

/// Why a reading gives no tag URL.
public enum TagReadingError: Error, Hashable, Sendable {
  case content(TagContentError)
  case url(TagURLError)
}

extension TagReading {
  /// The NDEF message's bytes.
  public func message() throws(TagContentError) -> [UInt8] {
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

  /// The first URI of the message.
  public func uri() throws(TagContentError) -> [UInt8] {
    let bytes = try message()
    let decoded: NDEFMessage
    do throws(NDEFError) { decoded = try NDEFMessage(decoding: bytes) } catch { throw .message(error) }
    guard let uri = decoded.firstURI else { throw .noURI }
    guard uri.count <= Limits.tagURLSizeMax else { throw .tooLong(size: uri.count) }
    return uri
  }

  /// The tag URL.
  public func tagURL() throws(TagReadingError) -> TagURL {
    let text: [UInt8]
    do throws(TagContentError) { text = try uri() } catch { throw .content(error) }
    do throws(TagURLError) { return try TagURL.parse(text) } catch { throw .url(error) }
  }
}

extension TagReading {
  /// The same with zeros for the digits of a key that the tag carries: for those who may see the tag, but not keys.
  public var withoutCarriedKey: TagReading {
    var masked = self
    let name = Array("key=".utf8)
    var isInKey = false
    for index in masked.bytes.indices {
      let byte = masked.bytes[index]
      if isInKey {
        // Up to the next parameter or the TLV's end; bytes that are no digits may be the memory's own between them.
        if byte == UInt8(ascii: "&") || byte == 0xFE { isInKey = false }
        if Hex.value(of: byte) < 16 { masked.bytes[index] = UInt8(ascii: "0") }
      } else if index + 1 >= name.count, masked.bytes[index + 1 - name.count...index].elementsEqual(name) {
        isInKey = true
      }
    }
    return masked
  }
}
