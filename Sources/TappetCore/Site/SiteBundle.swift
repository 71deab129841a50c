// The people of a site on their way to its doors: sealed under the site's key, so that nobody else reads them, and
// signed with the key of the person who publishes them, so that no door, and no thief of one, can make a bundle.
//
//     byte 0         6        7           8      8 + n     16 + n                          size - 64    size
//     "tppeop"       format   name size   name   version   nonce, ciphertext, tag (GCM)    signature
//
// The header, up to the version, is the associated data of the seal; the signature covers everything before it.

/// A bundle as it arrived, of which only the header was read.
package struct SiteBundle: Sendable {
  /// The format of this version.
  package static let format: UInt8 = 1
  /// Bytes of a bundle's identity.
  package static let markSize = 16
  private static let magic = Array("tppeop".utf8)

  /// The site that it is for.
  package let site: String
  /// Its number: a later bundle has a larger one.
  package let version: Int64
  /// All of it, for the broker.
  package let bytes: [UInt8]
  private let headerSize: Int

  private var signedSize: Int { bytes.count - SigningKey.signatureSize }

  /// The first bytes of its signature, which tell it from every other one.
  package var mark: [UInt8] { Array(bytes[signedSize..<signedSize + SiteBundle.markSize]) }

  /// Reads the header of a message of which `size` bytes came and, if that is too many, none was kept.
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

  /// Whether the owner of this key has signed it.
  package func isSigned(by key: VerifyingKey) -> Bool {
    key.verifies(bytes[signedSize...], ofFirst: signedSize, of: bytes)
  }

  /// Opens it, which `isSigned` must have allowed.
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

/// Why a bundle is not applied.
package enum SiteRefusal: Error, Hashable, Sendable {
  /// Bytes of the message.
  case tooLarge(size: Int, max: Int)
  /// It is not a bundle, or it is cut short.
  case malformed
  /// It has a format that this version does not know.
  case newerFormat(UInt8)
  /// It is for the site of this name.
  case otherSite(String)
  /// A later one is in force.
  case older(version: Int64, applied: Int64)
  /// Another one with its number is in force.
  case conflict(version: Int64)
  /// It was not signed with the key that belongs to `public_key`.
  case badSignature
  /// It is sealed under another key than the site's.
  case otherKey
  /// An action would have more secrets than it may have here.
  case tooManyTags(action: String, max: Int)
  /// Too many others wait.
  case busy
  /// The disk does not take it; it is tried again.
  case notStored(StoreFault)

  /// Whether the door may lack people because of it; anybody may send the others.
  package var leavesDoorBehind: Bool {
    switch self {
    case .newerFormat, .otherKey, .tooManyTags, .notStored: true
    case .tooLarge, .malformed, .otherSite, .older, .conflict, .badSignature, .busy: false
    }
  }
}

/// The bundle that is in force, as the store remembers it.
package struct SiteRecord: Hashable, Sendable {
  /// The site's name.
  package var site: String
  /// The bundle's number.
  package var version: Int64
  /// The bundle's identity.
  package var mark: [UInt8]
  /// When it was applied, in seconds since 1970.
  package var appliedUnixSeconds: Int64
  /// Number of people in it.
  package var peopleCount = 0
  /// Number of their tags that this door knows.
  package var tagCount = 0
  /// Number of their tags for actions that this door does not have.
  package var skippedCount = 0

  /// A record of a bundle.
  package init(of bundle: SiteBundle, at unixSeconds: Int64) {
    (site, version, mark, appliedUnixSeconds) = (bundle.site, bundle.version, bundle.mark, unixSeconds)
  }

  /// One line of text for each fact, for the store.
  package var stored: [UInt8] {
    let numbers = [version, appliedUnixSeconds, Int64(peopleCount), Int64(tagCount), Int64(skippedCount)]
    let lines = ["1", site, Hex.encode(mark)] + numbers.map { String($0) }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// Reads what `stored` made; `nil` for anything else.
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

/// The judgement of a bundle by its header.
package enum SiteVerdict: Hashable, Sendable {
  case apply
  /// It is the one that is in force; a broker sends it at each connect.
  case current
  case refuse(SiteRefusal)
}

extension SiteBundle {
  /// Judges it at a door of `site` where `record` is in force.
  package func verdict(at site: String, after record: SiteRecord?) -> SiteVerdict {
    guard self.site == site else { return .refuse(.otherSite(self.site)) }
    guard let record, record.site == site else { return .apply }
    if version == record.version { return mark == record.mark ? .current : .refuse(.conflict(version: version)) }
    return version > record.version ? .apply : .refuse(.older(version: version, applied: record.version))
  }
}

extension String {
  /// Whether this can be a site's name: a level of a topic, and nothing but letters, digits, '-', '_' and '.'.
  package var siteNameIsGood: Bool {
    (1...Limits.siteNameSizeMax).contains(utf8.count) && hasOnlyASCIIAlphanumerics(and: "-._")
  }
}
