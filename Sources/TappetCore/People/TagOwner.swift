// The owner of a tag, which reports and the log of taps show in addition to the UID.

/// The label and the person of a genuine tag.
package struct TagOwner: Sendable {
  /// The tag's display name.
  package var label: String?
  /// The person who owns the tag.
  package var person: Person?
  /// The tag's id in Home Assistant.
  package var homeAssistantID: String?

  /// A tag's owner from these parts.
  package init(label: String?, person: Person?, homeAssistantID: String? = nil) {
    self.label = label
    self.person = person
    self.homeAssistantID = homeAssistantID
  }
}
