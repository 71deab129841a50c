// The cast of a story about the page: the actions, the devices, the browsers and what they send.

import TappetCore

/// The browser of a device that may have been removed.
struct PageBrowser {
  var token: [UInt8]
  /// Time by which its clock is ahead of the kiosk's, in milliseconds.
  var ahead: Int64 = 0
  /// Time at which a page without script was made; `nil` means that the page has a script.
  var formMadeAt: Instant?
}

/// A request on its way to the kiosk.
struct PageMessage {
  enum Content {
    case press(String, id: String)
    case answer(Int64, PageAnswer)
  }

  var content: Content
  var token: [UInt8]
  /// The time in the message, which is that of the browser's clock, or of the page.
  var time: Instant
  var isForm: Bool
}

enum PageCast {
  /// The first two ask, the second and the third send nothing, and the last is refused without a broker.
  static let actions = [
    action("gate", 1, topic: "home/gate", confirmWithin: 4), action("alarm", 2, confirmWithin: 8),
    action("fan", 3), action("light", 4, topic: "home/light"),
    action("bell", 5, topic: "home/bell", offline: .drop),
  ]
  static let lockAfter: Duration = .seconds(20)

  /// Has two buttons: one for an action that asks, and one that unlocks the panel.
  static func settings(isLocking: Bool) -> KioskSettings {
    var gate = GestureSettings()
    gate[.press] = actions[0].name
    let plan = PanelPlan(
      buttons: [ButtonPlan(name: "gate", gestures: gate), ButtonPlan(name: "code", gestures: GestureSettings())],
      lockAfter: isLocking ? lockAfter : nil, unlockCode: [1])
    var settings = KioskSettings(actions: actions, panel: plan)
    settings.hasReader = false
    return settings
  }

  /// Returns a device with a token that no other has.
  static func device(_ number: Int, _ level: PageLevel) -> PageDevice {
    PageDevice(
      id: "device-\(number)", name: "Device \(number)", level: level,
      tokenHash: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4))) }, pairedUnixSeconds: 0)
  }

  private static func action(
    _ name: String, _ index: Int64, topic: String? = nil, offline: OfflinePolicy = .queue, confirmWithin: Int64? = nil
  ) -> Action {
    Action(
      name: name, title: name, index: index, topic: topic, message: PayloadTemplate(topic == nil ? "" : "on"),
      offline: offline, expiresAfter: .seconds(40), cooldown: .zero, confirmWithin: confirmWithin.map { .seconds($0) })
  }
}
