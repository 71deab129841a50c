// The people of a site, as published to its doors: sealed with the site's key, so that only its doors can read them,
// and signed with the publisher's key, so that neither a door nor anyone who steals one can forge a bundle.
//
//     byte 0         6        7           8      8 + n     16 + n                          size - 64    size
//     "tppeop"       format   name size   name   version   nonce, ciphertext, tag (GCM)    signature
//
// The header, up to the version, is the associated data of the seal; the signature covers everything before it.

/// A bundle as received, of which only the header has been decoded.
package struct SiteBundle: Sendable {
  /// The bundle format of this version.
  package static let format: UInt8 = 1
  /// Number of bytes in a bundle's identity.
  package static let markSize = 16
  private static let magic = Array("tppeop".utf8)

  /// The site that the bundle is for.
  package let site: String
  /// The number of the bundle, which is larger for later bundles.
  package let version: Int64
  /// The whole bundle, for the broker.
  package let bytes: [UInt8]
  private let headerSize: Int

  private var signedSize: Int { bytes.count - SigningKey.signatureSize }

  /// The first bytes of the signature, which identify the bundle.
  package var mark: [UInt8] { Array(bytes[signedSize..<signedSize + SiteBundle.markSize]) }

  /// Decodes the header of a message of `size` bytes; if the message was too large, its bytes were not kept.
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
      let version = reader.integer(), version > 0,
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
    header.integer(version)
    var plain = content.encoded()
    defer { LibCrypto.wipe(&plain) }
    let body = header.bytes + (try LibCrypto.seal(plain, key: key, context: header.bytes))
    bytes = body + (try signer.sign(body))
    (self.site, self.version, headerSize) = (site, version, header.bytes.count)
  }

  /// Returns whether the owner of this key has signed the bundle.
  package func isSigned(by key: VerifyingKey) -> Bool {
    key.verifies(bytes[signedSize...], ofFirst: signedSize, of: bytes)
  }

  /// Decrypts the bundle, whose signature `isSigned` must have verified.
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
  /// The message is not a bundle, or is truncated.
  case malformed
  /// The bundle has a newer format, which this version does not support.
  case newerFormat(UInt8)
  /// The bundle is for the site with this name.
  case otherSite(String)
  /// A later bundle is in force.
  case older(version: Int64, applied: Int64)
  /// A different bundle with the same number is in force.
  case conflict(version: Int64)
  /// The bundle was not signed with the key that belongs to `public_key`.
  case badSignature
  /// The bundle is sealed with a key other than the site's.
  case otherKey
  /// An action would have more secrets than allowed.
  case tooManyTags(action: String, max: Int)
  /// Too many other bundles are pending.
  case busy
  /// The bundle could not be stored; it is retried.
  case notStored(StoreFault)

  /// Whether people may be missing at the door because of the refusal; anyone can cause the other refusals.
  package var leavesDoorBehind: Bool {
    switch self {
    case .newerFormat, .otherKey, .tooManyTags, .notStored: true
    case .tooLarge, .malformed, .otherSite, .older, .conflict, .badSignature, .busy: false
    }
  }
}

/// The bundle that is in force, as recorded in the store.
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
  /// Number of tags of these people that this door knows.
  package var tagCount = 0
  /// Number of tags of these people for actions that are not configured at this door.
  package var skippedCount = 0

  /// A record of a bundle.
  package init(of bundle: SiteBundle, at unixSeconds: Int64) {
    (site, version, mark, appliedUnixSeconds) = (bundle.site, bundle.version, bundle.mark, unixSeconds)
  }

  /// The encoded record for the store: one line of text per value.
  package var stored: [UInt8] {
    let numbers = [version, appliedUnixSeconds, Int64(peopleCount), Int64(tagCount), Int64(skippedCount)]
    let lines = ["1", site, Hex.encode(mark)] + numbers.map { String($0) }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// Decodes the output of `stored`; `nil` for anything else.
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

/// The decision about a bundle, based on its header.
package enum SiteDecision: Hashable, Sendable {
  case apply
  /// The bundle is already in force; a broker sends it at each connect.
  case current
  case refuse(SiteRefusal)
}

extension SiteBundle {
  /// Returns the decision about the bundle at a door of `site` where `record` is in force.
  package func verdict(at site: String, after record: SiteRecord?) -> SiteDecision {
    guard self.site == site else { return .refuse(.otherSite(self.site)) }
    guard let record, record.site == site else { return .apply }
    if version == record.version { return mark == record.mark ? .current : .refuse(.conflict(version: version)) }
    return version > record.version ? .apply : .refuse(.older(version: version, applied: record.version))
  }
}

extension String {
  /// Whether this is a valid site name: a topic level of only letters, digits, '-', '_' and '.'.
  package var siteNameIsGood: Bool {
    (1...Limits.siteNameSizeMax).contains(utf8.count) && hasOnlyASCIIAlphanumerics(and: "-._")
  }
}
