// The key that a tag's signature is made with.

/// The 32 bytes of a key.
///
/// Wiped when the last holder lets go; never printed.
public final class SecretKey: Sendable {
  /// Bytes.
  public static let size = 32

  private let storage: SecretBytes
  private let authenticator: MessageAuthenticator

  private init(_ storage: SecretBytes) {
    self.storage = storage
    authenticator = storage.withBytes { MessageAuthenticator(key: $0) }
  }

  /// Nil for anything but 32 bytes.
  ///
  /// They are copied; the original is the caller's to wipe.
  public convenience init?(_ bytes: [UInt8]) {
    guard bytes.count == SecretKey.size else { return nil }
    self.init(bytes.withUnsafeBytes { SecretBytes(copying: $0) })
  }

  /// Nil for anything but 32 bytes.
  ///
  /// They are copied straight into memory that is wiped.
  public convenience init?(copying bytes: UnsafeRawBufferPointer) {
    guard bytes.count == SecretKey.size else { return nil }
    self.init(SecretBytes(copying: bytes))
  }

  /// Nil for anything but 64 ASCII hexadecimal digits, of either case.
  public convenience init?(hex digits: ArraySlice<UInt8>) {
    guard let storage = SecretBytes(size: SecretKey.size, fill: { Hex.decode(digits, into: $0) }) else { return nil }
    self.init(storage)
  }

  /// Nil for anything but 64 ASCII hexadecimal digits, of either case, where they stand: no copy of them is left.
  convenience init?(hexDigits digits: Slice<UnsafeBufferPointer<UInt8>>) {
    guard let storage = SecretBytes(size: SecretKey.size, fill: { Hex.decode(digits, into: $0) }) else { return nil }
    self.init(storage)
  }

  /// Nil for anything but 64 ASCII hexadecimal digits, of either case.
  public convenience init?(hex text: String) {
    guard let storage = SecretBytes(size: SecretKey.size, fill: { Hex.decode(text.utf8, into: $0) }) else { return nil }
    self.init(storage)
  }

  /// A key that nobody has.
  public static func random() throws(CryptoError) -> SecretKey {
    guard let storage = SecretBytes(size: size, fill: { LibCrypto.fillRandom($0) }) else {
      throw LibCrypto.randomnessError()
    }
    return SecretKey(storage)
  }

  /// Lends the bytes to `body`, which must not keep them.
  public func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes(body)
  }

  /// The key as 64 lower-case digits, for a tag or a share code that is to carry it.
  ///
  /// The caller's to wipe.
  public func revealedHexDigits() -> [UInt8] { storage.withBytes { Hex.digits(of: $0) } }

  /// HMAC-SHA256 of `message`, 32 bytes.
  func authenticate(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    try authenticator.authenticate(message)
  }
}

extension SecretKey: Equatable {
  /// In constant time.
  public static func == (left: SecretKey, right: SecretKey) -> Bool {
    SecretBytes.areEqual(left.storage, right.storage)
  }
}

/// One of an action's secrets.
public struct TagSecret: Sendable {
  /// A UUID, lower-case, 36 characters.
  public var id: String
  /// The action it belongs to, by name.
  public var action: String
  /// The `idx` that its tags carry.
  public var index: Int64
  /// The key.
  public var key: SecretKey
  /// When it was made or imported, seconds since 1970.
  public var createdUnixSeconds: Int64
  /// For people; trimmed, nil when empty.
  public var label: String?

  /// A secret of the action `action`.
  public init(id: String, action: String, index: Int64, key: SecretKey, createdUnixSeconds: Int64, label: String?) {
    self.id = id
    self.action = action
    self.index = index
    self.key = key
    self.createdUnixSeconds = createdUnixSeconds
    self.label = label
  }
}
