// What a person may want to see of a running kiosk, kept up to date: for `status`, for the live view, for the control socket.

import TappetCore
import TappetDevices

/// A picture of the kiosk now.
public struct KioskView: Sendable {
  /// The state of one part, in a word and a sentence.
  public struct Part: Sendable {
    /// Whether it does what it should.
    public var isGood: Bool
    /// What it does, or what is wrong, for a person.
    public var text: String
  }

  /// A tap or a press and what became of it.
  public struct Tap: Sendable {
    /// When, by the wall clock.
    public var unixMilliseconds: Int64
    /// Whether it went as the person wished.
    public var isGood: Bool
    /// What became of it, for a person.
    public var text: String
  }

  /// Who we are at the broker.
  public private(set) var clientID: String
  /// When the kiosk was started.
  public let startedAt: Moment
  /// The NFC reader.
  public var reader = Part(isGood: false, text: "starting")
  /// The link to the broker.
  public var broker = Part(isGood: false, text: "connecting")
  /// The disk under the outbox.
  public var disk = Part(isGood: true, text: "good")
  /// The panel's lines and buttons.
  public var panel = Part(isGood: true, text: "good")
  /// Whether the buttons are locked; nil: they never are.
  public var isLocked: Bool?
  /// Which outputs are on; with the colours of an RGB LED, whether there is one or not.
  public var levels: LightOutputs = []
  /// The outputs that are wired.
  public private(set) var wired: LightOutputs
  /// The buttons' names.
  public private(set) var buttons: [String]
  /// What is wrong on the panel, by part.
  private var panelTroubles: [(part: PanelPart, text: String)] = []
  /// Whether `%T` may be sealed; nil: not asked yet.
  public var clockIsGood: Bool?
  /// How many taps and presses came to what.
  public var counters = Counters()
  /// Entries that wait in the store.
  public var outboxCount = 0
  /// The certificates in use, as they were looked at last.
  public var certificates: [CertificateFact] = []
  /// The newest last; at most `Limits.viewTapsMax`.
  public var taps: [Tap] = []
  /// What lasts.
  public var baseLight: Light = .starting
  /// What is shown.
  public var light: Light = .starting

  init(_ configuration: Configuration, startedAt: Moment) {
    clientID = configuration.broker.clientID
    self.startedAt = startedAt
    wired = configuration.panel.wired
    var names: [String] = []
    for button in configuration.panel.buttons { names.append(button.plan.name) }
    buttons = names
    isLocked = configuration.panel.lockAfter == nil ? nil : true
  }

  /// Another configuration is in force.
  mutating func reconfigure(_ configuration: Configuration) {
    let fresh = KioskView(configuration, startedAt: startedAt)
    clientID = fresh.clientID
    wired = fresh.wired
    buttons = fresh.buttons
    panelTroubles = []
    panel = fresh.panel
    if (isLocked == nil) != (fresh.isLocked == nil) { isLocked = fresh.isLocked }
  }

  mutating func show(_ light: Light) {
    if light.isLasting { baseLight = light }
    self.light = light
  }

  mutating func note(_ report: Report, _ line: Line, counters: Counters, outboxCount: Int, at now: Moment) {
    self.counters = counters
    self.outboxCount = outboxCount
    switch report {
    case .readerReady: reader = Part(isGood: true, text: line.sentence)
    case .readerLost: reader = Part(isGood: false, text: line.sentence)
    case .linkUp: broker = Part(isGood: true, text: line.sentence)
    case .linkFailed, .linkLost, .linkStorm, .linkClosed: broker = Part(isGood: false, text: line.sentence)
    case .storeTrouble: disk = Part(isGood: false, text: line.sentence)
    case .storeRecovered: disk = Part(isGood: true, text: "good")
    case .accepted, .delivered: add(line, isGood: true, at: now)
    case .refused, .refusedMore, .ignored, .queued, .expired, .dropped, .undeliverable:
      add(line, isGood: false, at: now)
    case .panelLost(let part, _): trouble(part, line.sentence)
    case .panelRecovered(let part): trouble(part, nil)
    case .buttonStuck(let button), .buttonChattering(let button): trouble(.input(button), line.sentence)
    case .buttonRecovered(let button): trouble(.input(button), nil)
    case .panelLocked: isLocked = true
    case .panelUnlocked: isLocked = false
    case .codeRefused, .confirming, .confirmationEnded: add(line, isGood: false, at: now)
    case .clockGood, .clockUnknown, .certificateExpiring, .certificatesGood, .outboxRestored, .stopping: break
    }
  }

  private mutating func trouble(_ part: PanelPart, _ text: String?) {
    panelTroubles.removeAll { $0.part == part }
    if let text { panelTroubles.append((part, text)) }
    panel = Part(isGood: panelTroubles.isEmpty, text: panelTroubles.last?.text ?? "good")
  }

  private mutating func add(_ line: Line, isGood: Bool, at now: Moment) {
    if taps.count >= Limits.viewTapsMax { taps.removeFirst() }
    taps.append(Tap(unixMilliseconds: now.unixMilliseconds, isGood: isGood, text: line.sentence))
  }

  /// For `tappet status --json`; the names are documented in the manual page.
  public func json(at now: Moment) -> JSON {
    func part(_ part: Part) -> JSON { .object(["good": .bool(part.isGood), "text": .string(part.text)]) }
    let counts: JSON = .object([
      "accepted": .number(Int64(counters.accepted)), "delivered": .number(Int64(counters.delivered)),
      "refused": .number(Int64(counters.refused)), "ignored": .number(Int64(counters.ignored)),
      "expired": .number(Int64(counters.expired)), "undeliverable": .number(Int64(counters.undeliverable)),
    ])
    return .object([
      "version": .string(Version.text), "client_id": .string(clientID),
      "uptime_seconds": .number((now.instant - startedAt.instant).wholeMilliseconds / 1000),
      "light": .string(baseLight.name), "reader": part(reader), "broker": part(broker), "disk": part(disk),
      "panel": part(panel), "locked": isLocked.map { .bool($0) } ?? .null,
      "certificates": certificatesJSON(at: now),
      "clock_good": clockIsGood.map { .bool($0) } ?? .null, "outbox": .number(Int64(outboxCount)), "counters": counts,
      "taps": .array(
        taps.map {
          .object(["unix_ms": .number($0.unixMilliseconds), "good": .bool($0.isGood), "text": .string($0.text)])
        }),
    ])
  }
}
