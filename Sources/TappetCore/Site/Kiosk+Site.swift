// The people of the site: decides which bundle to apply, and when to retry it. Pure decision logic; the store's thread
// verifies the signature, decrypts the bundle, and applies it in one transaction.

/// An event about the site's bundles.
package enum SiteEvent: Sendable {
  /// A message was received on the site's topic.
  case arrived(Result<SiteBundle, SiteRefusal>)
  /// The broker responded to the subscription.
  case subscribed(isGranted: Bool)
  /// The bundle that was being applied is now in force, or was refused.
  case ended(Result<SiteRecord, SiteRefusal>)
}

/// The pending bundles, and the bundle in force.
struct SiteDuties: Sendable {
  /// The bundle in force; `nil` if there is none.
  var record: SiteRecord?
  /// Whether the broker granted the subscription; `nil` until the broker responds.
  var isSubscribed: Bool?
  /// The reason why people may be missing at the door; `nil` if the last bundle is in force.
  private(set) var trouble: SiteRefusal?
  /// The pending bundles; the first is being applied, or waiting for a retry.
  private var bundles: [SiteBundle] = []
  private var isUnderWay = false
  /// Time at which a bundle is retried that could not be stored.
  private(set) var retryAt: Instant?
  /// The last refusal that was reported; the broker sends the same bundle at each connect.
  private var reported: SiteRefusal?

  /// Handles a new bundle; returns the effects to perform.
  mutating func receiveBundle(_ bundle: SiteBundle, at site: String) -> [Effect] {
    switch bundle.verdict(at: site, after: record) {
    case .current: return []
    case .refuse(let refusal): return refuse(refusal)
    case .apply: break
    }
    guard bundles.count < Limits.siteBundlesMax else { return refuse(.busy) }
    bundles.append(bundle)
    return proceed(at: site)
  }

  /// Handles a message that is not applied; reports each reason only once.
  mutating func refuse(_ refusal: SiteRefusal) -> [Effect] {
    if refusal.leavesDoorBehind { trouble = refusal }
    guard reported != refusal else { return [] }
    reported = refusal
    return [.report(.site(.refused(refusal)))]
  }

  /// Handles the result of applying a bundle.
  mutating func ended(_ result: Result<SiteRecord, SiteRefusal>, at site: String?, _ now: Instant) -> [Effect] {
    isUnderWay = false
    if case .failure(.notStored(let fault)) = result {
      retryAt = now + Limits.siteRetryInterval
      return refuse(.notStored(fault))
    }
    if !bundles.isEmpty { bundles.removeFirst() }
    if case .success(let record) = result { self.record = record }
    guard let site else { return [] }
    switch result {
    case .failure(let refusal): return refuse(refusal) + proceed(at: site)
    case .success(let record):
      (trouble, reported) = (nil, nil)
      return [.report(.site(.applied(record)))] + proceed(at: site)
    }
  }

  /// Retries a bundle that could not be stored, if the retry is due.
  mutating func timerFired(at site: String?, _ now: Instant) -> [Effect] {
    guard let retryAt, retryAt <= now else { return [] }
    self.retryAt = nil
    return site.map { proceed(at: $0) } ?? []
  }

  /// Handles a change of the configured site by discarding all bundles except the one that is being applied.
  mutating func replace() {
    bundles = isUnderWay ? Array(bundles.prefix(1)) : []
    (retryAt, trouble, reported, isSubscribed) = (nil, nil, nil, nil)
  }

  private mutating func proceed(at site: String) -> [Effect] {
    var effects: [Effect] = []
    while !isUnderWay, retryAt == nil, let next = bundles.first {
      switch next.verdict(at: site, after: record) {
      case .apply:
        isUnderWay = true
        return effects + [.applySite(next)]
      case .current: bundles.removeFirst()
      case .refuse(let refusal):
        bundles.removeFirst()
        effects += refuse(refusal)
      }
    }
    return effects
  }
}

extension Kiosk {
  mutating func siteChanged(_ change: SiteEvent, at now: Moment) -> [Effect] {
    var effects: [Effect] = []
    for effect in siteEffects(of: change, at: now) {
      // As with commands, a stranger who may publish to the site's topic must not fill the disk with log lines.
      if case .report(.site(.refused)) = effect, case .report(let report) = effect {
        effects += throttles.commandRefusals.report(report, at: now.instant)
      } else {
        effects.append(effect)
      }
    }
    return effects
  }

  private mutating func siteEffects(of change: SiteEvent, at now: Moment) -> [Effect] {
    switch change {
    case .ended(let result): return site.ended(result, at: settings.site, now.instant)
    case .arrived(let bundle):
      guard let name = settings.site, !isStopping else { return [] }
      switch bundle {
      case .success(let bundle): return site.receiveBundle(bundle, at: name)
      case .failure(let refusal): return site.refuse(refusal)
      }
    case .subscribed(let isGranted):
      defer { site.isSubscribed = isGranted }
      return isGranted || site.isSubscribed == false ? [] : [.report(.site(.denied))]
    }
  }

  /// The status of the site; `nil` if no site is configured.
  var siteCondition: KioskStatus.Site? {
    guard let name = settings.site else { return nil }
    return KioskStatus.Site(
      name: name, record: site.record.flatMap { $0.site == name ? $0 : nil },
      isSubscribed: delivery.link.isUp ? site.isSubscribed : nil, trouble: site.trouble)
  }
}
