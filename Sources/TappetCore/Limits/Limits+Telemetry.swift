// Limits of what the kiosk publishes about itself.

extension Limits {
  /// Interval of the state while nothing changes.
  package static let stateInterval: Duration = .seconds(60)
  /// Time between two states while much changes: a backlog that drains changes it a hundred times a second.
  package static let stateIntervalMin: Duration = .seconds(1)
  /// Time between two discoveries, of which Home Assistant would drop the second while it sets up the first.
  package static let discoveryIntervalMin: Duration = .seconds(2)
  /// Longest time from Home Assistant's birth to the discovery.
  package static let birthDelayMax: Duration = .seconds(5)
  /// Messages about taps and presses, at once and per minute: more than people make.
  package static let tapMessagesPerMinute = 600
  /// Home Assistant's commands on each of its topics, at once and per minute.
  package static let homeAssistantPerMinute = 120
  /// Number of removed components that a discovery message lists; the oldest are left out.
  package static let removedComponentsMax = 64
}
