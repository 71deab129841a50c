// Notes about a tap, which are committed together with its entry.

/// The arrival of a tag whose removal is pending.
package struct TagArrival: Hashable, Sendable {
  /// The entry created by the arrival.
  package var entry: EntryID
  /// The action's name.
  package var action: String
  /// The tag whose removal ends the arrival; `nil` means that the next tap of the action ends it.
  package var uid: TagUID?
  /// The tag's label.
  ///
  /// The removal's message may use the label and the next three values. The person is stored by id, as names are
  /// sealed.
  package var tag: String?
  package var person: String?
  package var text: String
  package var count: Int64?

  @export(interface)
  package init(
    entry: EntryID, action: String, uid: TagUID?, tag: String? = nil, person: String? = nil, text: String = "",
    count: Int64? = nil
  ) {
    self.entry = entry
    self.action = action
    self.uid = uid
    self.tag = tag
    self.person = person
    self.text = text
    self.count = count
  }
}

/// Notes that are stored together with an entry.
package struct EntryNotes: Hashable, Sendable {
  /// Number of accepted taps of the tag, including this tap; `nil` if it is not needed.
  package var count: Int64?
  /// The arrival created by the entry, whose removal is then pending.
  package var arrival: TagArrival?
  /// The entry of the arrival that this entry ends.
  package var ended: EntryID?
  /// The ticket that the entry uses.
  package var ticket: String?
  /// The tag's id in Home Assistant; not stored.
  package var homeAssistantID: String?
  /// Whether the message in the room will report the outcome of the entry.
  package var isReported: Bool
  /// The originator of the entry; not stored, because the tap log contains it.
  package var by: Originator?

  /// Creates notes, which are empty by default.
  @export(interface)
  package init(
    count: Int64? = nil, arrival: TagArrival? = nil, ended: EntryID? = nil, ticket: String? = nil,
    homeAssistantID: String? = nil, isReported: Bool = false, by: Originator? = nil
  ) {
    self.count = count
    self.arrival = arrival
    self.ended = ended
    self.ticket = ticket
    self.homeAssistantID = homeAssistantID
    self.isReported = isReported
    self.by = by
  }
}
