// Status messages about the kiosk itself, for subscribers and for Home Assistant.

struct SelfReport: Sendable {
  var telemetry = TelemetryPublisher()
  var homeAssistant = HomeAssistantPublisher()
}
