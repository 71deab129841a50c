// The people of a site, as published to its doors: sealed with the site's key, so that only its doors can read them,
// and signed with the publisher's key, so that neither a door nor anyone who steals one can forge a bundle.
//
//     byte 0         6        7           8      8 + n     16 + n                          size - 64    size
//     "tppeop"       format   name size   name   version   nonce, ciphertext, tag (GCM)    signature
//
// The header, which ends with the version, is the seal's associated data; the signature covers all bytes before it.

/// A bundle as received; only its header has been decoded.
package struct SiteBundle: Sendable {
  /// The bundle format that this version supports.
  package static let format: UInt8 = 1
  /// Number of bytes in a bundle's identity.
  package static let markSize = 16
  private static let magic = Array("tppeop".utf8)

  /// The name of the site for which the bundle was created.
  package let site: String
  /// The number of the bundle; later bundles have larger numbers.
  package let version: Int64
  /// The whole bundle, as sent to the broker.
  package let bytes: [UInt8]
  private let headerSize: Int

  private var signedSize: Int { bytes.count - SigningKey.signatureSize }

  /// The first bytes of the signature, which identify the bundle.
  package var mark: [UInt8] { Array(bytes[signedSize..<signedSize + SiteBundle.markSize]) }

  /// Decodes the header of a message of `size` bytes; `bytes` are not needed if the message is too large.
  package init(arrived bytes: [UInt8], size: Int) throws(SiteRefusal) {
    guard size <= Limits.siteBundleSizeMax else {
      throw .tooLarge(size: size, max: Limits.siteBundleSizeMax)
    }
    try self.init(decoding: bytes)
  }

  private init(decoding bytes: [UInt8]) throws(SiteRefusal) {
    var reader = ByteReader(bytes)
    guard let magic = reader.slice(SiteBundle.magic.count), magic.elementsEqual(SiteBundle.magic),
      let format = reader.byte()
    else { throw .malformed }
    guard format == SiteBundle.format else {
      throw format > SiteBundle.format ? .newerFormat(format) : .malformed
    }
    guard let size = reader.byte(), let name = reader.slice(Int(size)),
      let site = String(validating: name, as: UTF8.self), site.siteNameIsGood,
      let version = try? Int64(from: &reader), version > 0,
      reader.remaining >= LibCrypto.sealOverhead + SigningKey.signatureSize
    else { throw .malformed }
    (self.site, self.version, self.bytes, headerSize) = (site, version, bytes, reader.offset)
  }

  /// Seals and signs the people of a site.
  @export(interface)
  package init(
    _ content: SiteContent, of site: String, version: Int64, sealedUnder key: SecretKey, signedBy signer: SigningKey
  ) throws(CryptoError) {
    var header = ByteWriter()
    header.bytes = SiteBundle.magic + [SiteBundle.format, UInt8(clamping: site.utf8.count)] + Array(site.utf8)
    header.fields(version)
    var plain = content.encoded()
    defer { LibCrypto.wipe(&plain) }
    let body = header.bytes + (try LibCrypto.seal(plain, key: key, context: header.bytes))
    bytes = body + (try signer.sign(body))
    (self.site, self.version, headerSize) = (site, version, header.bytes.count)
  }

  /// Returns whether the bundle was signed by the owner of the given key.
  package func isSigned(by key: VerifyingKey) -> Bool {
    key.verifies(bytes[signedSize...], ofFirst: signedSize, of: bytes)
  }

  /// Decrypts the bundle; `isSigned` must have verified its signature before.
  @export(interface)
  package func content(sealedUnder key: SecretKey) throws(SiteRefusal) -> SiteContent {
    let context = Array(bytes[..<headerSize])
    guard var plain = try? LibCrypto.open(Array(bytes[headerSize..<signedSize]), key: key, context: context) else {
      throw .otherKey
    }
    defer { LibCrypto.wipe(&plain) }
    return try SiteContent(decoding: plain)
  }
}

/// The reason why a bundle is not applied.
package enum SiteRefusal: Error, Hashable, Sendable {
  /// The message is too large; sizes in bytes.
  case tooLarge(size: Int, max: Int)
  /// The message is not a valid bundle.
  case malformed
  /// The bundle has a newer format that this version does not support.
  case newerFormat(UInt8)
  /// The bundle is for the named site, not for the kiosk's.
  case otherSite(String)
  /// A later bundle is in force.
  case older(version: Int64, applied: Int64)
  /// A different bundle with the same number is in force.
  case conflict(version: Int64)
  /// The bundle was not signed with the private key of `public_key`.
  case badSignature
  /// The bundle is sealed with a key that is not the site's.
  case otherKey
  /// An action would have more secrets than allowed.
  case tooManyTags(action: String, max: Int)
  /// Too many other bundles are pending.
  case busy
  /// The bundle could not be stored; it is retried.
  case notStored(StoreFault)

  /// Whether people may be missing at the door because of the refusal; any other refusal can be caused by anyone.
  package var leavesDoorBehind: Bool {
    switch self {
    case .newerFormat, .otherKey, .tooManyTags, .notStored: true
    case .tooLarge, .malformed, .otherSite, .older, .conflict, .badSignature, .busy: false
    }
  }
}

/// The bundle in force, as recorded in the store.
package struct SiteRecord: Hashable, Sendable {
  /// The site's name.
  package var site: String
  /// The bundle's number.
  package var version: Int64
  /// The bundle's identity.
  package var mark: [UInt8]
  /// Time at which the bundle was applied, in seconds since 1970.
  package var appliedUnixSeconds: Int64
  /// Number of people in the bundle.
  package var peopleCount = 0
  /// Number of these people's tags that are used at this door.
  package var tagCount = 0
  /// Number of these people's tags for actions that are not configured at this door.
  package var skippedCount = 0

  package init(of bundle: SiteBundle, at unixSeconds: Int64) {
    (site, version, mark, appliedUnixSeconds) = (bundle.site, bundle.version, bundle.mark, unixSeconds)
  }

  /// The encoded record for the store: one line of text per value.
  package var stored: [UInt8] {
    let numbers = [version, appliedUnixSeconds, Int64(peopleCount), Int64(tagCount), Int64(skippedCount)]
    let lines = ["1", site, Hex.encode(mark)] + numbers.map { String($0) }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// Decodes the output of `stored`; `nil` for any other format.
  @export(interface)
  package init?(stored: [UInt8]) {
    let lines = stored.split(separator: 0x0A, omittingEmptySubsequences: false)
    let numbers = lines.dropFirst(3).compactMap { Int64(decimal: $0) }
    guard lines.count == 8, numbers.count == 5, lines[0].elementsEqual("1".utf8),
      let mark = Hex.decode(lines[2])
    else { return nil }
    site = String(decoding: lines[1], as: UTF8.self)
    (version, appliedUnixSeconds, self.mark) = (numbers[0], numbers[1], mark)
    peopleCount = Int(clamping: numbers[2])
    tagCount = Int(clamping: numbers[3])
    skippedCount = Int(clamping: numbers[4])
  }
}

/// The decision whether to apply a bundle, based on its header.
package enum SiteDecision: Hashable, Sendable {
  case apply
  /// The bundle is already in force; the broker sends it at each connect.
  case current
  case refuse(SiteRefusal)
}

extension SiteBundle {
  /// Returns the decision about the bundle at a door of `site` at which `record` is in force.
  package func verdict(at site: String, after record: SiteRecord?) -> SiteDecision {
    guard self.site == site else { return .refuse(.otherSite(self.site)) }
    guard let record, record.site == site else { return .apply }
    if version == record.version { return mark == record.mark ? .current : .refuse(.conflict(version: version)) }
    return version > record.version ? .apply : .refuse(.older(version: version, applied: record.version))
  }
}

extension String {
  /// Whether the text is a valid site name: a topic level of ASCII letters, digits, '-', '_' and '.'.
  package var siteNameIsGood: Bool {
    (1...Limits.siteNameSizeMax).contains(utf8.count) && hasOnlyASCIIAlphanumerics(and: "-._")
  }
}
