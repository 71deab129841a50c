// Reports to users. TappetMessages turns the reports into sentences.

/// The reason why a tap or a press was refused, in the order of the checks (docs/formats.md, "Tag URL").
package indirect enum TapRefusal: Error, Hashable, Sendable {
  /// The tag could not be read.
  case unreadable(TagFault)
  /// The tag was read, but contains no tag URL.
  case content(TagContentError)
  /// The tag contains a malformed tag URL.
  case malformedURL(TagURLError)
  /// No action has this index.
  case noSuchAction(index: Int64)
  /// The action has no secret.
  case noTagConfigured(action: String)
  /// The signature does not match any of the action's secrets.
  case invalidSignature(action: String)
  /// The tag is genuine, but its action no longer accepts this index, or is not configured.
  case strayIndex(Int64, action: String, isConfigured: Bool)
  /// The URL was written to a different tag, to which the action binds it.
  case copiedURL(action: String)
  /// The tag is genuine, but its person is suspended.
  case personSuspended(action: String, person: String)
  /// The action is not allowed at this time.
  case wrongTime(action: String, TimeFault)
  /// The person is not allowed to act at this time.
  case limitedPerson(action: String, person: String, TimeFault)
  /// An input does not have the level that the action, or one of its outputs, requires.
  case unmet(action: String, UnmetRequirement)
  /// The person has no uses left.
  case usedUp(action: String, person: String)
  /// The person has limits, which are checked only at the reader.
  case commandOfLimitedPerson(action: String)
  /// The action must not be queued, and the broker is unavailable.
  case brokerAway(action: String)
  /// The action must not be queued, and the last request to its webhook's server failed.
  case webhookAway(action: String)
  /// The action needs confirmation in a room, but the kiosk is not listening to the room.
  case nobodyToAsk(action: String)
  /// The outbox has no room for the entry; it currently contains `count` entries of `size` bytes in total.
  case outboxFull(action: String, count: Int, size: Int)
  /// The entry could not be stored.
  case notStored(action: String, StoreFault)
  /// The buttons are locked.
  case panelLocked
  /// The inventory does not contain this tag or scanned code, or does not respond.
  case notInInventory(action: String, InventoryFault, code: String? = nil)
  /// The action drives an output or unlocks the panel, and its trigger can be copied: a barcode, or a change that one
  /// caused in the inventory.
  case needsProof(action: String)
  /// The press or the tap took place too long ago.
  case tooLate(age: Duration)
  /// The tag was refused or accepted too often recently, or too much was scanned; nothing is accepted for `wait`.
  case tooMany(wait: Duration, ofScans: Bool = false)
}

/// The reason why a tap was ignored.
package enum TapIgnored: Hashable, Sendable {
  /// The tag has stayed on the reader since its last tap.
  case held
  /// The action's cooldown has not expired yet.
  case cooldown(remaining: Duration)
}

/// The reason why a reader is considered lost.
package enum ReaderLoss: Hashable, Sendable {
  /// The process reported a reader fault; `code` is libnfc's error code.
  case fault(ReaderFault, code: Int32)
  /// The process exited without sending a message.
  case ended(ProcessEnd)
  /// The process hangs and sends nothing.
  case silent
  /// The process sent bytes that are not a message.
  case malformed(WireError)
  /// The process could not be started; `code` is the errno.
  case notStarted(code: Int32)
}

/// The reason why an accepted entry is queued.
package enum QueueReason: Hashable, Sendable {
  case linkDown
  case clockUnknown
  /// The last request to the entry's webhook server failed.
  case webhookFails
  /// The entry is for Home Assistant, which has announced its shutdown.
  case homeAssistantAway
  case behindOthers(count: Int)
  /// The broker refused the action's last message for now; `code` is the reason code.
  case brokerRefuses(code: Int32)
  /// The entry had been given up, and a user requested that it be sent again.
  case retried
}

/// The reason why a confirmation failed.
package enum ConfirmationEnd: Hashable, Sendable {
  /// The time limit has expired.
  case timeUp
  /// A different button was pressed, or a different tag arrived.
  case otherTouch
  /// The tag was removed, or its reader was lost.
  case tagGone
  /// The device that asked has cancelled it.
  case cancelled
  /// The panel was locked, the configuration changed, or the kiosk no longer listens to the room or is stopping.
  case closed
  /// A user in the room refused.
  case refusedInRoom(by: String)
}

/// A report, grouped by subject.
package enum Report: Sendable {
  case tap(TapReport)
  indirect case entry(EntryReport)
  case reader(ReaderReport)
  case link(LinkReport)
  case webhook(WebhookReport)
  /// A report about any helper except the reader, which has its own case.
  case helper(Helper, HelperReport)
  case store(StoreReport)
  case clock(ClockReport)
  case panel(PanelReport)
  indirect case output(OutputReport)
  indirect case input(InputReport)
  indirect case command(CommandReport)
  indirect case room(RoomReport)
  case site(SiteReport)
  /// A tap or a scan looked up an inventory object, or moved it.
  indirect case inventory(InventoryReport)
  /// A job at the shelf has started or ended.
  indirect case job(InventoryJobReport)
  /// The scanner was opened, and `errno` is 0; or it could not be opened, for the reason in `errno`.
  case scanner(errno: Int32)
  /// Accepted entries from the previous run are pending.
  case outboxRestored(count: Int)
  case stopping(unacknowledged: Int)
}

/// A report about a tap, a press or a scan that created no entry.
package enum TapReport: Sendable {
  indirect case refused(by: Originator, uid: TagUID?, TapRefusal, TagOwner? = nil)
  indirect case ignored(uid: TagUID, action: String?, TapIgnored, TagOwner? = nil)
  /// Number of further refusals and ignored taps within the minute that were not reported individually.
  case refusedMore(count: Int)
  /// An action without a message was performed.
  indirect case performed(action: String, by: Originator, uid: TagUID?, TagOwner? = nil)
  /// A confirmation is pending; `room` is the room in which to confirm, if not at the kiosk.
  indirect case confirming(action: String, Trigger, within: Duration, room: String? = nil)
  indirect case confirmationEnded(action: String, ConfirmationEnd)
}

/// A report about an entry of the outbox.
package enum EntryReport: Sendable {
  case accepted(OutboxEntry, uid: TagUID?)
  case queued(OutboxEntry, QueueReason)
  /// `isHeard` is false if the broker acknowledged the entry, but its topic has no subscriber.
  case delivered(OutboxEntry, after: Duration?, isHeard: Bool = true)
  /// The entry was part of a long backlog, which the log reports as a count: `deliveredMore`.
  case deliveredOfMany(OutboxEntry, isHeard: Bool = true)
  /// Number of entries that were delivered, but not logged individually.
  case deliveredMore(count: Int)
  case expired(OutboxEntry)
  /// A user removed the entry from the outbox.
  case dropped(OutboxEntry)
  /// The entry was one of hundreds that a user removed, which the log reports as a count: `droppedMore`.
  case droppedOfMany(OutboxEntry)
  /// Number of entries that were removed together, but not logged individually.
  case droppedMore(count: Int)
  /// The broker will never accept the entry; `code` is MQTT's reason code, or `nil` if no message could be built.
  case undeliverable(OutboxEntry, code: Int32?)
  /// The webhook will never accept the entry.
  case givenUp(OutboxEntry, WebhookRefusal)
  /// The broker closes the connection when it receives the entry, so the entry waits for all others; `endpoint` is
  /// the broker's index.
  case setAside(OutboxEntry, endpoint: Int)

  /// The entry of the report; `nil` if it covers several entries.
  package var entry: OutboxEntry? {
    @export(interface) get {
      switch self {
      case .accepted(let entry, _), .queued(let entry, _), .delivered(let entry, _, _), .deliveredOfMany(let entry, _),
        .expired(let entry), .dropped(let entry), .droppedOfMany(let entry), .undeliverable(let entry, _),
        .givenUp(let entry, _), .setAside(let entry, _):
        entry
      case .deliveredMore, .droppedMore: nil
      }
    }
  }
}

package enum ReaderReport: Sendable {
  case ready(device: String)
  case lost(ReaderLoss)
}

/// A report about the connection to the broker; an endpoint is specified by its index in the configuration.
package enum LinkReport: Sendable {
  case connected(endpoint: Int, usesFallback: Bool = false)
  /// The endpoint does not support MQTT 5, so MQTT 5 is not tried again for this duration.
  case didFallBack(endpoint: Int, LinkFailure, for: Duration)
  /// The endpoint does not support retained messages, so it does not keep the status.
  case withoutRetained(endpoint: Int)
  case failed(endpoint: Int, LinkFailure, retryIn: Duration)
  case lost(endpoint: Int, LinkFailure, retryIn: Duration)
  case storm(losses: Int, rest: Duration)
  case closed
}

package enum WebhookReport: Sendable {
  /// A request failed; the action's server is retried after `retryIn`.
  case waits(action: String, WebhookFault, retryIn: Duration)
  /// The action's server accepts requests again.
  case back(action: String)
}

package enum HelperReport: Sendable {
  /// The helper is not running although it should be.
  case lost(HelperLoss)
  /// The helper is running again.
  case back
}

package enum StoreReport: Sendable {
  case trouble(StoreFault)
  case recovered
}

/// A report about the clock, or about expiring certificates.
package enum ClockReport: Sendable {
  case good
  case unknown
  /// Days until the first certificate expires; negative if it has expired.
  case certificateExpiring(daysLeft: Int)
  /// The certificates in use are valid for long enough again.
  case certificatesGood
}

package enum PanelReport: Sendable {
  case lost(PanelPart, PanelFault)
  case recovered(PanelPart)
  /// The button was already pressed when its line was opened.
  case buttonStuck(Int)
  /// The button does not stop bouncing.
  case buttonChattering(Int)
  case buttonRecovered(Int)
  case locked
  case unlocked(Trigger)
  /// A wrong code was entered; no code is accepted for the duration `wait`.
  case codeRefused(wait: Duration)
}

package enum OutputReport: Sendable {
  case switched(Int, isOn: Bool, OutputReason)
  /// The output waits for the dead time of its group.
  case waits(Int, Duration, OutputCause)
  case refused(OutputOrder, OutputCause, OutputRefusal)

  /// The cause of the request; `nil` if the output changed for another reason.
  package var cause: OutputCause? {
    switch self {
    case .switched(_, _, .asked(let cause)), .waits(_, _, let cause), .refused(_, let cause, _): cause
    case .switched: nil
    }
  }
}

package enum CommandReport: Sendable {
  /// A command on this topic or in this room passed all checks.
  case accepted(topic: String, CommandTarget, by: Originator)
  /// A command was refused; its target is `nil` if it could not be parsed.
  case refused(topic: String, CommandTarget?, CommandRefusal, by: Originator)
  /// Number of further commands that were refused within the minute, but not reported individually.
  case refusedMore(count: Int)
  case subscribed(topic: String, isGranted: Bool)
}

/// A report about rooms: those in which the kiosk accepts commands, those that it joins, and the edits of its messages.
package enum RoomReport: Sendable {
  /// Whether the kiosk accepts commands from this room.
  case access(room: String, RoomAccess)
  /// A user who may send commands wrote something that cannot be read.
  case unreadable(UnreadableLine)
  /// The homeserver did not respond; the request is retried.
  case failing(WebhookFault)
  /// The homeserver responds again.
  case listening
  /// The message of a tap reports the tap's outcome.
  case edited(RoomEdit)
  /// The message of a tap will not report the tap's outcome.
  case editDropped(RoomEdit, RoomEditLoss)
  /// The kiosk accepted an invitation; the fault is the reason why it is not in the room.
  case joined(RoomInvitation, WebhookFault?)
  /// The state of the last will has changed.
  case will(RoomWillState)
  /// The unread messages under `unread_of` cannot be counted, or can be counted again.
  case unread(RoomUnread)
}

/// A report about the people that a site shares.
package enum SiteReport: Sendable {
  /// The people of a bundle are in force.
  case applied(SiteRecord)
  case refused(SiteRefusal)
  /// The broker refused the subscription to the site's topic.
  case denied
}

extension Report {
  /// Whether the log contains the report only as part of a count.
  package var isOneOfMany: Bool {
    switch self {
    case .entry(.deliveredOfMany), .entry(.droppedOfMany): true
    default: false
    }
  }

  /// Whether the report is about an entry caused by an inventory change rather than a tap, press or command.
  package var isOfInventoryNews: Bool {
    if case .entry(let report) = self { report.entry?.trigger == .inventory } else { false }
  }
}
