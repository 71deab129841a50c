// Messages that follow from the kiosk's state: about the kiosk, for Home Assistant, and the lists of the inventory.

struct SelfReport: Sendable {
  var telemetry = TelemetryPublisher()
  var homeAssistant = HomeAssistantPublisher()
  var lists = InventoryListPublisher()
  /// The errno with which the page's socket could not be created, 0 if it is open; `nil` without a page.
  var pageErrno: Int32?

  var deadline: Instant? { .earliest(telemetry.deadline, homeAssistant.deadline, lists.deadline) }
}
