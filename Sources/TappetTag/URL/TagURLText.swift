// A tag URL parsed and verified in place, without allocating, for high-volume callers.

/// A tag URL parsed in place; valid only as long as the text is.
package struct TagURLText {
  /// The action's `idx`.
  package let index: Int64
  /// Time of writing, in seconds since 1970.
  package let timestamp: Int64
  /// Whether the URL carries its key.
  package let carriesKey: Bool
  /// The signature as written: 64 hex digits, or malformed.
  let signature: URLParts.Part

  /// Parses a URL.
  @export(interface)
  package init(_ text: UnsafeBufferPointer<UInt8>) throws(TagURLError) {
    let parts = URLParts(text)
    guard parts.scheme.elementsEqual("smp".utf8) else { throw .invalidScheme }
    guard parts.host.elementsEqual("action".utf8) else { throw .invalidHost }
    guard !parts.query.isEmpty else { throw .noParameters }
    var index: URLParts.Part?
    var timestamp: URLParts.Part?
    var signature: URLParts.Part?
    var key: URLParts.Part?
    var unknownCount = 0
    var parameters = parts.parameters
    while let (name, value) = parameters.next() {
      if name.elementsEqual("idx".utf8) {
        guard index == nil else { throw .repeated(.index) }
        index = value
      } else if name.elementsEqual("ts".utf8) {
        guard timestamp == nil else { throw .repeated(.timestamp) }
        timestamp = value
      } else if name.elementsEqual("sig".utf8) {
        guard signature == nil else { throw .repeated(.signature) }
        signature = value
      } else if name.elementsEqual("key".utf8) {
        guard key == nil else { throw .repeated(.key) }
        key = value
      } else {
        guard unknownCount < Limits.tagURLParametersMax, !TagURLText.occurs(name, before: name.startIndex, in: parts)
        else { throw .repeatedUnknown }
        unknownCount += 1
      }
    }
    guard let index else { throw .missing(.index) }
    guard let timestamp else { throw .missing(.timestamp) }
    guard let signature else { throw .missing(.signature) }
    guard let indexValue = Int64(decimal: index) else { throw .malformed(.index) }
    guard let timestampValue = Int64(decimal: timestamp) else { throw .malformed(.timestamp) }
    self.index = indexValue
    self.timestamp = timestampValue
    self.signature = signature
    carriesKey = key != nil
  }

  /// Returns whether a parameter with the given name occurs before `end`.
  private static func occurs(_ name: URLParts.Part, before end: Int, in parts: URLParts) -> Bool {
    var parameters = parts.parameters
    while let (other, _) = parameters.next(), other.startIndex < end {
      if other.elementsEqual(name) { return true }
    }
    return false
  }

  /// Returns the index of the key that created the signature; `nil` if there is none.
  ///
  /// The keys have `MessageAuthenticator.keySize` bytes each, without gaps. Tries every key, in a time that does not
  /// depend on which key matches. Does not allocate, and wipes all computed values.
  @export(interface)
  package func verify(keys: UnsafeRawBufferPointer) -> Int? {
    // The memory has three areas: the claimed signature, an expected signature, and the signed bytes.
    withUnsafeTemporaryAllocation(byteCount: 64 + TagURLText.signedSizeMax, alignment: 8) { memory in
      let claimed = UnsafeMutableRawBufferPointer(rebasing: memory[..<32])
      let expected = UnsafeMutableRawBufferPointer(rebasing: memory[32..<64])
      let isSignature = Hex.decode(signature, into: claimed)
      let place = UnsafeMutableRawBufferPointer(rebasing: memory[64...])
      let message = UnsafeRawBufferPointer(rebasing: place[..<writeSignedBytes(to: place)])
      var match: Int?
      for position in 0..<keys.count / MessageAuthenticator.keySize {
        let start = position * MessageAuthenticator.keySize
        let key = UnsafeRawBufferPointer(rebasing: keys[start..<start + MessageAuthenticator.keySize])
        guard MessageAuthenticator.authenticate(message, key: key, into: expected) else { continue }
        let isEqual = LibCrypto.areEqual(UnsafeRawBufferPointer(expected), UnsafeRawBufferPointer(claimed))
        if isEqual, isSignature { match = position }
      }
      LibCrypto.wipe(expected)
      return match
    }
  }

  /// Maximum size of the signed text, in bytes: `idx=` and `&ts=` with 19 digits each.
  private static let signedSizeMax = 46

  /// Writes `idx=I&ts=T`, and returns the number of bytes written.
  private func writeSignedBytes(to memory: UnsafeMutableRawBufferPointer) -> Int {
    var size = TagURLText.write("idx=", to: memory, at: 0)
    size = TagURLText.write(index, to: memory, at: size)
    size = TagURLText.write("&ts=", to: memory, at: size)
    return TagURLText.write(timestamp, to: memory, at: size)
  }

  private static func write(_ text: StaticString, to memory: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    for position in 0..<text.utf8CodeUnitCount { memory[offset + position] = text.utf8Start[position] }
    return offset + text.utf8CodeUnitCount
  }

  /// Writes a non-negative number in decimal, and returns the offset after the last digit.
  private static func write(_ number: Int64, to memory: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    var count = 1
    var bound: Int64 = 10
    while number >= bound {
      count += 1
      let (product, overflow) = bound.multipliedReportingOverflow(by: 10)
      if overflow { break }
      bound = product
    }
    var rest = number
    for position in stride(from: count - 1, through: 0, by: -1) {
      memory[offset + position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    return offset + count
  }
}
