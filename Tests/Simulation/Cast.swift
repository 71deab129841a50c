// The cast of the stories: actions, secrets, cards, and the configurations that a reload may bring. Made once.

import TappetCore

/// The parts that are the same in every story.
enum Cast {
  static let actions: [Action] = [
    action("light", 1, "toggle", cooldown: .seconds(2), outputs: [OutputOrder(output: "lamp", request: .toggle)]),
    // Has a token: it is refused without a broker, and expires after 10 s.
    action("garage", 2, "open %T", cooldown: .seconds(1)),
    // Has no secret.
    action("scene", 3, "evening", cooldown: .zero, outputs: [OutputOrder(output: "up", request: .on)]),
    // Waits up to an hour for the clock.
    action("patient", 4, "%T %I", offline: .queue, expiresAfter: 3600, cooldown: .zero),
    // Worthless after 5 s.
    action("brief", 5, "now", offline: .queue, expiresAfter: 5, cooldown: .zero),
    // Asks first.
    action("door", 6, "open", expiresAfter: 60, cooldown: .zero, confirmWithin: 2),
    // Opens the panel too.
    action("master", 7, "in", cooldown: .zero, unlocksPanel: true),
    // Go to webhooks; the second has a short life.
    hook("hook", 9, expiresAfter: nil), hook("poke", 10, expiresAfter: 20),
    // Waits for Home Assistant while that is away.
    assisted(true),
    // Sends nothing: it drives outputs.
    Action(
      name: "gate", title: "gate", index: 8, topic: nil, message: PayloadTemplate(""), cooldown: .seconds(1),
      outputs: [OutputOrder(output: "down", request: .on), OutputOrder(output: "latch", request: .pulse)]),
    // End when the tag leaves, and at the second tap.
    jukebox, toggle,
    // Shows and moves things of the inventory.
    shelf,
    // Is confirmed in a room.
    action("porch", 15, "open", expiresAfter: 60, cooldown: .zero, confirmWithin: 20, confirmRoom: "#door:h"),
    // For tickets: one is refused without a broker and ignored for longer than the panel is open, the other sends
    // nothing; both open the panel.
    action("turn", 16, "in", offline: .drop, cooldown: .seconds(60), unlocksPanel: true),
    Action(
      name: "hatch", title: "hatch", index: 17, topic: nil, message: PayloadTemplate(""), cooldown: .seconds(1),
      unlocksPanel: true, outputs: [OutputOrder(output: "latch", request: .pulse)]),
    jobs[0], jobs[1], jobs[2], jobs[3], jobs[4],
  ]

  static let secrets: [TagSecret] = [
    secret("light", 1, 0x11), secret("light", 1, 0x12), secret("garage", 2, 0x22), secret("patient", 4, 0x44),
    secret("brief", 5, 0x55), secret("door", 6, 0x66), secret("master", 7, 0x77, boundTo: 106),
    secret("gate", 8, 0x88), secret("shelf", 14, 0xAA), secret("turn", 16, 0xBB), secret("switch", 13, 0xCC),
    secret("hatch", 17, 0xDD),
  ]

  /// The time on all tags.
  private static let writtenUnixSeconds: Int64 = 1_700_000_000

  /// Indexes into `secrets`, one list for each version of the secrets file.
  static let secretVersions: [[Int]] = [
    Array(0..<12), Array(0..<12), [1, 2, 3, 4, 6, 8, 10], [0, 5, 7, 9], [],
  ]

  /// A tag that may come.
  struct Card: Sendable {
    var reading: TagReading
    /// Index of the secret that signed it for its action; `nil` means that it proves nothing, whatever is configured.
    var secret: Int?
    /// Whether it claims to be of this kiosk, so that it is none of others; `nil` means that it does not.
    var claims: Bool?
  }

  /// The forged copy of the first card, after which come those of others.
  static let copyOfFirst = cards.count - foreignCards.count - 1

  /// Number of genuine cards, which come first in `cards`.
  static let genuineCount = 3 * secrets.count

  /// Three genuine cards for each secret, then forged ones, and tags of other kinds.
  static let cards: [Card] = {
    var cards: [Card] = []
    for copy in 0..<3 {
      for (number, secret) in secrets.enumerated() {
        let reading = signed(index: secret.index, key: secret.key, uid: 100 + copy * 32 + number)
        cards.append(Card(reading: reading, secret: number, claims: true))
      }
    }
    for number in 0..<4 { cards.append(forged(index: 1, 0x99, uid: 300 + number)) }
    // Signed with one action's secret, for another action.
    cards.append(forged(index: 3, 0x11, uid: 310))
    cards.append(forged(index: 2, 0x11, uid: 311))
    cards.append(Card(reading: signed(index: 77, key: key(0x11), uid: 312)))
    cards.append(Card(reading: holding(NDEFRecord(uri: Array("https://example.org/".utf8)), uid: 313)))
    // Not read to its end: it may be one of this kiosk's.
    cards.append(Card(reading: TagReading(uid: uid(314), model: .ntag213, bytes: []), claims: true))
    // A forged one with the UID of a genuine one.
    cards.append(forged(index: 1, 0x99, uid: 100))
    return cards + foreignCards
  }()

  /// The configurations, of which the first is the one at the start.
  static let settings: [KioskSettings] = [
    inviting(
      atSite(
        stocked(
          foreign(
            KioskSettings(
              actions: actions, panel: plain, endpointCount: 2, commands: commands + [room],
              homeAssistant: HomeAssistantPlan(outputs: ["up", "latch"]), outboxCountMax: 40), unknown: true)))),
    foreign(
      KioskSettings(
        actions: unassisted, panel: plain, endpointCount: 2, publishesState: true, outboxCountMax: 150)),
    KioskSettings(actions: Array(actions[..<4]), panel: plain, endpointCount: 1, outboxCountMax: 40),
    stocked(
      foreign(
        KioskSettings(
          actions: actions, panel: gestures, endpointCount: 3, trustsClock: true,
          homeAssistant: HomeAssistantPlan(prefix: "home"), outboxCountMax: 150), unknown: true), low: "scene"),
    foreign(
      KioskSettings(
        actions: actions, panel: locked, endpointCount: 2, commands: commands,
        homeAssistant: HomeAssistantPlan(name: "Lobby", obeysLock: true), outboxCountMax: 40, outboxSizeMax: 60)),
    foreign(
      KioskSettings(actions: moved, panel: plain, endpointCount: 2, outboxCountMax: 150)),
    KioskSettings(actions: [], panel: PanelPlan(), endpointCount: 2, outboxCountMax: 1),
    atSite(
      working(
        withoutReader(KioskSettings(actions: actions, panel: plain, endpointCount: 2, commands: commands + [desk])))),
    // Without a broker.
    KioskSettings(
      actions: actions.filter { ["hook", "poke", "gate", "hatch"].contains($0.name) }, panel: plain, endpointCount: 0),
  ].map { aimed($0) }

  /// Each webhook has the same URL in all configurations.
  private static func aimed(_ settings: KioskSettings) -> KioskSettings {
    var settings = settings
    for action in settings.actions where action.webhookBody != nil { settings.webhookTargets[action.name] = 7 }
    return settings
  }

  private static func stocked(_ settings: KioskSettings, low action: String? = nil) -> KioskSettings {
    var settings = settings
    settings.inventory = inventory
    // `scene` drives an output, which nothing that can be copied may do.
    if let action { settings.inventory?.lowStockAction = action }
    return settings
  }

  /// With a user whose invitations are accepted, a last will, and unread messages.
  private static func inviting(_ settings: KioskSettings) -> KioskSettings {
    var settings = settings
    settings.rooms.inviters = ["@ann:h"]
    settings.rooms.will = RoomWill(room: "#door:h", body: "{}", after: .seconds(300))
    settings.rooms.unread = "#home:h"
    return settings
  }

  /// With the unread messages of a different space.
  private static func working(_ settings: KioskSettings) -> KioskSettings {
    var settings = settings
    settings.rooms.unread = "#work:h"
    return settings
  }

  private static func withoutReader(_ settings: KioskSettings) -> KioskSettings {
    var settings = settings
    settings.hasReader = false
    return settings
  }

  private static func assisted(_ awaits: Bool) -> Action {
    action(
      "assisted", 11, "on", offline: .queue, expiresAfter: 90, cooldown: .zero, awaitsHomeAssistant: awaits)
  }

  /// The actions where Home Assistant is not configured.
  private static let unassisted: [Action] = actions.map { $0.awaitsHomeAssistant ? assisted(false) : $0 }

  /// `brief` has moved, keeps its tags and requires a closed window, `door` is given another index, and `master` knows
  /// its tag.
  private static let moved: [Action] = unassisted.map { old in
    switch old.name {
    case "brief":
      action(
        "brief", 50, "now", offline: .queue, expiresAfter: 5, cooldown: .zero, isIndexGiven: false,
        requirements: [InputRequirement(input: "window", level: .closed)])
    case "door": action("door", 60, "open", expiresAfter: 60, cooldown: .zero, confirmWithin: 2)
    case "master": action("master", 7, "in", cooldown: .zero, bindsUID: true, unlocksPanel: true)
    default: old
    }
  }

  /// A press of each button is an action.
  private static let plain = PanelPlan(
    buttons: [button(.press, "light"), button(.press, "garage"), button(.press, "scene"), button(.press, "door")],
    outputs: [
      OutputPlan(name: "up", maxOn: .seconds(8), interlock: "motor", deadTime: .milliseconds(300)),
      OutputPlan(name: "down", maxOn: .seconds(5), interlock: "motor", repeats: .extends),
      OutputPlan(name: "lamp", safeWithoutLink: .seconds(10)),
      OutputPlan(name: "latch", pulse: .seconds(3), isSafeOn: true, repeats: .restarts),
    ], inputs: doors)

  /// Buttons that mean several things, and two that are pressed together.
  private static let gestures: PanelPlan = {
    var many = GestureSettings()
    many[.press] = "light"
    many[.hold] = "scene"
    many[.double] = "brief"
    var again = GestureSettings()
    again[.repeat] = "brief"
    again[.release] = "light"
    return PanelPlan(
      buttons: [
        ButtonPlan(name: "many", gestures: many), ButtonPlan(name: "again", gestures: again), button(.press, "patient"),
        button(.press, "door"),
      ], chords: [ChordPlan(first: 2, second: 3, action: "master")], outputs: plain.outputs, inputs: doors)
  }()

  /// Locked until the second, the first and the second button are pressed in turn, or a tag unlocks it.
  ///
  /// One output requires that the window is closed, one that its door is.
  private static let locked: PanelPlan = {
    var panel = PanelPlan(
      buttons: plain.buttons, outputs: plain.outputs, inputs: doors, lockAfter: .seconds(20), unlockCode: [1, 0, 1])
    panel.outputs[1].requirements = [InputRequirement(input: "window", level: .closed)]
    panel.outputs[3].requirements = [InputRequirement(input: "front", level: .closed)]
    return panel
  }()

  // MARK: Making them

  private static func action(
    _ name: String, _ index: Int64, _ message: String, offline: OfflinePolicy? = nil, expiresAfter: Int64? = nil,
    cooldown: Duration, confirmWithin: Int64? = nil, confirmRoom: String? = nil, isIndexGiven: Bool = true,
    bindsUID: Bool = false,
    unlocksPanel: Bool = false, outputs: [OutputOrder] = [], awaitsHomeAssistant: Bool = false,
    requirements: [InputRequirement] = []
  ) -> Action {
    Action(
      name: name, title: name, index: index, isIndexGiven: isIndexGiven, topic: "home/" + name,
      message: PayloadTemplate(message),
      offline: offline, expiresAfter: expiresAfter.map { .seconds($0) }, cooldown: cooldown,
      confirmWithin: confirmWithin.map { .seconds($0) }, confirmRoom: confirmRoom, bindsUID: bindsUID,
      unlocksPanel: unlocksPanel,
      outputs: outputs, awaitsHomeAssistant: awaitsHomeAssistant, requirements: requirements)
  }

  private static func hook(_ name: String, _ index: Int64, expiresAfter: Int64?) -> Action {
    Action(
      name: name, title: name, index: index, topic: nil, message: PayloadTemplate(""),
      expiresAfter: expiresAfter.map { .seconds($0) }, cooldown: .zero, webhookBody: PayloadTemplate("post"))
  }

  private static func button(_ gesture: Gesture, _ action: String) -> ButtonPlan {
    var settings = GestureSettings()
    settings[gesture] = action
    return ButtonPlan(name: action, gestures: settings)
  }

  private static func key(_ byte: UInt8) -> SecretKey {
    guard let key = SecretKey([UInt8](repeating: byte, count: SecretKey.size)) else { fatalError("a key of 32 bytes") }
    return key
  }

  private static func secret(
    _ action: String, _ index: Int64, _ byte: UInt8, boundTo number: Int? = nil
  ) -> TagSecret {
    TagSecret(
      id: "\(action)-\(byte)", action: action, index: index, key: key(byte),
      createdUnixSeconds: number == nil ? 0 : writtenUnixSeconds, label: nil, uid: number.map { uid($0) })
  }

  static func uid(_ number: Int) -> TagUID {
    guard let uid = TagUID([4, UInt8(number >> 8), UInt8(number & 255), 1, 2, 3, 4]) else { fatalError("7 bytes") }
    return uid
  }

  private static func forged(index: Int64, _ byte: UInt8, uid: Int) -> Card {
    Card(reading: signed(index: index, key: key(byte), uid: uid), claims: true)
  }

  private static func signed(index: Int64, key: SecretKey, uid: Int) -> TagReading {
    guard let url = try? TagURL.sign(index: index, timestamp: writtenUnixSeconds, key: key) else {
      fatalError("no HMAC")
    }
    return holding(NDEFRecord(uri: url.text()), uid: uid)
  }

  /// An NTAG213 with this record.
  static func holding(_ record: NDEFRecord, uid number: Int) -> TagReading {
    guard let message = NDEFMessage(records: [record]).encode(),
      let blocks = Type2Memory.encode(message: message)
    else { fatalError("it fits") }
    let header: [UInt8] = [4, 0, 1, 0x8D, 1, 2, 3, 4, 4, 0x48, 0, 0, 0xE1, 0x10, 0x12, 0x00]
    let memory = header + blocks + [UInt8](repeating: 0, count: max(0, 144 - blocks.count))
    return TagReading(uid: uid(number), model: .ntag213, bytes: memory)
  }
}
