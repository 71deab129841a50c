// A bundle of people: what comes back, and the refusal of everything that is not one.

import Foundation
import Testing

@testable import TappetCore

@Suite struct SiteBundleTests {
  private let key: SecretKey
  private let signer: SigningKey
  private let publicKey: VerifyingKey

  init() throws {
    key = try SecretKey.random()
    signer = try SigningKey.random()
    publicKey = try signer.publicKey()
  }

  static func content() throws -> SiteContent {
    let limits = try PersonLimits(
      from: nil, until: "2030-12-31", hours: ["Mon-Fri 07:00-19:30", "Sat 09:00-12:00"], uses: 3, ticket: "t-1")
    let people = [
      Person(id: "0f8fad5b-d9cb-469f-a165-70867728950e", name: "Ann", createdUnixSeconds: 7, limits: limits),
      Person(id: "ben", name: "Bén", isSuspended: true, createdUnixSeconds: 8),
    ]
    let key = try #require(SecretKey([UInt8](repeating: 9, count: 32)))
    var tag = TagSecret(
      id: "7c9e6679-7425-40de-944b-e07fc1f90ae7", action: "door", index: 3, key: key, createdUnixSeconds: 9,
      label: "blue", uid: TagUID([4, 1, 2, 3, 4, 5, 6]))
    tag.person = people[0]
    var nobodys = tag
    (nobodys.id, nobodys.person) = ("nobodys", nil)
    return SiteContent(people: people, secrets: [tag, nobodys])
  }

  private func bundle(_ version: Int64 = 7, site: String = "north", key: SecretKey? = nil) throws -> SiteBundle {
    try SiteBundle(
      try Self.content(), of: site, version: version, sealedUnder: key ?? self.key, signedBy: signer)
  }

  private func read(_ bytes: [UInt8]) -> Result<SiteContent, SiteRefusal> {
    do throws(SiteRefusal) {
      let bundle = try SiteBundle(arrived: bytes, size: bytes.count)
      guard bundle.isSigned(by: publicKey) else { throw .badSignature }
      return .success(try bundle.content(sealedUnder: key))
    } catch { return .failure(error) }
  }

  private func refusal(_ bytes: [UInt8]) -> SiteRefusal? {
    if case .failure(let refusal) = read(bytes) { refusal } else { nil }
  }

  @Test func `people, limits and tags round-trip, and secrets without a person are left out`() throws {
    let sent = try bundle()
    let arrived = try SiteBundle(arrived: sent.bytes, size: sent.bytes.count)
    #expect(arrived.site == "north" && arrived.version == 7 && arrived.mark == sent.mark)
    let content = try read(sent.bytes).get()
    #expect(content.people.map { $0.name } == ["Ann", "Bén"] && content.people.allSatisfy { $0.isOfSite })
    let original = try Self.content()
    #expect(content.people.map { $0.id } == original.people.map { $0.id })
    #expect(content.people[0].limits == original.people[0].limits && content.people[1].isSuspended)
    let tag = try #require(content.tags.first)
    #expect(content.tags.count == 1 && tag.id == original.tags[0].id && tag.person === content.people[0])
    #expect(tag.action == "door" && tag.index == 3 && tag.key == original.tags[0].key && tag.label == "blue")
    #expect(tag.uid == original.tags[0].uid && tag.createdUnixSeconds == 9)
  }

  @Test func `no name and no key is readable in a bundle`() throws {
    let bytes = Data(try bundle().bytes)
    #expect(bytes.range(of: Data("Ann".utf8)) == nil && bytes.range(of: Data(repeating: 9, count: 8)) == nil)
  }

  @Test func `every truncated bundle is refused, and so is one with any changed byte`() throws {
    let bytes = try bundle().bytes
    for count in 0..<bytes.count { #expect(refusal(Array(bytes[..<count])) != nil, "\(count) bytes") }
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1
      #expect(refusal(changed) != nil, "byte \(place)")
    }
    #expect(refusal(bytes + [0]) == .badSignature)
  }

  @Test func `garbage, a newer format and 10 MB are refused for distinct reasons`() throws {
    #expect(refusal([]) == .malformed && refusal(Array("hello".utf8)) == .malformed)
    var newer = try bundle().bytes
    newer[6] = 2
    #expect(refusal(newer) == .newerFormat(2))
    #expect(throws: SiteRefusal.tooLarge(size: 10_000_000, max: Limits.siteBundleSizeMax)) {
      try SiteBundle(arrived: [], size: 10_000_000)
    }
  }

  @Test func `another person's signature is distinguished from another site's key`() throws {
    let stranger = try SigningKey.random()
    let forged = try SiteBundle(try Self.content(), of: "north", version: 8, sealedUnder: key, signedBy: stranger)
    #expect(refusal(forged.bytes) == .badSignature)
    let foreign = try bundle(8, key: try SecretKey.random())
    #expect(refusal(foreign.bytes) == .otherKey)
    // A door has the site's key, but cannot put another number on what was signed.
    var renumbered = try bundle().bytes
    renumbered[20] += 1
    #expect(refusal(renumbered) == .badSignature)
  }

  @Test func `only a later bundle of the same site is applied`() throws {
    let seventh = try bundle()
    let record = SiteRecord(of: seventh, at: 1)
    #expect(seventh.verdict(at: "north", after: nil) == .apply)
    #expect(seventh.verdict(at: "north", after: record) == .current)
    #expect(try bundle().verdict(at: "north", after: record) == .refuse(.conflict(version: 7)))
    #expect(try bundle(8).verdict(at: "north", after: record) == .apply)
    #expect(try bundle(6).verdict(at: "north", after: record) == .refuse(.older(version: 6, applied: 7)))
    #expect(seventh.verdict(at: "south", after: nil) == .refuse(.otherSite("north")))
    #expect(try bundle(1, site: "south").verdict(at: "south", after: record) == .apply)
    #expect(SiteRecord(stored: record.stored) == record && SiteRecord(stored: Array("2\n".utf8)) == nil)
  }

  @Test(.serialized, arguments: 0..<200)
  func `any bytes as content yield people or a refusal`(seed: Int) throws {
    var plain = try Self.content().encoded()
    var random = Randomness(seed: (UInt64(seed), 1, 2, 3))
    for _ in 0...seed % 4 { plain[Int(random.next() % UInt64(plain.count))] = UInt8(truncatingIfNeeded: random.next()) }
    plain.removeLast(Int(random.next() % 5))
    do throws(SiteRefusal) { #expect(try SiteContent(decoding: plain).people.count <= 2) } catch {
      #expect(error == .malformed)
    }
  }

  @Test func `ten thousand people with a tag each fit into a bundle`() throws {
    var people: [Person] = []
    var tags: [TagSecret] = []
    for number in 0..<Limits.peopleMax {
      let id = UUID().uuidString.lowercased()
      people.append(Person(id: id, name: "Somebody Number \(number)", createdUnixSeconds: 1))
      var tag = TagSecret(
        id: id, action: "door", index: 1, key: try SecretKey.random(), createdUnixSeconds: 1, label: "card \(number)")
      tag.person = people[number]
      tags.append(tag)
    }
    let bundle = try SiteBundle(
      SiteContent(people: people, secrets: tags), of: "north", version: 1, sealedUnder: key, signedBy: signer)
    #expect(bundle.bytes.count < Limits.siteBundleSizeMax, "\(bundle.bytes.count)")
    #expect(try read(bundle.bytes).get().tags.count == Limits.peopleMax)
  }

  @Test func `Ed25519 signatures match RFC 8032`() throws {
    // RFC 8032 §7.1, test 2.
    let seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"
    let signer = try #require(SigningKey(hex: ArraySlice(seed.utf8)))
    #expect(
      Hex.encode(try signer.publicKey().bytes) == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    #expect(
      Hex.encode(try signer.sign([0x72]))
        == "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        + "387b2eaeb4302aeeb00d291612bb0c00")
    #expect(SigningKey(hex: ArraySlice("ab".utf8)) == nil && VerifyingKey(hex: "zz") == nil)
  }
}
