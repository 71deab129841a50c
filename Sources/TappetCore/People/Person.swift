// A person who owns tags. A secret specifies its owner, so a tag belongs to a person as long as its secret does.

/// A person known to the kiosk; all references share the same object.
package final class Person: Sendable {
  /// The person's id, a lower-case UUID of 36 characters.
  package let id: String
  /// Unique name, for display and in messages.
  package let name: String
  /// Whether all of the person's tags are temporarily refused.
  package let isSuspended: Bool
  /// Time at which the person was added, in seconds since 1970.
  package let createdUnixSeconds: Int64
  /// The limits that apply to all of the person's tags together.
  package let limits: PersonLimits?
  /// Whether the person was added by one of the site's bundles, which can also remove the person.
  package let isOfSite: Bool

  @export(interface)
  package init(
    id: String, name: String, isSuspended: Bool = false, createdUnixSeconds: Int64, limits: PersonLimits? = nil,
    isOfSite: Bool = false
  ) {
    self.id = id
    self.name = name
    self.isSuspended = isSuspended
    self.createdUnixSeconds = createdUnixSeconds
    self.limits = limits
    self.isOfSite = isOfSite
  }

  /// Returns a copy of the person with the given name or suspension state; `nil` keeps the current value.
  package func with(name: String? = nil, isSuspended: Bool? = nil) -> Person {
    Person(
      id: id, name: name ?? self.name, isSuspended: isSuspended ?? self.isSuspended,
      createdUnixSeconds: createdUnixSeconds, limits: limits, isOfSite: isOfSite)
  }

  /// Returns a copy of the person with the given limits; `nil` means no limits.
  package func limited(to limits: PersonLimits?) -> Person {
    Person(
      id: id, name: name, isSuspended: isSuspended, createdUnixSeconds: createdUnixSeconds, limits: limits,
      isOfSite: isOfSite)
  }

  /// Returns a copy of the person that is marked as belonging to the site.
  package func ofSite() -> Person {
    Person(
      id: id, name: name, isSuspended: isSuspended, createdUnixSeconds: createdUnixSeconds, limits: limits,
      isOfSite: true)
  }
}

/// The reason why a person cannot be added, changed or found.
package enum PersonError: Error, Hashable, Sendable {
  /// The name is empty.
  case nameMissing
  case name(NameFault)
  /// A person with this name already exists, possibly with other capital letters.
  case nameTaken(String)
  /// No person has this name; `nearest` is the most similar one.
  case unknown(String, nearest: String?)
  /// The maximum number of people has been reached.
  case limitReached(max: Int)
}

extension String {
  /// The reason why the text is not a valid name for a person; `nil` if it is valid.
  package var personNameFault: PersonError? {
    isEmpty ? .nameMissing : nameFault().map { .name($0) }
  }
}
