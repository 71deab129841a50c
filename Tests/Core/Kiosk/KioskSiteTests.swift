// The kiosk's decisions about bundles of people.

import Testing

@testable import TappetCore

@Suite struct KioskSiteTests {
  private static let key = try? SecretKey.random()
  private static let signer = try? SigningKey.random()
  private let now = Instant(nanoseconds: 0)

  private func bundle(_ version: Int64, site: String = "north") throws -> SiteBundle {
    try SiteBundle(
      SiteContent(people: [], secrets: []), of: site, version: version, sealedUnder: try #require(Self.key),
      signedBy: try #require(Self.signer))
  }

  private func record(_ version: Int64) throws -> SiteRecord { SiteRecord(of: try bundle(version), at: 5) }

  private func words(_ effects: [Effect]) -> [String] { effects.map { $0.words } }

  @Test func `bundles are applied one at a time, and outdated ones are refused`() throws {
    var site = SiteDuties()
    #expect(words(site.receiveBundle(try bundle(3), at: "north")) == ["apply people 3"])
    #expect(words(site.receiveBundle(try bundle(2), at: "north")) == [])
    #expect(words(site.receiveBundle(try bundle(4), at: "north")) == [])
    #expect(
      words(site.ended(.success(try record(3)), at: "north", now))
        == ["report people 3", "report people refused older(version: 2, applied: 3)", "apply people 4"])
    #expect(words(site.ended(.failure(.badSignature), at: "north", now)) == ["report people refused badSignature"])
    #expect(site.record?.version == 3 && site.trouble == nil)
  }

  @Test func `a refusal that repeats at each connect is logged once`() throws {
    var site = SiteDuties()
    site.record = try record(9)
    #expect(words(site.receiveBundle(try bundle(8), at: "north")).count == 1)
    #expect(words(site.receiveBundle(try bundle(8), at: "north")) == [])
    #expect(words(site.refuse(.malformed)).count == 1)
  }

  @Test func `a bundle that cannot be written is retried a minute later`() throws {
    var site = SiteDuties()
    _ = site.receiveBundle(try bundle(1), at: "north")
    #expect(words(site.ended(.failure(.notStored(.full)), at: "north", now)).count == 1)
    #expect(site.trouble == .notStored(.full))
    #expect(words(site.timerFired(at: "north", now + .seconds(59))) == [])
    #expect(words(site.timerFired(at: "north", now + .seconds(60))) == ["apply people 1"])
    #expect(words(site.ended(.success(try record(1)), at: "north", now)) == ["report people 1"])
    #expect(site.trouble == nil && site.retryAt == nil)
  }

  @Test func `a flood of bundles uses no more memory than four bundles`() throws {
    var site = SiteDuties()
    for version in 1...4 { _ = site.receiveBundle(try bundle(Int64(version)), at: "north") }
    #expect(words(site.receiveBundle(try bundle(5), at: "north")) == ["report people refused busy"])
  }

  @Test func `a bundle queued for one site is not applied at another`() throws {
    var site = SiteDuties()
    _ = site.receiveBundle(try bundle(1), at: "north")
    _ = site.receiveBundle(try bundle(2), at: "north")
    site.replace()
    #expect(words(site.ended(.success(try record(1)), at: "south", now)) == ["report people 1"])
    #expect(words(site.receiveBundle(try bundle(1, site: "south"), at: "south")) == ["apply people 1"])
  }

  @Test func `a topic that the broker denies is reported once`() throws {
    var settings = KioskSettings(actions: [])
    settings.site = "north"
    var kiosk = Kiosk(settings: settings, seed: (1, 2, 3, 4), at: now)
    let moment = Moment(instant: now, unixMilliseconds: 0)
    var summary = OutboxSummary()
    summary.site = try record(7)
    _ = kiosk.handle(.started(summary), at: moment)
    #expect(words(kiosk.handle(.site(.subscribed(isGranted: false)), at: moment)).contains("report site denied"))
    #expect(!words(kiosk.handle(.site(.subscribed(isGranted: false)), at: moment)).contains("report site denied"))
    #expect(kiosk.status.site?.record?.version == 7)
    let older = words(kiosk.handle(.site(.arrived(.success(try bundle(6)))), at: moment))
    #expect(older.contains("report people refused older(version: 6, applied: 7)"), "\(older)")
  }
}
