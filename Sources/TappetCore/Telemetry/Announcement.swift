// Messages from the kiosk about itself. Their PUBACKs are not tracked, and unlike entries, they are not stored.

/// One message about the kiosk.
package enum Announcement: Sendable {
  /// A report in the format of the ESP32 firmware, to this topic.
  case firmwareReport(topic: String)
  /// The kiosk's condition.
  case state
  /// The condition of the kiosk's parts, for the sender of this nonce.
  case check(nonce: String)
  /// The description of the kiosk for Home Assistant, and the removal of anything no longer configured.
  case discovery
  /// The level of the output with this index.
  case output(Int, isOn: Bool)
  /// The state of the input with this index, and since when, if the clock is known.
  case input(Int, InputState, sinceUnixSeconds: Int64?)
  /// The input with this name was forced, or held open.
  case alarm(String, InputAlarm)
  /// A gesture on the button with this index.
  case gesture(button: Int, Gesture)
  /// A press of the chord with this index.
  case chord(Int)
  case tap(TapTransition)
  /// A list of the inventory, which the broker retains.
  case inventoryList(InventoryList)
  /// The result of a touch at the shelf.
  indirect case touch(TouchTransition)
}
