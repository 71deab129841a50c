// Messages of the kiosk about itself. Nobody waits for their PUBACK, and none is kept for later as an entry is.

/// One message about the kiosk.
package enum Announcement: Sendable {
  /// The ESP32 firmware's report, to this topic.
  case firmwareReport(topic: String)
  /// The kiosk's condition.
  case state
  /// The condition of its parts, for the sender of this nonce.
  case check(nonce: String)
  /// Home Assistant's description of the kiosk, and the end of what is not configured any more.
  case discovery
  /// The level of the output with this index.
  case output(Int, isOn: Bool)
  /// A gesture on the button with this index.
  case gesture(button: Int, Gesture)
  /// A press of the chord with this index.
  case chord(Int)
  case tap(TapTransition)
}
