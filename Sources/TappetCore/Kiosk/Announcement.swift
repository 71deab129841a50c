// Messages of the kiosk about itself. Nobody waits for their PUBACK, and none is kept for later as an entry is.

/// One message about the kiosk.
package enum Announcement: Sendable {
  /// The ESP32 firmware's report, to this topic.
  case firmwareReport(topic: String)
  /// The kiosk's condition.
  case state
}
