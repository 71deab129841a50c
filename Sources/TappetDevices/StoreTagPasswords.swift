// The key that the passwords of protected tags are drawn from (`TagPassword`), sealed like the secrets. There is one for the
// whole kiosk: a tag's password follows from it and from the tag's UID, so that none has to be remembered for a tag, and a tag
// can be protected before anything is saved.

import TappetCore

/// Why there is no key for tag passwords.
public indirect enum TagPasswordError: Error, Hashable, Sendable {
  /// It was sealed under another key, or damaged.
  case unreadable(CryptoError)
  /// None could be made.
  case notMade(CryptoError)
  case store(StoreError)
}

extension Store {
  /// The key, opened with `key`; nil when no tag was ever protected.
  public func tagPasswordKey(sealedUnder key: SecretKey) throws(TagPasswordError) -> SecretKey? {
    let sealed: [UInt8]?
    do throws(StoreError) { sealed = try sealedTagPasswordKey() } catch { throw .store(error) }
    guard let sealed else { return nil }
    do throws(CryptoError) {
      var plain = try LibCrypto.open(sealed, key: key, context: Store.tagPasswordContext)
      defer { LibCrypto.wipe(&plain) }
      guard let opened = SecretKey(plain) else { throw .keySize(plain.count) }
      return opened
    } catch { throw .unreadable(error) }
  }

  /// The key, which is made and committed if there is none.
  public func makeTagPasswordKey(sealedUnder key: SecretKey) throws(TagPasswordError) -> SecretKey {
    // Another process may make one at the same time: whichever is there first counts.
    if try tagPasswordKey(sealedUnder: key) == nil {
      let sealed: [UInt8]
      do throws(CryptoError) {
        var plain = try SecretKey.random().withBytes { [UInt8]($0) }
        defer { LibCrypto.wipe(&plain) }
        sealed = try LibCrypto.seal(plain, key: key, context: Store.tagPasswordContext)
      } catch { throw .notMade(error) }
      do throws(StoreError) {
        try transaction { () throws(StoreError) in
          let statement = try database.statement("INSERT OR IGNORE INTO tag_password_key (id, sealed) VALUES (1, ?1)")
          statement.bind(blob: sealed, at: 1)
          try statement.run()
        }
      } catch { throw .store(error) }
    }
    guard let made = try tagPasswordKey(sealedUnder: key) else { throw .unreadable(.notAuthentic) }
    return made
  }

  /// Whether there is one, readable or not: a lost sealing key must not be replaced then.
  public func hasTagPasswordKey() throws(StoreError) -> Bool { try sealedTagPasswordKey() != nil }

  private func sealedTagPasswordKey() throws(StoreError) -> [UInt8]? {
    let statement = try database.statement("SELECT sealed FROM tag_password_key WHERE id = 1")
    defer { statement.reset() }
    return try statement.step() ? statement.blob(0) : nil
  }

  private static var tagPasswordContext: [UInt8] { Array("tappet tag password key 1".utf8) }
}
