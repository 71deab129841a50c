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
  /// State of one part: a flag, a code and a description.
  package struct Part: Sendable {
    /// Whether the part works as intended.
    package var isGood: Bool
    /// Machine-readable state, or cause of a problem.
    package var code: String
    /// Human-readable activity or problem.
    package var text: String

    fileprivate var json: JSON {
      .object(["good": .bool(isGood), "code": .string(code), "text": .string(text)])
    }
  }

  /// Path of the state folder, for the tool.
  private var stateFolder: String
  /// The kiosk's MQTT client id; `nil` if no broker is configured.
  package var clientID: String?
  /// Time since the kiosk was started.
  package var uptime: Duration
  /// State of the NFC reader.
  package var reader: Part
  /// State of the connection to the broker.
  package var broker: Part
  /// State of the webhooks; `nil` if no action has a webhook.
  package var webhooks: Part?
  /// State of the rooms in which the kiosk listens, and the unread messages; `nil` if there are none.
  package var rooms: (part: Part, unread: RoomUnread?)?
  /// State of the inventory; `nil` if none is configured.
  package var inventory: Part?
  /// State of the site's people, and the active bundle; `nil` if the kiosk belongs to no site.
  package var site: (part: Part, facts: KioskStatus.Site)?
  /// Number of items with low stock; `nil` if unknown.
  package var lowCount: Int64?
  /// State of the disk that stores the outbox.
  package var disk: Part
  /// State of the panel's lines and buttons.
  package var panel: Part
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
  package var outputs: [(name: String, state: KioskStatus.Output)]
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
    reader = Part(
      isGood: status.reader.isGood, code: status.reader.code, text: status.reader.sentence(configuration))
    broker = Part(isGood: status.link.isGood, code: status.link.code, text: status.link.sentence(configuration))
    webhooks = status.webhooks.map {
      Part(isGood: $0.isGood, code: $0.code, text: $0.sentence(configuration))
    }
    inventory = status.inventory.map { Part(isGood: $0.isGood, code: $0.code, text: $0.sentence) }
    rooms = status.rooms.map {
      (Part(isGood: $0.isGood, code: $0.code, text: $0.sentence(configuration)), status.unread)
    }
    site = status.site.map { (Part(isGood: $0.isGood, code: $0.code, text: $0.sentence), $0) }
    lowCount = status.inventory?.lowCount
    let diskText = status.store?.sentence(folder: configuration.stateFolder)
    disk = Part(isGood: diskText == nil, code: status.diskCode, text: diskText ?? "good")
    let hasPanel = configuration.panel != PanelSettings()
    panel = Part(
      isGood: status.panel.isEmpty, code: hasPanel ? status.panelCode : "none",
      text: !hasPanel ? "none is configured" : status.panel.isEmpty ? "good" : status.panelSentence(configuration))
    isLocked = status.isLocked
    clock = (
      status.clockIsGood, !configuration.checksClock, status.needsClock, configuration.unknownHoursSentence
    )
    levels = runtime.panel.on
    wired = configuration.panel.wired
    outputs = zip(configuration.panel.outputs, status.outputs).map { ($0.plan.name, $1) }
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
    .object([
      "version": .string(Version.text), "state": .string(absoluteStateFolder), "client_id": .optional(clientID),
      "uptime_seconds": .number(uptime.wholeMilliseconds / 1000), "light": .string(baseLight.name),
      "reader": reader.json, "broker": broker.json, "webhooks": webhooksJSON,
      "rooms": roomsJSON, "inventory": inventoryJSON, "site": siteJSON, "disk": disk.json,
      "panel": panel.json,
      "outputs": outputsJSON, "commands": .array(commands.map { $0.json }),
      "locked": isLocked.map { .bool($0) } ?? .null, "reload": reload.map { $0.json } ?? .null,
      "certificates": .array(
        Certificates.needed(certificates, atUnixSeconds: now.unixSeconds).compactMap { certificate($0) }),
      "clock": clockJSON,
      "outbox": .number(Int64(outboxCount)), "set_aside": .number(Int64(asideCount)), "counters": countersJSON,
      "taps": .array(taps.map { $0.json(maySeeKeys: maySeeKeys) }),
    ])
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

  /// Webhooks with their counters; the outbox count and the other counters exclude webhooks.
  private var webhooksJSON: JSON {
    guard let webhooks, case .object(let members) = webhooks.json else { return .null }
    let counts: JSON = .object([
      "delivered": .number(Int64(counters.webhooks.delivered)), "again": .number(Int64(counters.webhooks.again)),
      "given_up": .number(Int64(counters.webhooks.givenUp)), "expired": .number(Int64(counters.webhooks.expired)),
    ])
    return .object(
      members + [
        JSON.Member(name: "waiting", value: .number(Int64(webhookCount))),
        JSON.Member(name: "counters", value: counts),
      ])
  }

  private var roomsJSON: JSON {
    guard let rooms, case .object(let members) = rooms.part.json else { return .null }
    return .object(members + unreadMembers)
  }

  /// The counts of unread messages; null if there are none, or while they are not known.
  var unreadMembers: [JSON.Member] {
    var counts: [UInt32]?
    if case .counted(let count, let messages, let mentions)? = rooms?.unread { counts = [messages, mentions, count] }
    return ["unread", "mentions", "unread_rooms"].enumerated().map { place, name in
      JSON.Member(name: name, value: counts.map { .number(Int64($0[place])) } ?? .null)
    }
  }

  private var siteJSON: JSON {
    guard let site, case .object(let members) = site.part.json else { return .null }
    return .object(members + site.facts.members)
  }

  private var inventoryJSON: JSON {
    guard let inventory, case .object(let members) = inventory.json else { return .null }
    return .object(members + [JSON.Member(name: "low", value: lowCount.map { .number($0) } ?? .null)])
  }

  /// The outputs in the format of `tappet output list --json`.
  package var outputsJSON: JSON {
    @export(interface) get {
      .array(
        outputs.map { name, state in
          let since = state.since.map { now.unixMilliseconds - (now.instant - $0).wholeMilliseconds }
          return .object([
            "name": .string(name), "on": .bool(state.isOn), "good": .bool(state.isAvailable),
            "safe": .bool(state.isSafeOn), "since": since.map { .time(unixMilliseconds: $0) } ?? .null,
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
