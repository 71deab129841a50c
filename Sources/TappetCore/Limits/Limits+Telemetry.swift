// Limits of the kiosk's telemetry.

extension Limits {
  /// Interval between two state messages while nothing changes.
  package static let stateInterval: Duration = .seconds(60)
  /// Shortest interval between two state messages: a draining backlog changes the state a hundred times a second.
  package static let stateIntervalMin: Duration = .seconds(1)
  /// Shortest interval between two discovery messages: Home Assistant would drop the second while it sets up the first.
  package static let discoveryIntervalMin: Duration = .seconds(2)
  /// Longest time from Home Assistant's birth message to the discovery message.
  package static let birthDelayMax: Duration = .seconds(5)
  /// Messages about taps and presses, per burst and per minute: more than people cause.
  package static let tapMessagesPerMinute = 600
  /// Home Assistant's commands on each of its topics, per burst and per minute.
  package static let homeAssistantPerMinute = 120
  /// Number of removed components that a discovery message lists; the oldest are omitted.
  package static let removedComponentsMax = 64
}
