// The kiosk's configuration, as far as the core needs it.

/// The part of the configuration that the core needs.
package struct KioskSettings: Sendable {
  /// The configured actions; their names and indexes are unique.
  package var actions: [Action] {
    didSet { usesTimestamp = Self.useTimestamp(actions) }
  }
  /// Whether a message has `%T`.
  package private(set) var usesTimestamp: Bool
  /// The buttons and their actions, which are named as in `actions`.
  package var panel: PanelPlan
  /// Number of endpoints to try in turn; at least 1.
  package var endpointCount: Int
  /// Until when, in seconds since 1970, MQTT 5 is not tried with an endpoint, by its index.
  package var fallbacks: [Int: Int64]
  /// `clock: trust`: `%T` is sealed even while the kernel calls the clock unsynchronised.
  package var trustsClock: Bool
  /// The largest number of waiting entries.
  package var outboxCountMax: Int
  /// The largest number of bytes in all waiting messages.
  package var outboxSizeMax: Int

  /// Settings with the default bounds.
  package init(
    actions: [Action], panel: PanelPlan = PanelPlan(), endpointCount: Int = 1, fallbacks: [Int: Int64] = [:],
    trustsClock: Bool = false,
    outboxCountMax: Int = Limits.outboxCountMax, outboxSizeMax: Int = Limits.outboxSizeMax
  ) {
    self.actions = actions
    usesTimestamp = Self.useTimestamp(actions)
    self.panel = panel
    self.endpointCount = max(1, endpointCount)
    self.fallbacks = fallbacks
    self.trustsClock = trustsClock
    self.outboxCountMax = outboxCountMax
    self.outboxSizeMax = outboxSizeMax
  }

  private static func useTimestamp(_ actions: [Action]) -> Bool { actions.contains { $0.message.usesTimestamp } }
}
