// Whose tag it was: what reports and the log of taps say beside the UID.

/// The label and the person of a genuine tag.
package struct TagOwner: Sendable {
  /// Its name for people.
  package var label: String?
  /// The person whose it is.
  package var person: Person?
  /// The id by which Home Assistant knows the tag.
  package var homeAssistantID: String?

  /// A tag's owner from these parts.
  package init(label: String?, person: Person?, homeAssistantID: String? = nil) {
    self.label = label
    self.person = person
    self.homeAssistantID = homeAssistantID
  }
}
