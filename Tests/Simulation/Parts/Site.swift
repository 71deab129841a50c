// The bundles of a site, and the rules: only a newer bundle of the kiosk's own site is applied, one at a time; what was
// applied is never older than before, whatever dies in between; and a good one is not left waiting.

import TappetCore

extension Cast {
  /// The site of those configurations that have one.
  static let site = "north"

  static func atSite(_ settings: KioskSettings) -> KioskSettings {
    var settings = settings
    settings.site = site
    return settings
  }

  /// Two of each version, then one of another site.
  static let bundles: [SiteBundle] = {
    let content = SiteContent(people: [Person(id: "a", name: "Ann", createdUnixSeconds: 1)], secrets: [])
    guard let key = try? SecretKey.random(), let signer = try? SigningKey.random() else { fatalError("no keys") }
    func bundle(_ site: String, _ version: Int64) -> SiteBundle {
      guard let bundle = try? SiteBundle(content, of: site, version: version, sealedUnder: key, signedBy: signer)
      else { fatalError("no seal") }
      return bundle
    }
    return (0..<12).map { bundle(site, Int64($0 / 2 + 1)) } + [bundle("south", 100)]
  }()
}

/// The site as the world has it.
struct SiteBook {
  /// The bundle in force, on the disk.
  var record: SiteRecord?
  /// The bundle that the disk is to put into force.
  var asked: SiteBundle?
  /// Bundles that have come, and are to be put into force unless a later one is.
  var pending: [SiteBundle] = []

  /// Begins another process; the disk finishes what it was asked for, or loses it.
  mutating func restart(diskFinishes: Bool, at now: Moment) {
    if diskFinishes, let asked { commit(asked, at: now) }
    (asked, pending) = (nil, [])
  }

  mutating func commit(_ bundle: SiteBundle, at now: Moment) {
    record = SiteRecord(of: bundle, at: now.unixSeconds)
    forget { $0.version <= bundle.version }
  }

  mutating func forget(_ isOver: (SiteBundle) -> Bool) { pending.removeAll(where: isOver) }
}

extension World {
  /// A bundle comes: one of a list, or, modulo 8, garbage (6) or something huge (7).
  func siteSays(_ number: Int) {
    guard isUp else { return }
    switch number % 8 {
    case 6: return tell(.site(.arrived(.failure(.malformed))))
    case 7: return tell(.site(.arrived(.failure(.tooLarge(size: 10_000_000, max: 1)))))
    default: break
    }
    let bundle = Cast.bundles[number / 8 % Cast.bundles.count]
    let isNews = bundle.site == settings.site && !isStopping && bundle.version > site.record?.version ?? 0
    // With one more, it may find none.
    let hasRoom = site.pending.count < Limits.siteBundlesMax - 1
    tell(.site(.arrived(.success(bundle))))
    if isNews, hasRoom { site.pending.append(bundle) }
  }

  /// The disk puts the bundle into force; modulo 8, it finds that it is forged (5), or the kiosk dies after it (6) or
  /// before it (7).
  func siteAnswers(_ number: Int) {
    guard let bundle = site.asked else { return }
    if number % 8 == 7 { return startAgain(diskFinishes: false) }
    site.asked = nil
    if let fault = disk.fault { return tell(.site(.ended(.failure(.notStored(fault))))) }
    if number % 8 == 5 {
      site.forget { $0.mark == bundle.mark }
      tell(.site(.ended(.failure(.badSignature))))
      if site.asked == nil, !site.pending.isEmpty { fail("a bundle of people is left waiting") }
      return
    }
    site.commit(bundle, at: now)
    if number % 8 == 6 { return startAgain(diskFinishes: false) }
    guard let record = site.record else { return }
    tell(.site(.ended(.success(record))))
  }

  // MARK: Rules

  func judgeSite(_ bundle: SiteBundle) {
    if site.asked != nil { fail("two bundles were to be applied at a time") }
    if bundle.site != settings.site { fail("a bundle of another site was to be applied") }
    if let record = site.record, bundle.version <= record.version {
      fail("version \(bundle.version) was to be applied after version \(record.version)")
    }
    site.asked = bundle
  }

  func judgeSiteRefusal(_ refusal: SiteRefusal) {
    switch refusal {
    case .older(let version, _), .conflict(let version):
      if version > site.record?.version ?? 0 { fail("a newer bundle was refused") }
    case _: break
    }
  }

  /// Whether a bundle was left waiting.
  var owesBundle: Bool { site.asked != nil || !site.pending.isEmpty }
}
