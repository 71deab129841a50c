// Facts worth reporting to a person. TappetMessages turns them into sentences.

/// Why a tap or a press was not accepted, in the order of the checks (docs/formats.md, "Tag URL").
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
  /// None of the action's secrets made this signature.
  case invalidSignature(action: String)
  /// The tag is genuine, but its action does not accept this index any more, or is not configured.
  case strayIndex(Int64, action: String, isConfigured: Bool)
  /// The URL was written to another tag, and the action binds it to that.
  case copiedURL(action: String)
  /// The tag is genuine, but its person is suspended.
  case personSuspended(action: String, person: String)
  /// The action may not be done now.
  case wrongTime(action: String, TimeFault)
  /// The person may not act now.
  case limitedPerson(action: String, person: String, TimeFault)
  /// The person has no use left.
  case usedUp(action: String, person: String)
  /// The person has limits, which are judged at the reader alone.
  case commandOfLimitedPerson(action: String)
  /// The action must not be queued, and the broker is away.
  case brokerAway(action: String)
  /// The action must not be queued, and its webhook's server failed last time.
  case webhookAway(action: String)
  /// The action is confirmed in a room, which is not heard now.
  case nobodyToAsk(action: String)
  /// The outbox has no room for its entry; the outbox's current numbers.
  case outboxFull(action: String, count: Int, size: Int)
  /// The disk did not take the entry.
  case notStored(action: String, StoreFault)
  /// The buttons are locked.
  case panelLocked
  /// The inventory has nothing of this tag or code, or does not answer.
  case notInInventory(action: String, InventoryFault)
  /// This tag was refused, or accepted, too often lately; it is rejected for this time.
  case tooMany(wait: Duration)
}

/// Why a tap was neither accepted nor refused.
package enum TapIgnored: Hashable, Sendable {
  /// The tag has stayed on the reader since its last tap.
  case held
  /// The action's cooldown is not over.
  case cooldown(remaining: Duration)
}

/// Why a reader was given up.
package enum ReaderLoss: Hashable, Sendable {
  /// It reported a failure of its own; libnfc's code.
  case fault(ReaderFault, code: Int32)
  /// It ended without a message.
  case ended(ProcessEnd)
  /// It hangs and sends nothing.
  case silent
  /// It sent bytes that are not a message.
  case malformed(ReaderMessageError)
  /// It could not be started; an errno.
  case notStarted(code: Int32)
}

/// Why an accepted entry waits.
package enum QueueReason: Hashable, Sendable {
  case linkDown
  case clockUnknown
  /// Its webhook's server failed last time.
  case webhookFails
  /// Home Assistant, for which it is, has said that it ends.
  case homeAssistantAway
  case behindOthers(count: Int)
}

/// Why a confirmation failed.
package enum ConfirmationEnd: Hashable, Sendable {
  /// The time for it is over.
  case timeUp
  /// Another button was pressed, or another tag came.
  case otherTouch
  /// The tag was taken away, or its reader was lost.
  case tagGone
  /// The panel was locked, the configuration changed, the room is not heard any more, or the kiosk ends.
  case closed
  /// Somebody in the room said no.
  case refusedInRoom(by: String)
}

/// One fact to report, by its subject.
package enum Report: Sendable {
  case tap(TapReport)
  indirect case entry(EntryReport)
  case reader(ReaderReport)
  case link(LinkReport)
  case webhook(WebhookReport)
  /// Of each but the reader, which has a subject of its own.
  case helper(Helper, HelperReport)
  case store(StoreReport)
  case clock(ClockReport)
  case panel(PanelReport)
  indirect case output(OutputReport)
  indirect case command(CommandReport)
  case room(RoomReport)
  case site(SiteReport)
  /// A tap or a scan showed a thing, or moved it.
  indirect case inventory(InventoryReport)
  /// The scanner was opened, or, with an errno, is missing.
  case scanner(errno: Int32)
  /// Accepted entries wait from the last run.
  case outboxRestored(count: Int)
  case stopping(unacknowledged: Int)
}

/// Of a tap, a press or a scan that made no entry.
package enum TapReport: Sendable {
  indirect case refused(trigger: Trigger, uid: TagUID?, TapRefusal, TagOwner? = nil)
  indirect case ignored(uid: TagUID, action: String?, TapIgnored, TagOwner? = nil)
  /// This number of further refusals and ignored taps within the minute was not reported one by one.
  case refusedMore(count: Int)
  /// An action without a message did all that it does.
  indirect case performed(action: String, Trigger, uid: TagUID?, TagOwner? = nil)
  /// `room`: where the answer is awaited, if not at the kiosk.
  indirect case confirming(action: String, Trigger, within: Duration, room: String? = nil)
  indirect case confirmationEnded(action: String, ConfirmationEnd)
}

/// Of an entry of the outbox.
package enum EntryReport: Sendable {
  case accepted(OutboxEntry, uid: TagUID?)
  case queued(OutboxEntry, QueueReason)
  /// `isHeard` is false when the broker has it, but its topic has no subscriber.
  case delivered(OutboxEntry, after: Duration?, isHeard: Bool = true)
  /// It was one of a long backlog, which the log reports as a number: `deliveredMore`.
  case deliveredOfMany(OutboxEntry)
  /// This number of entries was delivered and not logged one by one.
  case deliveredMore(count: Int)
  case expired(OutboxEntry)
  /// A person removed it from the outbox.
  case dropped(OutboxEntry)
  /// It was one of hundreds that a person removed, which the log reports as a number: `droppedMore`.
  case droppedOfMany(OutboxEntry)
  /// This number of entries was removed at once and not logged one by one.
  case droppedMore(count: Int)
  /// The broker will never take it; MQTT's reason code, or `nil` when no message could be made.
  case undeliverable(OutboxEntry, code: Int32?)
  /// Its webhook will never take it.
  case givenUp(OutboxEntry, WebhookRefusal)
  /// The broker closes the connection at it, so it waits behind all others; the broker's index.
  case setAside(OutboxEntry, endpoint: Int)

  /// The entry that it is about; `nil` when it is about a number of them.
  package var entry: OutboxEntry? {
    switch self {
    case .accepted(let entry, _), .queued(let entry, _), .delivered(let entry, _, _), .deliveredOfMany(let entry),
      .expired(let entry), .dropped(let entry), .droppedOfMany(let entry), .undeliverable(let entry, _),
      .givenUp(let entry, _), .setAside(let entry, _):
      entry
    case .deliveredMore, .droppedMore: nil
    }
  }
}

package enum ReaderReport: Sendable {
  case ready(device: String)
  case lost(ReaderLoss)
}

/// Of the connection to the broker; an endpoint is its index in the configuration.
package enum LinkReport: Sendable {
  case connected(endpoint: Int, usesFallback: Bool = false)
  /// The endpoint does not take MQTT 5, and is not asked again for this time.
  case didFallBack(endpoint: Int, LinkFailure, for: Duration)
  /// The endpoint keeps no retained messages, and so no status.
  case withoutRetained(endpoint: Int)
  case failed(endpoint: Int, LinkFailure, retryIn: Duration)
  case lost(endpoint: Int, LinkFailure, retryIn: Duration)
  case storm(losses: Int, rest: Duration)
  case closed
}

package enum WebhookReport: Sendable {
  /// A request failed; the action's server is asked again then.
  case waits(action: String, WebhookFault, retryIn: Duration)
  /// The action's server takes requests again.
  case back(action: String)
}

package enum HelperReport: Sendable {
  /// It does not run although it should.
  case lost(HelperLoss)
  /// It works again.
  case back
}

package enum StoreReport: Sendable {
  case trouble(StoreFault)
  case recovered
}

/// Of the clock, and of what ends with time.
package enum ClockReport: Sendable {
  case good
  case unknown
  /// The days left until the first certificate expires; negative when it has expired.
  case certificateExpiring(daysLeft: Int)
  /// The certificates in use are valid for long enough again.
  case certificatesGood
}

package enum PanelReport: Sendable {
  case lost(PanelPart, PanelFault)
  case recovered(PanelPart)
  /// The button was pressed before anybody could have pressed it.
  case buttonStuck(Int)
  /// The button does not come to rest.
  case buttonChattering(Int)
  case buttonRecovered(Int)
  case locked
  case unlocked(Trigger)
  /// A wrong code; no code is accepted for this time.
  case codeRefused(wait: Duration)
}

package enum OutputReport: Sendable {
  case switched(Int, isOn: Bool, OutputReason)
  /// It waits for the dead time of its group.
  case waits(Int, Duration, OutputCause)
  case refused(OutputOrder, OutputCause, OutputRefusal)
}

package enum CommandReport: Sendable {
  /// A command on this topic, or from this user in this room, passed all checks.
  case accepted(topic: String, CommandTarget, by: String? = nil)
  /// Its wish is `nil` when that could not be read.
  case refused(topic: String, CommandTarget?, CommandRefusal, by: String? = nil)
  /// This number of further commands within the minute was refused and not reported one by one.
  case refusedMore(count: Int)
  case subscribed(topic: String, isGranted: Bool)
}

/// Of the rooms in which the kiosk takes commands.
package enum RoomReport: Sendable {
  /// Whether the kiosk takes commands from this room.
  case access(room: String, RoomAccess)
  /// The homeserver did not answer; it is asked again.
  case failing(WebhookFault)
  /// The homeserver answers again.
  case listening
}

/// Of the people that a site shares.
package enum SiteReport: Sendable {
  /// The people of a bundle are in force.
  case applied(SiteRecord)
  case refused(SiteRefusal)
  /// The broker does not let the kiosk read the site's topic.
  case denied
}

extension Report {
  /// Whether the log has it only as a part of a number.
  package var isOneOfMany: Bool {
    switch self {
    case .entry(.deliveredOfMany), .entry(.droppedOfMany): true
    default: false
    }
  }

  /// Whether it is about an entry that nobody's tap, press or command made.
  package var isOfInventoryNews: Bool {
    if case .entry(let report) = self { report.entry?.trigger == .inventory } else { false }
  }
}
