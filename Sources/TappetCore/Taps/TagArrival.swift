// Notes about a tap, which are stored in the commit of its entry.

/// A tag that has arrived, and whose removal is pending.
package struct TagArrival: Hashable, Sendable {
  /// The entry created by the arrival.
  package var entry: EntryID
  /// The action's name.
  package var action: String
  /// The tag whose removal ends the arrival; `nil` means that the next tap of the action ends it.
  package var uid: TagUID?
  /// The facts that the removal's message may use, besides the time; the person is stored by id, since names are
  /// sealed.
  package var tag: String?
  package var person: String?
  package var text: String
  package var count: Int64?

  /// An arrival with these facts.
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

/// Notes that are written together with an entry.
package struct EntryNotes: Hashable, Sendable {
  /// The number of accepted taps of the tag, including this one; `nil` if it is not needed.
  package var count: Int64?
  /// The arrival whose removal is pending from now on.
  package var arrival: TagArrival?
  /// The entry of the arrival that this entry ends.
  package var ended: EntryID?
  /// The ticket that the entry uses.
  package var ticket: String?
  /// The tag's id in Home Assistant; not stored.
  package var homeAssistantID: String?

  /// Notes with these values; empty by default.
  @export(interface)
  package init(
    count: Int64? = nil, arrival: TagArrival? = nil, ended: EntryID? = nil, ticket: String? = nil,
    homeAssistantID: String? = nil
  ) {
    self.count = count
    self.arrival = arrival
    self.ended = ended
    self.ticket = ticket
    self.homeAssistantID = homeAssistantID
  }
}
