// Human-readable snapshot of the running kiosk for `status`, the live view and the control socket. Created on demand.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetTLS

/// A snapshot of the kiosk at one moment.
package struct KioskView: Sendable {
  /// Path of the state folder, for the tool.
  private var stateFolder: String
  /// The kiosk's MQTT client id; `nil` if no broker is configured.
  package var clientID: String?
  /// Time since the kiosk was started.
  package var uptime: Duration
  /// The parts that this kiosk has, and their states.
  package var parts: [(part: KioskPart, state: PartState)]
  /// The unread messages; `nil` if they are not configured, not known, or cannot be counted.
  private var unread: RoomUnread?
  /// Number of items with low stock; `nil` if unknown.
  private var lowCount: Int64?
  /// Facts about the kiosk's site; `nil` if the kiosk belongs to none.
  private var site: KioskStatus.Site?
  /// SHA-256 of the page's certificate; `nil` if unknown.
  private var pagePlace: PagePlace
  /// Whether the buttons are locked; `nil` if the panel has no lock.
  package var isLocked: Bool?
  /// Whether `%T` may be sealed, `nil` before the first clock check; whether that is regardless of the kernel's clock
  /// state; whether an action or a pending entry needs the clock; and why hours cannot be checked, `nil` if they can.
  package var clock: (isGood: Bool?, isTrusted: Bool, isNeeded: Bool, unknownHours: String?)
  /// Indicators that are on, including the colours of an RGB LED, even if none is wired.
  package var levels: LightOutputs
  /// The wired indicators.
  package var wired: LightOutputs
  /// Names and states of the outputs.
  package var outputs: [(name: String, kind: OutputKind, state: KioskStatus.Output)]
  /// The inputs whose level is a state.
  private var inputs: [(plan: InputPlan, state: InputState)]
  /// Command topics and their counters.
  package var commands: [KioskStatus.Commands]
  /// The buttons' names, each with the actions that its gestures trigger.
  package var buttons: [String]
  /// The result of the last reload; `nil` before the first reload.
  package var reload: ReloadOutcome?
  /// Number of taps and presses by outcome.
  package var counters: Counters
  /// Number of pending entries in the store.
  package var outboxCount: Int
  /// Number of pending entries set aside because the broker closes the connection when they are sent.
  package var asideCount: Int
  /// Number of entries pending for a webhook.
  package var webhookCount: Int
  /// Certificates in use, as of the last check.
  package var certificates: [CertificateFact]
  /// Recent taps, newest first.
  package var taps: [TapOutcome]
  /// The light that is shown when no momentary light is active.
  package var baseLight: Light
  /// The light currently shown.
  package var light: Light
  /// Time of the snapshot.
  private var now: Moment
  /// Wall-clock time of the snapshot, in milliseconds since 1970.
  package var unixMilliseconds: Int64 { now.unixMilliseconds }

  @export(interface)
  init(_ runtime: Runtime, at now: Moment) {
    let status = runtime.kiosk.status
    let configuration = runtime.configuration
    self.now = now
    stateFolder = configuration.stateFolder
    clientID = configuration.broker?.clientID
    uptime = now.instant - runtime.observers.startedAt
    parts = KioskPart.allCases.compactMap { part in
      status.state(of: part, configuration).map { (part: part, state: $0) }
    }
    (unread, lowCount, site) = (status.unread, status.inventory?.lowCount, status.site)
    pagePlace = runtime.page.place
    isLocked = status.isLocked
    clock = (
      status.clock.isGood, !configuration.checksClock, status.clock.isNeeded, configuration.unknownHoursSentence
    )
    levels = runtime.panel.on
    wired = configuration.panel.wired
    outputs = zip(configuration.panel.outputs, status.outputs).map { ($0.plan.name, $0.plan.kind, $1) }
    inputs = zip(configuration.panel.inputs, runtime.kiosk.inputStates).map { ($0.plan, $1) }
    commands = status.commands
    buttons = configuration.panel.buttons.map { $0.plan.label }
    reload = runtime.observers.lastReload
    counters = runtime.kiosk.counters
    outboxCount = runtime.kiosk.outboxCount
    asideCount = runtime.kiosk.asideCount
    webhookCount = runtime.kiosk.webhookCount
    certificates = runtime.certificates.facts
    taps = runtime.observers.history.outcomes
    baseLight = status.light
    light = runtime.panel.shown ?? status.light
  }

  /// Returns the JSON for `tappet status --json`; docs/json.schema.json lists the member names.
  @export(interface)
  package func json(maySeeKeys: Bool) -> JSON {
    let head: JSON = .object([
      "version": .string(Version.text), "state": .string(absoluteStateFolder), "client_id": .optional(clientID),
      "uptime_seconds": .number(uptime.wholeMilliseconds / 1000), "light": .string(baseLight.name),
    ])
    let tail: JSON = .object([
      "outputs": outputsJSON, "inputs": inputsJSON, "commands": .array(commands.map { $0.json }),
      "locked": isLocked.map { .bool($0) } ?? .null, "reload": reload.map { $0.json } ?? .null,
      "certificates": .array(
        Certificates.needed(certificates, atUnixSeconds: now.unixSeconds).compactMap { certificate($0) }),
      "clock": clockJSON,
      "outbox": .number(Int64(outboxCount)), "set_aside": .number(Int64(asideCount)), "counters": countersJSON,
      "taps": .array(taps.map { $0.json(maySeeKeys: maySeeKeys) }),
    ])
    let parts = partMembers { part, state in
      .object(state.json.members + [JSON.Member(name: "text", value: .string(state.text))] + facts(about: part))
    }
    return .object(head.members + parts + tail.members)
  }

  /// Returns a member for each part; null for a part that this kiosk does not have.
  func partMembers(_ json: (KioskPart, PartState) -> JSON) -> [JSON.Member] {
    KioskPart.allCases.map { part in
      let state = parts.first { $0.part == part }?.state
      return JSON.Member(name: part.rawValue, value: state.map { json(part, $0) } ?? .null)
    }
  }

  /// The members in addition to those that all parts have.
  private func facts(about part: KioskPart) -> [JSON.Member] {
    switch part {
    case .webhooks: webhookMembers
    case .rooms, .inventory: publishedFacts(about: part)
    case .site: site?.members ?? []
    case .page: pagePlace.members
    case .reader, .broker, .disk, .panel: []
    }
  }

  /// The members that are published in addition to those that all parts have.
  func publishedFacts(about part: KioskPart) -> [JSON.Member] {
    switch part {
    case .rooms: unreadMembers
    case .inventory: [JSON.Member(name: "low", value: lowCount.map { .number($0) } ?? .null)]
    case .webhooks, .site, .reader, .broker, .disk, .panel, .page: []
    }
  }

  /// Whether the clock is synchronized or trusted, and whether it is needed.
  var clockJSON: JSON {
    .object([
      "good": clock.isGood.map { .bool($0) } ?? .null, "trusted": .bool(clock.isTrusted),
      "needed": .bool(clock.isNeeded), "zone": .optional(clock.unknownHours),
    ])
  }

  /// Counters of taps and presses.
  var countersJSON: JSON {
    .object([
      "accepted": .number(Int64(counters.accepted)), "delivered": .number(Int64(counters.delivered)),
      "refused": .number(Int64(counters.refused)), "ignored": .number(Int64(counters.ignored)),
      "expired": .number(Int64(counters.expired)), "undeliverable": .number(Int64(counters.undeliverable)),
    ])
  }

  /// Counters of the webhooks; the outbox count and the other counters exclude webhooks.
  private var webhookMembers: [JSON.Member] {
    let counts: JSON = .object([
      "delivered": .number(Int64(counters.webhooks.delivered)), "again": .number(Int64(counters.webhooks.again)),
      "given_up": .number(Int64(counters.webhooks.givenUp)), "expired": .number(Int64(counters.webhooks.expired)),
    ])
    return JSON.object(["waiting": .number(Int64(webhookCount)), "counters": counts]).members
  }

  /// The counts of unread messages; null if there are none, or while they are not known.
  private var unreadMembers: [JSON.Member] {
    var counts: [UInt32]?
    if case .counted(let count, let messages, let mentions)? = unread { counts = [messages, mentions, count] }
    return ["unread", "mentions", "unread_rooms"].enumerated().map { place, name in
      JSON.Member(name: name, value: counts.map { .number(Int64($0[place])) } ?? .null)
    }
  }

  /// The outputs in the format of `tappet output list --json`.
  package var outputsJSON: JSON {
    @export(interface) get {
      .array(
        outputs.map { name, kind, state in
          let since = state.since.map { now.unixMilliseconds - (now.instant - $0).wholeMilliseconds }
          return .object([
            "name": .string(name), "kind": .string(kind.word), "on": .bool(state.isOn),
            "good": .bool(state.isAvailable),
            "safe": .bool(state.isSafeOn), "since": since.map { .time(unixMilliseconds: $0) } ?? .null,
          ])
        })
    }
  }

  /// The inputs in the order of the configuration.
  package var inputsJSON: JSON {
    @export(interface) get {
      .array(
        inputs.map { plan, state in
          let since = state.since.map { now.unixMilliseconds - (now.instant - $0).wholeMilliseconds }
          return .object([
            "name": .string(plan.name), "kind": .string(plan.kind.word), "state": .string(state.level.name),
            "cause": .string(state.cause.name), "held_open": .bool(state.isHeldOpen),
            "since": clock.isGood == true ? since.map { .time(unixMilliseconds: $0) } ?? .null : .null,
          ])
        })
    }
  }

  /// Absolute path of the state folder; a relative path is resolved against this process's current folder.
  private var absoluteStateFolder: String { resolvedPath(stateFolder) ?? stateFolder }

  /// Returns a certificate with its remaining days; `nil` for the system's trust store and for certificate problems.
  private func certificate(_ fact: CertificateFact) -> JSON? {
    guard case .certificate(let details) = fact else { return nil }
    return .object([
      "file": .string(details.path), "subject": .string(details.subject),
      "days_left": .number(details.daysLeft(atUnixSeconds: now.unixSeconds)),
    ])
  }
}

extension PartState {
  /// The state without the sentence, which may contain host and file names.
  var json: JSON { .object(["good": .bool(isGood), "code": .string(code)]) }
}

extension KioskStatus.Commands {
  fileprivate var json: JSON {
    .object([
      "topic": .string(topic), "good": .bool(isSubscribed == true), "accepted": .number(Int64(counts.accepted)),
      "refused": .number(Int64(counts.refused)), "retained": .number(Int64(counts.retained)),
    ])
  }
}

extension ReloadOutcome {
  fileprivate var json: JSON {
    .object([
      "time": .time(unixMilliseconds: unixMilliseconds), "good": .bool(isGood),
      "text": .string(sentence), "mistakes": .array(mistakes.map { .string($0) }),
    ])
  }
}
