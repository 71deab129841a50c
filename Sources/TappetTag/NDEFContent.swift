// The link and the text of a message, in every form written by phones and label makers:
//
//     link   a URI record (NFC Forum RTD URI 1.0), an absolute URI (NDEF 1.0 §3.2.6), either in a Smart Poster
//     text   a text record (RTD Text 1.0), the title in a Smart Poster (RTD Smart Poster 1.1), MIME text/*

extension NDEFMessage {
  /// The first link; a link in a Smart Poster takes precedence over all others (RTD Smart Poster 1.1 §3.3).
  package var firstURI: [UInt8]? {
    for record in records { for inner in record.posterRecords() { if let uri = inner.uri { return uri } } }
    for record in records { if let uri = record.uri { return uri } }
    return nil
  }

  /// The first text or title, otherwise the first MIME text.
  package var firstText: String? {
    @export(interface) get {
      var mimeText: String?
      for record in records {
        for part in [record] + record.posterRecords() {
          if let text = part.text, !text.isEmpty { return text }
          mimeText = mimeText ?? part.mimeText
        }
      }
      return mimeText
    }
  }
}

extension NDEFRecord {
  /// Returns whether the record has the NFC Forum well-known type of the given name.
  package func isWellKnown(_ name: StaticString) -> Bool {
    typeNameFormat == 1 && type.elementsEqual("\(name)".utf8)
  }

  /// Returns the records in a Smart Poster and in nested Smart Posters; none if the record has a different type.
  package func posterRecords(depth: Int = 0) -> [NDEFRecord] {
    guard isWellKnown("Sp"), depth < Limits.ndefDepthMax, let inner = try? NDEFMessage(decoding: payload) else {
      return []
    }
    return inner.records.flatMap { [$0] + $0.posterRecords(depth: depth + 1) }
  }

  /// The URI of a URI record or of an absolute URI record; `nil` for other records, or if the record contains no URI.
  package var uri: [UInt8]? {
    // An absolute URI is stored as the record's type; the payload is the resource that the URI identifies.
    if typeNameFormat == 3 { return type.contains(UInt8(ascii: ":")) ? type : nil }
    guard isWellKnown("U"), let code = payload.first, let prefix = Self.prefix(Int(code)) else { return nil }
    let uri = Array("\(prefix)".utf8) + payload.dropFirst()
    return uri.isEmpty ? nil : uri
  }

  /// The text of a text record (RTD Text 1.0 §3.2.1); `nil` for other or malformed records.
  package var text: String? {
    guard isWellKnown("T"), let status = payload.first, payload.count > Int(status & 0x3F) else { return nil }
    let content = Array(payload.dropFirst(1 + Int(status & 0x3F)))
    return status & 0x80 == 0 ? String(utf8: content) : String(utf16: content)
  }

  /// The text of a record of MIME type `text/*` (RFC 2046 §4.1); `nil` for other records, or an unknown character set.
  package var mimeText: String? {
    @export(interface) get {
      guard typeNameFormat == 2 else { return nil }
      let type = String(decoding: self.type, as: UTF8.self).asciiLowercased
      guard type.utf8.starts(with: "text/".utf8) else { return nil }
      switch Self.charset(of: type) {
      case "", "utf-8", "utf8", "us-ascii": return String(utf8: payload)
      case "utf-16", "utf-16be": return String(utf16: payload)
      case "utf-16le": return String(utf16: [0xFF, 0xFE] + payload)
      case "iso-8859-1":
        return payload.reduce(into: "") { $0.unicodeScalars.append(Unicode.Scalar($1)) }
      default: return nil
      }
    }
  }

  /// Returns the parameter `charset` of a MIME type, in lower case; empty if there is none.
  private static func charset(of type: String) -> String {
    for parameter in type.split(separator: ";").dropFirst() {
      let bytes = parameter.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\"") }
      if bytes.starts(with: "charset=".utf8) { return String(decoding: bytes.dropFirst(8), as: UTF8.self) }
    }
    return ""
  }

  /// Returns the prefix for a URI identifier code (RTD URI 1.0 §3.2.2).
  private static func prefix(_ code: Int) -> StaticString? {
    let prefixes: [StaticString] = [
      "", "http://www.", "https://www.", "http://", "https://", "tel:", "mailto:", "ftp://anonymous:anonymous@",
      "ftp://ftp.", "ftps://", "sftp://", "smb://", "nfs://", "ftp://", "dav://", "news:", "telnet://", "imap:",
      "rtsp://", "urn:", "pop:", "sip:", "sips:", "tftp:", "btspp://", "btl2cap://", "btgoep://", "tcpobex://",
      "irdaobex://", "file://", "urn:epc:id:", "urn:epc:tag:", "urn:epc:pat:", "urn:epc:raw:", "urn:epc:", "urn:nfc:",
    ]
    return prefixes.indices.contains(code) ? prefixes[code] : nil
  }
}

extension String {
  /// Decodes UTF-8 without its byte order mark; `nil` if the bytes are not UTF-8.
  fileprivate init?(utf8 bytes: [UInt8]) {
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    guard let text = String(validating: content, as: UTF8.self) else { return nil }
    self = text
  }

  /// Decodes UTF-16, big-endian without a byte order mark (RTD Text 1.0 §3.4); `nil` if the bytes are not UTF-16.
  fileprivate init?(utf16 bytes: [UInt8]) {
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let isLittle = bytes.starts(with: [0xFF, 0xFE])
    var text = ""
    var high: UInt32?
    for index in stride(from: isLittle || bytes.starts(with: [0xFE, 0xFF]) ? 2 : 0, to: bytes.count, by: 2) {
      let (first, second) = (UInt32(bytes[index]), UInt32(bytes[index + 1]))
      var value = isLittle ? second << 8 | first : first << 8 | second
      if let half = high {
        guard value & 0xFC00 == 0xDC00 else { return nil }
        value = 0x10000 + (half & 0x3FF) << 10 + value & 0x3FF
        high = nil
      } else if value & 0xFC00 == 0xD800 {
        high = value
        continue
      }
      guard let scalar = Unicode.Scalar(value) else { return nil }
      text.unicodeScalars.append(scalar)
    }
    guard high == nil else { return nil }
    self = text
  }
}
