// What the kiosk is configured to do.

/// The part of the configuration that the core needs.
public struct KioskSettings: Sendable {
  /// The actions, names and indexes unique.
  public var actions: [Action]
  /// The buttons and what they mean; the names in it are those of `actions`.
  public var panel: PanelPlan
  /// How many endpoints can be tried in turn; at least 1.
  public var endpointCount: Int
  /// `clock: trust`: `%T` is sealed even while the kernel calls the clock unsynchronised.
  public var trustsClock: Bool
  /// Entries that may wait.
  public var outboxCountMax: Int
  /// Bytes of all messages that may wait.
  public var outboxSizeMax: Int

  /// Settings with the default bounds.
  public init(
    actions: [Action], panel: PanelPlan = PanelPlan(), endpointCount: Int = 1, trustsClock: Bool = false,
    outboxCountMax: Int = Limits.outboxCountMax, outboxSizeMax: Int = Limits.outboxSizeMax
  ) {
    self.actions = actions
    self.panel = panel
    self.endpointCount = max(1, endpointCount)
    self.trustsClock = trustsClock
    self.outboxCountMax = outboxCountMax
    self.outboxSizeMax = outboxSizeMax
  }
}
