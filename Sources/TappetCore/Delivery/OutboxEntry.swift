// An accepted tap that is pending delivery, as represented in the store.

/// The cause of an entry; determines which light shows its delivery.
package enum Trigger: UInt8, Hashable, Sendable {
  case tag = 1
  case button = 2
  /// A command from the broker or a room.
  case command = 3
  /// A change in the inventory, or an item that has run low.
  case inventory = 4
  /// An input of the panel: a door that was forced or held open.
  case input = 5
}

/// The destination of an entry; the raw values are used in the store.
package enum Destination: Int64, CaseIterable, Hashable, Sendable {
  case broker = 0
  case webhook = 1
}

/// The time until which an entry may be sent.
package enum Expiry: Hashable, Sendable {
  /// For an entry accepted since boot; immune to steps of the wall clock.
  case at(Instant)
  /// For an entry accepted before the last boot, in milliseconds since 1970; requires a good wall clock.
  case atUnixMilliseconds(Int64)
}

extension Expiry {
  func isOver(at now: Moment) -> Bool {
    switch self {
    case .at(let instant): instant <= now.instant
    case .atUnixMilliseconds(let time): time <= now.unixMilliseconds
    }
  }

  /// Returns the time that is left; not positive if it is over.
  @export(interface)
  package func remaining(at now: Moment) -> Duration {
    switch self {
    case .at(let instant): return instant - now.instant
    case .atUnixMilliseconds(let time):
      // The wall clock may be set to any time.
      let (left, overflow) = time.subtractingReportingOverflow(now.unixMilliseconds)
      return .milliseconds(overflow ? .max : left)
    }
  }
}

extension PayloadTemplate {
  /// Size of the template in bytes, which counts towards the outbox limit.
  package var size: Int { text.utf8.count }
}

/// One accepted tap that its destination has not acknowledged yet.
package struct OutboxEntry: Hashable, Sendable {
  /// Sequence number assigned by the store at the commit; ascending in the order of acceptance.
  package var sequence: Int64
  /// Time of acceptance on the monotonic clock; `nil` if the entry was fetched from the store.
  package var acceptedAt: Instant?
  /// The time until which the entry may be sent.
  package var expiry: Expiry
  /// Number of connections closed with the entry in flight, as of the time the entry was fetched from the store.
  package var closes = 0
  /// For an entry that expired, the reason code with which the broker last refused the action's messages for now.
  package var refusal: Int32?
  private let acceptance: Acceptance

  /// The immutable properties, fixed at the time of the tap.
  ///
  /// Stored by reference, because an entry is passed to the store, the broker, the outbox and a report.
  private final class Acceptance: Sendable {
    let id: EntryID
    let action: String
    let topic: String
    let message: PayloadTemplate
    let isRetained: Bool
    let trigger: Trigger
    let unixMilliseconds: Int64
    let destination: Destination
    let webhookBody: PayloadTemplate?
    let uid: TagUID?
    let tag: String?
    let person: Person?
    let notes: EntryNotes

    init(
      id: EntryID, action: String, topic: String, message: PayloadTemplate, isRetained: Bool, trigger: Trigger,
      unixMilliseconds: Int64, destination: Destination, webhookBody: PayloadTemplate?, uid: TagUID?, tag: String?,
      person: Person?, notes: EntryNotes
    ) {
      self.id = id
      self.action = action
      self.topic = topic
      self.message = message
      self.isRetained = isRetained
      self.trigger = trigger
      self.unixMilliseconds = unixMilliseconds
      self.destination = destination
      self.webhookBody = webhookBody
      self.uid = uid
      self.tag = tag
      self.person = person
      self.notes = notes
    }
  }

  /// Creates an accepted entry; `sequence` is 0 until the store has committed the entry.
  @export(interface)
  package init(
    sequence: Int64 = 0, id: EntryID, action: String, topic: String, message: PayloadTemplate, isRetained: Bool,
    trigger: Trigger, acceptedUnixMilliseconds: Int64, acceptedAt: Instant? = nil, expiry: Expiry,
    destination: Destination = .broker, webhookBody: PayloadTemplate? = nil, uid: TagUID? = nil, tag: String? = nil,
    person: Person? = nil, notes: EntryNotes = EntryNotes()
  ) {
    self.sequence = sequence
    self.acceptedAt = acceptedAt
    self.expiry = expiry
    acceptance = Acceptance(
      id: id, action: action, topic: topic, message: message, isRetained: isRetained, trigger: trigger,
      unixMilliseconds: acceptedUnixMilliseconds, destination: destination, webhookBody: webhookBody, uid: uid,
      tag: tag, person: person, notes: notes)
  }

  /// The id of the entry, also used outside this process.
  package var id: EntryID { acceptance.id }
  /// The action's name; its title and cooldown may have changed since.
  package var action: String { acceptance.action }
  /// The topic at the time of the tap.
  package var topic: String { acceptance.topic }
  /// The message at the time of the tap; its `%T` is filled in when the message is sent.
  package var message: PayloadTemplate { acceptance.message }
  /// MQTT's retain flag at the time of the tap.
  package var isRetained: Bool { acceptance.isRetained }
  /// The cause of the entry, such as a tag or a button.
  package var trigger: Trigger { acceptance.trigger }
  /// Time of acceptance in milliseconds since 1970, by the wall clock at that time.
  package var acceptedUnixMilliseconds: Int64 { acceptance.unixMilliseconds }

  /// The destination of the entry.
  package var destination: Destination { acceptance.destination }
  /// The webhook body of an entry that also goes to the broker, until both are committed.
  package var webhookBody: PayloadTemplate? { acceptance.webhookBody }
  /// The UID of the tag; `nil` if there was no tag, or if the entry was fetched from the store.
  package var uid: TagUID? { acceptance.uid }
  /// The label of the tag's secret; `nil` in the same cases.
  package var tag: String? { acceptance.tag }
  /// The person who owns the tag; `nil` in the same cases.
  package var person: Person? { acceptance.person }
  /// Notes that are committed with the entry.
  package var notes: EntryNotes { acceptance.notes }
  /// The ticket that the entry uses; the use is counted in the same commit.
  package var ticket: String? { acceptance.notes.ticket }
  /// Label and owner of the tag; `nil` if neither is known.
  package var owner: TagOwner? { tag == nil && person == nil ? nil : TagOwner(label: tag, person: person) }

  /// The originator of the entry; `nil` if it was fetched from the store.
  package var by: Originator? { acceptance.notes.by }

  /// The webhook entry, which has the same id as the broker entry and is committed together with it.
  package var forWebhook: OutboxEntry? {
    @export(interface) get {
      guard destination == .broker else { return self }
      guard let body = webhookBody else { return nil }
      return OutboxEntry(
        id: id, action: action, topic: "", message: body, isRetained: false, trigger: trigger,
        acceptedUnixMilliseconds: acceptedUnixMilliseconds, acceptedAt: acceptedAt, expiry: expiry,
        destination: .webhook, uid: uid, tag: tag, person: person, notes: EntryNotes(by: notes.by))
    }
  }

  /// Compares the fields instead of the references.
  package static func == (one: OutboxEntry, other: OutboxEntry) -> Bool {
    one.sequence == other.sequence && one.acceptedAt == other.acceptedAt && one.expiry == other.expiry
      && one.closes == other.closes && one.id == other.id && one.action == other.action && one.topic == other.topic
      && one.message == other.message && one.isRetained == other.isRetained && one.trigger == other.trigger
      && one.acceptedUnixMilliseconds == other.acceptedUnixMilliseconds && one.destination == other.destination
      && one.webhookBody == other.webhookBody
  }

  /// Hashes the id, which identifies the entry.
  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
