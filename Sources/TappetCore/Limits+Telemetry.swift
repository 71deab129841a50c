// Limits of what the kiosk publishes about itself.

extension Limits {
  /// Interval of the state while nothing changes.
  package static let stateInterval: Duration = .seconds(60)
  /// Time between two states while much changes: a backlog that drains changes it a hundred times a second.
  package static let stateIntervalMin: Duration = .seconds(1)
}
