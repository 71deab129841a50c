// Messages that follow from the kiosk's state: about the kiosk, for Home Assistant, and the lists of the inventory.

struct SelfReport: Sendable {
  var telemetry = TelemetryPublisher()
  var homeAssistant = HomeAssistantPublisher()
  var lists = InventoryListPublisher()

  var deadline: Instant? { .earliest(telemetry.deadline, homeAssistant.deadline, lists.deadline) }
}
