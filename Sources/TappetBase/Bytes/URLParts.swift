// The parts of a URL (RFC 3986), and percent-encoding.

/// A URL's parts, in place; nothing is decoded, copied or allocated.
package struct URLParts {
  /// A part of the text; valid as long as the text is.
  package typealias Part = Slice<UnsafeBufferPointer<UInt8>>

  package var scheme: Part
  package var host: Part
  package var query: Part

  /// Splits `scheme://host[/path][?query][#fragment]`; missing parts are empty.
  @export(interface)
  package init(_ text: UnsafeBufferPointer<UInt8>) {
    var rest = text[...]
    scheme = rest[..<rest.startIndex]
    host = scheme
    query = scheme
    if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
    if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
      query = rest[(mark + 1)...]
      rest = rest[..<mark]
    }
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { return }
    scheme = rest[..<colon]
    guard rest[(colon + 1)...].starts(with: "//".utf8) else { return }
    let authority = rest[(colon + 3)...]
    host = authority.prefix { $0 != UInt8(ascii: "/") }
  }

  /// The names and values of the nonempty parameters, in order; the value is empty if a parameter has no `=`.
  package struct Parameters: IteratorProtocol {
    var rest: Part

    @export(interface)
    package mutating func next() -> (name: Part, value: Part)? {
      while !rest.isEmpty {
        let parameter = rest.prefix { $0 != UInt8(ascii: "&") }
        rest = rest[parameter.endIndex...].dropFirst()
        guard !parameter.isEmpty else { continue }
        let name = parameter.prefix { $0 != UInt8(ascii: "=") }
        return (name, parameter[name.endIndex...].dropFirst())
      }
      return nil
    }
  }

  /// The query's parameters.
  package var parameters: Parameters { Parameters(rest: query) }

  /// Passes the bytes of `text` to `body`, which must not keep them.
  package static func withBytes<Result, Failure: Error>(
    of text: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try Array(text).withUnsafeBufferPointer(body)
  }
}

/// The authority of a URL: `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`.
package struct URLAuthority: Hashable, Sendable {
  /// The host name or IP address, without brackets.
  package let host: String
  package let port: UInt16?

  /// Parses an authority; `nil` if it contains a user name, an empty host or invalid characters.
  @export(interface)
  package init?(_ text: ArraySlice<UInt8>) {
    let isAddress = text.first == UInt8(ascii: "[")
    let mark = text.firstIndex(of: UInt8(ascii: isAddress ? "]" : ":"))
    guard let end = mark ?? (isAddress ? nil : text.endIndex) else { return nil }
    host = String(decoding: text[..<end].dropFirst(isAddress ? 1 : 0), as: UTF8.self)
    guard (1...253).contains(host.utf8.count), host.hasOnlyASCIIAlphanumerics(and: isAddress ? "-._:%" : "-._") else {
      return nil
    }
    let rest = text[end...].dropFirst(isAddress ? 1 : 0)
    guard let colon = rest.first else {
      port = nil
      return
    }
    guard colon == UInt8(ascii: ":"), let number = Int64(decimal: rest.dropFirst()),
      (1...0xFFFF).contains(number)
    else { return nil }
    port = UInt16(number)
  }
}

extension String {
  /// The text escaped for use as one part of a URL; only unreserved characters (RFC 3986 §2.3) are left unchanged.
  package var percentEncoded: String { String(decoding: percentEncoded(except: ""), as: UTF8.self) }

  /// Returns the text escaped, except for unreserved characters and the characters in `others`.
  @export(interface)
  package func percentEncoded(except others: String) -> [UInt8] {
    var text: [UInt8] = []
    for byte in utf8 {
      if byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte) || others.utf8.contains(byte) {
        text.append(byte)
      } else {
        text += [UInt8(ascii: "%")] + Hex.digits(of: [byte]).map { $0.asciiUppercased }
      }
    }
    return text
  }
}
