// Sentences about commands from rooms.

import TappetConfig
import TappetCore

extension LogRecord {
  /// Creates the record that reports whether the kiosk accepts commands from a room.
  init(_ access: RoomAccess, _ room: String) {
    guard access != .open else {
      self.init(.info, "room-ready", "commands are accepted from " + room, [("room", room)])
      return
    }
    self.init(
      .error, "room-denied", "no commands are accepted from \(room): \(access.sentence)",
      [("code", access.code), ("room", room)])
  }

  /// Creates the record for a message in an encrypted room that cannot be read, which may be a command.
  init(unreadable line: UnreadableLine) {
    let reason =
      switch line.reason {
      case .keyMissing: "the device that wrote it has not sent the kiosk its key; send it again from another device"
      case .devicesUnknown: "the homeserver does not list the devices of this user"
      case .deviceRefused: "its device is not in the list of this user's devices, or 'devices' requires it to be signed"
      case .damaged: "it is damaged"
      }
    self.init(
      .warning, "room-unreadable", "cannot read what \(line.user) wrote in \(line.room): \(reason)",
      [("code", line.reason.code), ("room", line.room), ("user", line.user)])
  }

  /// Creates the record for a homeserver that did not respond.
  init(roomsFail fault: WebhookFault, _ configuration: KioskConfiguration) {
    self.init(
      .warning, "rooms-failing", "the kiosk cannot listen in rooms: " + fault.sentence("the homeserver"),
      [("code", fault.code)])
  }
}

extension LogRecord {
  /// Creates the record for a message that reports the outcome of its tap.
  init(edited edit: RoomEdit) {
    self.init(
      .info, "room-edited", "the message of \(edit.action) in its room was edited: \(edit.outcome.text)",
      [("action", edit.action), ("id", edit.entry.hex)])
  }

  /// Creates the record for an invitation that was accepted, unless the homeserver refused.
  init(accepted invitation: RoomInvitation, _ fault: WebhookFault?) {
    let (room, user) = (invitation.room.escaped, invitation.user)
    guard let fault else {
      self.init(
        .notice, "room-joined", "joined \(room) at the invitation of \(user)", [("room", room), ("user", user)])
      return
    }
    let reason =
      if case .trouble(.roomClosed, let status) = fault {
        "the homeserver refused with \(status); try 'tappet matrix join', or have the kiosk invited again"
      } else {
        fault.sentence("the homeserver")
      }
    self.init(
      .warning, "room-not-joined", "cannot join \(room), to which \(user) invited the kiosk: \(reason)",
      [("code", fault.code), ("room", room), ("user", user)])
  }

  /// Creates the record for a message that will not report the outcome of its tap.
  init(notEdited edit: RoomEdit, _ loss: RoomEditLoss, _ configuration: KioskConfiguration) {
    let place = configuration.webhooks.first { $0.action == edit.action }?.place ?? "the homeserver"
    let (reason, code) =
      switch loss {
      case .refused(let refusal): (refusal.sentence(place), refusal.code)
      case .failed(.status(429)): ("\(place) limits the rate of requests", WebhookFault.status(429).code)
      case .failed(.status(let status)): ("\(place) responded with \(status)", WebhookFault.status(status).code)
      case .failed(.trouble(let trouble, let code)):
        (WebhookFault.trouble(trouble, code: code).sentence(place), WebhookFault.trouble(trouble, code: code).code)
      }
    self.init(
      .notice, "room-edit-dropped",
      "the message of \(edit.action) in its room will not report the outcome (\(edit.outcome.text)): \(reason)",
      [("code", code), ("action", edit.action), ("id", edit.entry.hex)])
  }
}

extension RoomEditOutcome {
  /// The outcome, as the message in the room reports it.
  package var text: String {
    @export(interface) get {
      switch self {
      case .delivered: "\u{2705} delivered"
      case .unheard: "\u{26A0} delivered, but the topic has no subscriber"
      case .expired: "\u{274C} not delivered in time"
      case .undeliverable: "\u{274C} refused by the broker"
      case .dropped: "\u{274C} removed from the outbox, not delivered"
      }
    }
  }
}

extension RoomAccess {
  /// The obstacle and the remedy, as part of a sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .open: "good"
      case .closed: "the kiosk is not in the room; join it with 'tappet matrix join'"
      case .encrypted:
        "the room is encrypted; set 'encryption' under 'matrix' to let the kiosk read there (it still cannot ask for "
          + "confirmation there)"
      case .unknown: "no room has this address; correct 'room'"
      case .replaced: "the room was replaced by a new one; join the new room, correct 'room' if it is an id, and reload"
      case .plain: "the room is not encrypted; encrypt it, or set 'unencrypted: allow'"
      }
    }
  }
}

extension RoomQuestion {
  /// The question, as posted in the room.
  package var text: String {
    let subject = who.map { $0 + ": " } ?? ""
    return "\(subject)\(title)? React to this message with \u{2705} or \u{274C} within "
      + "\(within.wholeMilliseconds / 1000) s."
  }
}

extension RoomQuestionEnd {
  /// The outcome of a question, as posted in the room.
  package var text: String {
    @export(interface) get {
      switch self {
      case .confirmed(let user): "\u{2705} confirmed by \(user)."
      case .refused(let user): "\u{274C} refused by \(user)."
      case .unanswered: "\u{274C} no response in time."
      case .cancelled: "\u{274C} cancelled."
      }
    }
  }
}

extension RoomCommanders {
  /// Human-readable list of the users who may send commands: `@ann:h, power level 50 or more`.
  package var text: String {
    (users + (powerLevel.map { ["power level \($0) or more"] } ?? [])).joined(separator: ", ")
  }
}

extension LogRecord {
  /// Creates the record for a change of the last will.
  init(will state: RoomWillState, _ configuration: KioskConfiguration) {
    let room = configuration.matrix?.lastWill?.room ?? ""
    switch state {
    case .scheduled, .cancelled:
      self.init(.info, "last-will-ready", "the last will in \(room) is scheduled", [("room", room)])
    case .posted:
      self.init(
        .notice, "last-will-posted",
        "the homeserver did not hear from the kiosk in time, and has posted the last will in \(room)",
        [("room", room)])
    case .unsupported, .tooLong, .failed:
      self.init(
        .warning, "last-will-failing", "there is no last will in \(room): \(state.sentence)",
        [("code", state.code), ("room", room)])
    }
  }
}

extension RoomWillState {
  /// The state, or the obstacle and the remedy, as part of a sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .scheduled: "scheduled"
      case .posted: "the homeserver has posted it"
      case .cancelled: "cancelled"
      case .unsupported:
        "the homeserver does not support delayed messages (MSC4140); its administrator can enable them, in Synapse "
          + "with 'max_event_delay_duration'"
      case .tooLong(let seconds):
        "the homeserver delays messages by at most \(seconds) s; set 'after' to less, or have its administrator "
          + "raise 'max_event_delay_duration'"
      case .failed(.trouble(.roomEncrypted, _)):
        "the room is encrypted, and the homeserver can post only what it can read; set 'room' to a different room"
      case .failed(let fault): fault.sentence("the homeserver")
      }
    }
  }
}

extension LogRecord {
  /// Creates the record that reports whether unread messages are counted.
  init(unread: RoomUnread, _ configuration: KioskConfiguration) {
    let room = configuration.matrix?.unread ?? ""
    switch unread {
    case .counted:
      self.init(.notice, "unread-ready", "the unread messages of \(room) are counted", [("room", room)])
    case .closed, .unknown, .tooLarge:
      self.init(
        .warning, "unread-failing", "the unread messages of \(room) are not counted: \(unread.sentence)",
        [("code", unread.code), ("room", room)])
    }
  }
}

extension RoomUnread {
  /// The counts, or the obstacle and the remedy, as part of a sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .counted(0, _, _): return "nothing"
      case .counted(let rooms, 0, _): return plural(rooms, "room") + " marked as unread"
      case .counted(let rooms, let messages, let mentions):
        let forKiosk = mentions > 0 ? ", \(mentions) for the kiosk" : ""
        return plural(messages, "message") + " in " + plural(rooms, "room") + forKiosk
      case .closed: return "the kiosk is not in the space or room; join it with 'tappet matrix join'"
      case .unknown: return "no room has this address; correct 'unread_of'"
      case .tooLarge:
        return "the kiosk has too many rooms, spaces and invitations: leave or decline some with 'tappet matrix leave' "
          + "('tappet matrix list' shows them), and reload"
      }
    }
  }
}

extension KioskStatus.Rooms {
  /// Whether the kiosk hears and posts, with or without a last will and a count of unread messages.
  package var isGood: Bool {
    switch self {
    case .good, .withoutWill, .withoutUnread: true
    case .failing, .lost: false
    }
  }

  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .good: "good"
      case .withoutWill(let state): "good, but without a last will: " + state.sentence
      case .withoutUnread(let unread): "good, but unread messages are not counted: " + unread.sentence
      case .failing(let fault): fault.sentence("the homeserver")
      case .lost(let loss): loss.sentence(Helper.rooms.program)
      }
    }
  }
}

extension Helper {
  /// The name of the program; those of webhooks and rooms are in packages of the same names.
  var program: String {
    switch self {
    case .reader: "tappet-reader"
    case .webhooks: "tappet-webhook"
    case .inventory: "tappet-inventory"
    case .rooms: "tappet-matrix"
    }
  }
}

extension KioskStatus {
  /// Returns the reply to `!status`: the state of the parts, and the commands available in this room.
  ///
  /// Names of hosts and files are omitted, because not everyone in a room needs to know them.
  @export(interface)
  package func roomText(_ configuration: KioskConfiguration, _ room: String) -> String {
    var parts = KioskPart.allCases.compactMap { part in
      state(of: part, configuration).map { "\(part.rawValue) \($0.code)" }
    }
    for (output, state) in zip(configuration.panel.outputs, outputs) {
      parts.append("\(output.plan.name) \(!state.isAvailable ? "missing" : state.isOn ? "on" : "off")")
    }
    var words: [String] = []
    if let plan = configuration.commands.first(where: { $0.topic == room }) {
      words += plan.actions.map { "!" + $0 }
      let requests = OutputRequest.allCases.map { $0.rawValue }.joined(separator: "|")
      words += plan.outputs.map { "!\($0) \(requests)" }
      if plan.managesPeople { words += ["!suspend NAME", "!resume NAME"] }
    }
    return parts.joined(separator: ", ") + ". Commands: " + (words + ["!status", "!history"]).joined(separator: ", ")
  }
}
