// Keys and tags: signing and verifying URLs, URLs that carry their key, and passwords of tags.

extension TagURL {
  /// Returns the secret that created the signature.
  ///
  /// Tries every secret, in a time that does not depend on which secret matches; returns `nil` if none matches.
  package func verify(with secrets: some Sequence<TagSecret>) -> TagSecret? {
    let message = signedBytes
    let claimed = signature ?? [UInt8](repeating: 0, count: 32)
    var match: TagSecret?
    for secret in secrets {
      guard let expected = try? secret.key.authenticate(message) else { continue }
      if LibCrypto.areEqual(expected, claimed), signature != nil { match = secret }
    }
    return match
  }

  /// Returns the key that the text of a URL carries, for import once the key verifies the signature.
  ///
  /// The text must be one that `parse` accepts.
  ///
  /// Returns `nil` if the text carries no key, or a malformed key.
  package static func carriedKey(in text: some Collection<UInt8>) -> SecretKey? {
    URLParts.withBytes(of: text) { bytes in
      var parameters = URLParts(bytes).parameters
      while let (name, value) = parameters.next() {
        if name.elementsEqual("key".utf8) { return SecretKey(hex: value) }
      }
      return nil
    }
  }

  /// Creates and signs a URL for the action with the given `index`.
  package static func sign(index: Int64, timestamp: Int64, key: SecretKey) throws(CryptoError) -> TagURL {
    let signature = try key.authenticate(signedBytes(index, timestamp))
    return TagURL(index: index, timestamp: timestamp, signature: signature, carriesKey: false)
  }

  /// Returns the URL's text.
  ///
  /// With `carrying`, the text has the older format, from which a phone can import the secret.
  package func text(carrying key: SecretKey? = nil) -> [UInt8] {
    var text = Array("smp://action?".utf8) + TagURL.signedBytes(index, timestamp)
    text += Array("&sig=".utf8) + Hex.digits(of: signature ?? [])
    if let key { text += Array("&key=".utf8) + key.revealedHexDigits() }
    return text
  }
}

extension TagPassword {
  /// Derives the password of one tag from the kiosk's key.
  ///
  /// The password differs for each tag, and need not be stored.
  package init(of uid: TagUID, key: SecretKey) throws(CryptoError) {
    let code = try key.authenticate(Array("tappet tag password 1 ".utf8) + uid.bytes)
    guard let password = TagPassword(password: Array(code[0..<4]), answer: Array(code[4..<6])) else {
      throw .inputSize(code.count)
    }
    self = password
  }
}
