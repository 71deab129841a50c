// The owner of a tag, shown in reports and the tap log in addition to the UID.

/// The label of a genuine tag, and the person who owns it.
package struct TagOwner: Sendable {
  /// The tag's display name.
  package var label: String?
  /// The person who owns the tag.
  package var person: Person?
  /// The tag's id in Home Assistant.
  package var homeAssistantID: String?

  package init(label: String?, person: Person?, homeAssistantID: String? = nil) {
    self.label = label
    self.person = person
    self.homeAssistantID = homeAssistantID
  }
}
