// The page's recent presses. A browser, a proxy or a reload may send a press twice or late; neither may open a gate.

/// The ids of recent presses; each has an effect at most once.
package struct PressMemory: Sendable {
  /// The decision about a press.
  package enum Admission: Hashable, Sendable {
    case new
    /// The device has already sent this id.
    case repeated
    /// The press was made too long ago, before the kiosk was started, or in the future.
    case late
    /// The device has pressed too often recently.
    case tooMany
  }

  private let startedAt: Instant
  /// The remembered presses of each device, oldest first.
  private var presses: [PressCaller: [(id: String, until: Instant)]] = [:]

  /// Creates an empty memory; presses that an earlier life of the kiosk could have accepted, before `startedAt`, may
  /// have had an effect.
  package init(startedAt: Instant) { self.startedAt = startedAt }

  /// Whether something that was made at `time` may still have an effect.
  package func isTimely(_ time: Instant, isForm: Bool, at now: Instant) -> Bool {
    let ageMax = isForm ? Limits.pageFormAgeMax : Limits.pagePressAgeMax
    let ahead = Limits.pagePressAheadMax
    return time - startedAt > ahead && now - time <= ageMax && time - now <= ahead
  }

  /// Judges a press made at `time`, and remembers it.
  ///
  /// A page without script cannot tell the time of the press, only that of the page: such a press is a `form`.
  @export(interface)
  package mutating func admit(
    _ id: String, of caller: PressCaller, madeAt time: Instant, isForm: Bool, at now: Instant
  ) -> Admission {
    presses = presses.mapValues { $0.filter { $0.until >= now } }.filter { !$0.value.isEmpty }
    let recent = presses[caller, default: []]
    if recent.contains(where: { $0.id == id }) { return .repeated }
    guard isTimely(time, isForm: isForm, at: now) else { return .late }
    guard recent.count < Limits.pagePressesMax else { return .tooMany }
    presses[caller] = recent + [(id, now + Limits.pagePressMemory)]
    return .new
  }
}
