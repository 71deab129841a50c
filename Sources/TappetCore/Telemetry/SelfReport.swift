// The reports of the kiosk about itself, to whoever subscribes and to Home Assistant.

struct SelfReport: Sendable {
  var telemetry = TelemetryDuties()
  var homeAssistant = HomeAssistantDuties()
}
