// Whose tag it was: what reports and the log of taps say beside the UID.

/// The label and the person of a genuine tag.
package struct TagOwner: Sendable {
  /// Its name for people.
  package var label: String?
  /// The person whose it is.
  package var person: Person?

  /// A label and a person.
  package init(label: String?, person: Person?) {
    self.label = label
    self.person = person
  }
}
