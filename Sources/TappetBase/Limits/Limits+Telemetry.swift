// Limits of the kiosk's telemetry.

extension Limits {
  /// Interval between state messages while nothing changes.
  package static let stateInterval: Duration = .seconds(60)
  /// Minimum interval between state messages; a draining backlog changes the state a hundred times a second.
  package static let stateIntervalMin: Duration = .seconds(1)
  /// Minimum interval between discovery messages; Home Assistant would drop the second while it processes the first.
  package static let discoveryIntervalMin: Duration = .seconds(2)
  /// Longest time from Home Assistant's birth message to the discovery message.
  package static let birthDelayMax: Duration = .seconds(5)
  /// Maximum number of messages about taps and presses, in a burst and per minute: more than people cause.
  package static let tapMessagesPerMinute = 600
  /// Maximum number of Home Assistant commands on each of its topics, in a burst and per minute.
  package static let homeAssistantPerMinute = 120
  /// Maximum number of removed components that a discovery message lists; the oldest are omitted.
  package static let removedComponentsMax = 64
}
