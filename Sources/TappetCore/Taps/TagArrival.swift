// Notes of the store about a tap, in the commit of its entry.

/// A tag that came, and whose removal is owed.
package struct TagArrival: Hashable, Sendable {
  /// The entry that its arrival made.
  package var entry: EntryID
  /// The action's name.
  package var action: String
  /// The tag whose leaving ends it; `nil` means that the next tap of the action does.
  package var uid: TagUID?
  /// The facts that the removal's message may name, besides the time; the person by id, since names are sealed.
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
  /// The number of accepted taps of its tag, this one included; `nil` where nobody asks for it.
  package var count: Int64?
  /// The removal that is owed from now on.
  package var arrival: TagArrival?
  /// The arrival, by its entry, that this entry ends.
  package var ended: EntryID?
  /// The ticket of which it is a use.
  package var ticket: String?
  /// The id by which Home Assistant knows the tag; not stored.
  package var homeAssistantID: String?

  /// Nothing, unless it is given.
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
