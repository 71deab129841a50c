// A kiosk under a script: at this millisecond this happened, and these were its effects. Effects are compared as words,
// so that a test reads as the story of a tap.

import Testing

@testable import TappetCore

/// Drives a kiosk by the script's clock.
final class KioskScript {
  var kiosk: Kiosk
  /// Wall clock minus monotonic clock in milliseconds: the script's second 0 is a day in 2026.
  var wallOffset: Int64 = 1_790_000_000_000
  /// The last event's time in milliseconds.
  private(set) var time = 0
  private(set) var lastEffects: [Effect] = []
  private var nextSequence: Int64 = 1

  init(
    _ actions: [Action] = [.light, .garage, .scene], panel: PanelPlan = PanelPlan(), endpoints: Int = 1,
    firstEndpoint: Int = 0,
    trustsClock: Bool = false, countMax: Int = Limits.outboxCountMax, sizeMax: Int = Limits.outboxSizeMax,
    fallbacks: [Int: Int64] = [:], commands: [CommandPlan] = [], publishesState: Bool = false,
    homeAssistant: HomeAssistantPlan? = nil, hasReader: Bool = true, seed: UInt64 = 1
  ) {
    var settings = KioskSettings(
      actions: actions, panel: panel, endpointCount: endpoints, fallbacks: fallbacks,
      trustsClock: trustsClock, commands: commands, publishesState: publishesState,
      homeAssistant: homeAssistant,
      outboxCountMax: countMax, outboxSizeMax: sizeMax)
    settings.firstEndpoint = firstEndpoint
    settings.hasReader = hasReader
    kiosk = Kiosk(
      settings: settings,
      seed: (seed, seed &* 0x9E37_79B9_7F4A_7C15, seed << 32 | 3, ~seed), at: Instant(nanoseconds: 0))
  }

  /// Returns the kiosk's effects when `event` happens at `milliseconds`.
  @discardableResult
  func at(_ milliseconds: Int, _ event: Event) -> [String] {
    precondition(milliseconds >= time, "A script goes forward.")
    time = milliseconds
    lastEffects = kiosk.handle(event, at: moment(milliseconds))
    return lastEffects.map { $0.words }
  }

  /// Moves a button's contact without a bounce.
  @discardableResult
  func edge(_ button: Int, _ isActive: Bool, at milliseconds: Int) -> [String] {
    at(milliseconds, .panel(.edge(input: button, isActive: isActive, at: moment(milliseconds).instant)))
  }

  /// Presses for 60 ms with a finger on a good contact; returns the effects at the first edge.
  @discardableResult
  func press(_ button: Int, at milliseconds: Int) -> [String] {
    let words = edge(button, true, at: milliseconds)
    let effects = lastEffects
    edge(button, false, at: milliseconds + 60)
    lastEffects = effects
    return words
  }

  /// Opens the buttons' lines, at rest.
  func openButtons() {
    for button in kiosk.settings.panel.buttons.indices {
      at(time, .panel(.opened(.input(button), isActive: false, debouncesItself: false)))
    }
  }

  func moment(_ milliseconds: Int) -> Moment {
    Moment(
      instant: Instant(nanoseconds: Int64(milliseconds) * 1_000_000),
      unixMilliseconds: wallOffset + Int64(milliseconds))
  }

  /// When it wakes up, in milliseconds rounded up; `nil` means that it waits for an event.
  var wakesAt: Int? {
    kiosk.nextDeadline(at: moment(time)).map { Int(($0.nanoseconds + 999_999) / 1_000_000) }
  }

  // MARK: Beginnings that many stories share

  /// Started, the clock known, the secrets loaded, reader and link under way: nothing is up yet.
  func start(summary: OutboxSummary = OutboxSummary(), clockIsGood: Bool = true) {
    at(0, .started(summary))
    at(0, .clockChecked(isSynchronized: clockIsGood))
    at(0, .secretsLoaded([.lightSecret, .garageSecret, .spareSecret]))
  }

  /// Everything up by millisecond 10, the outbox empty and read to its end.
  func startAll(clockIsGood: Bool = true) {
    start(clockIsGood: clockIsGood)
    at(5, .reader(.ready(device: "chip")))
    at(10, .link(.connected(sessionPresent: false)))
    at(10, .brokerOutbox(.fetched([], reachedEnd: true)))
  }

  /// As `startAll`, without a broker: the attempt fails and is repeated within a second.
  func startOffline(clockIsGood: Bool = true) {
    start(clockIsGood: clockIsGood)
    at(5, .reader(.ready(device: "chip")))
    at(10, .link(.failed(.connectionRefused)))
  }

  /// Lets `milliseconds` pass with the kiosk's own deadlines; returns the effects on the way.
  @discardableResult func sleep(until milliseconds: Int) -> [String] {
    var words: [String] = []
    for _ in 0..<100 {
      guard let deadline = wakesAt, deadline <= milliseconds else { break }
      words += at(max(time, deadline), .timerFired)
    }
    return words
  }

  /// A tag arrives, is read and leaves; returns the effects of its reading.
  @discardableResult
  func tap(at milliseconds: Int, _ reading: TagReading, wasPresent: Bool = false) -> [String] {
    at(milliseconds, .reader(.tagArrived(reading.uid, wasPresent: wasPresent)))
    let words = at(milliseconds, .reader(.tagRead(reading)))
    let effects = lastEffects
    at(milliseconds, .reader(.tagLeft(reading.uid)))
    lastEffects = effects
    return words
  }

  /// Commits the last stored entry; returns it as it is in the outbox.
  @discardableResult
  func commit(at milliseconds: Int) -> (words: [String], entry: OutboxEntry?) {
    guard var entry = lastEffects.compactMap({ $0.storedEntry }).last else { return ([], nil) }
    entry.sequence = nextSequence
    nextSequence += 1
    return (at(milliseconds, .brokerOutbox(.stored(entry.id, sequence: entry.sequence))), entry)
  }

  /// A tap and its commit; returns the entry.
  @discardableResult
  func accept(at milliseconds: Int, _ reading: TagReading) -> OutboxEntry? {
    tap(at: milliseconds, reading)
    return commit(at: milliseconds).entry
  }

  /// Returns the entries that the last event published.
  var published: [OutboxEntry] { lastEffects.compactMap { $0.publishedEntry } }
}

// MARK: The cast

extension PanelPlan {
  /// A button for each action, which triggers it when pressed.
  static func pressing(_ actions: String...) -> PanelPlan {
    PanelPlan(
      buttons: actions.enumerated().map { index, action in
        ButtonPlan(name: "b\(index)", gestures: .with([.press: action]))
      })
  }
}

extension GestureSettings {
  static func with(_ actions: [Gesture: String]) -> GestureSettings {
    var settings = GestureSettings()
    for (gesture, action) in actions { settings[gesture] = action }
    return settings
  }
}

extension Action {
  static let light = Action(
    name: "light", title: "Light", index: 1, topic: "home/light", message: PayloadTemplate("toggle"), cooldown: .zero)
  /// Goes to a webhook alone.
  static let hook = Action(
    name: "hook", title: "Hook", index: 9, topic: nil, message: PayloadTemplate(""), cooldown: .zero,
    webhookBody: PayloadTemplate("{}"))
  /// Goes to a room alone.
  static let chat = Action(
    name: "chat", title: "Chat", index: 13, topic: nil, message: PayloadTemplate(""), cooldown: .zero,
    webhookBody: PayloadTemplate("{}"))
  /// The same as `light`, with a cooldown of 2 s.
  static let slowLight = Action(
    name: "light", title: "Light", index: 1, topic: "home/light", message: PayloadTemplate("toggle"))
  /// Its message carries a token: dropped without a broker, expires after 10 s.
  static let garage = Action(
    name: "garage", title: "Garage", index: 2, topic: "home/garage", message: PayloadTemplate("open %T"))
  /// Has no secret.
  static let scene = Action(
    name: "scene", title: "Scene", index: 3, topic: "home/scene", message: PayloadTemplate("evening"))
  /// Waits for the clock for up to an hour.
  static let patient = Action(
    name: "patient", title: "Patient", index: 4, topic: "home/patient", message: PayloadTemplate("%T"),
    offline: .queue, expiresAfter: .seconds(3600), cooldown: .zero)
  /// Worthless after 5 s.
  static let brief = Action(
    name: "brief", title: "Brief", index: 5, topic: "home/brief", message: PayloadTemplate("now"), offline: .queue,
    expiresAfter: .seconds(5), cooldown: .zero)
}

extension TagSecret {
  static func of(_ action: Action, id: String, byte: UInt8) -> TagSecret {
    TagSecret(
      id: id, action: action.name, index: action.index, key: .repeating(byte), createdUnixSeconds: 0, label: nil)
  }
  static var lightSecret: TagSecret { of(.light, id: "light-1", byte: 0x11) }
  static var spareSecret: TagSecret { of(.light, id: "light-2", byte: 0x22) }
  static var garageSecret: TagSecret { of(.garage, id: "garage-1", byte: 0x33) }
}

extension SecretKey {
  static func repeating(_ byte: UInt8) -> SecretKey {
    guard let key = SecretKey([UInt8](repeating: byte, count: SecretKey.size)) else { preconditionFailure() }
    return key
  }
}

extension TagUID {
  static func number(_ number: Int) -> TagUID {
    guard let uid = TagUID([4, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number), 1, 2, 3, 4])
    else { preconditionFailure() }
    return uid
  }
}

extension TagReading {
  /// An NTAG213 with the tag URL for `index`, signed with `key`.
  static func signed(index: Int64, key: SecretKey, uid: Int = 1) -> TagReading {
    guard let url = try? TagURL.sign(index: index, timestamp: 1_700_000_000, key: key) else { preconditionFailure() }
    return .holding(url.text(), uid: uid)
  }

  static func of(_ secret: TagSecret, uid: Int = 1) -> TagReading {
    .signed(index: secret.index, key: secret.key, uid: uid)
  }

  /// An NTAG213 with this URI.
  static func holding(_ uri: [UInt8], uid: Int = 1) -> TagReading {
    guard let message = NDEFMessage(records: [NDEFRecord(uri: uri)]).encode(),
      let blocks = Type2Memory.encode(message: message)
    else { preconditionFailure() }
    let header: [UInt8] = [4, 0, 1, 0x8D, 1, 2, 3, 4, 4, 0x48, 0, 0, 0xE1, 0x10, 0x12, 0x00]
    let memory = header + blocks + [UInt8](repeating: 0, count: max(0, 144 - blocks.count))
    return TagReading(uid: .number(uid), model: .ntag213, bytes: memory)
  }
}

extension Event {
  /// The answer of the outbox for the broker.
  static func brokerOutbox(_ answer: OutboxAnswer) -> Event { .store(.outbox(.broker, answer)) }

  /// The answer of the outbox for webhooks.
  static func webhookOutbox(_ answer: OutboxAnswer) -> Event { .store(.outbox(.webhook, answer)) }
}
