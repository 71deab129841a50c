// A person who owns tags. The kiosk's secrets specify the owner: a tag belongs to a person as long as its secret does.

/// A person of the kiosk; all references share the same object.
package final class Person: Sendable {
  /// A UUID, lower-case, 36 characters.
  package let id: String
  /// Unique name, for display and in messages.
  package let name: String
  /// Whether all of the person's tags are temporarily refused.
  package let isSuspended: Bool
  /// Time at which the person was added, in seconds since 1970.
  package let createdUnixSeconds: Int64
  /// The limits of all of the person's tags together.
  package let limits: PersonLimits?
  /// Whether the person was added by a bundle of the site, which can also remove the person.
  package let isOfSite: Bool

  /// A person with these facts.
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

  /// Returns the same person with another name or suspension.
  package func with(name: String? = nil, isSuspended: Bool? = nil) -> Person {
    Person(
      id: id, name: name ?? self.name, isSuspended: isSuspended ?? self.isSuspended,
      createdUnixSeconds: createdUnixSeconds, limits: limits, isOfSite: isOfSite)
  }

  /// Returns the same person with other limits; `nil` means none.
  package func limited(to limits: PersonLimits?) -> Person {
    Person(
      id: id, name: name, isSuspended: isSuspended, createdUnixSeconds: createdUnixSeconds, limits: limits,
      isOfSite: isOfSite)
  }

  /// Returns the same person as a person of the site.
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
  /// A person with this name already exists.
  case nameTaken(String)
  /// There is no person with this name.
  case unknown(String)
  /// The maximum number of people has been reached.
  case limitReached(max: Int)
}

extension String {
  /// The reason why this text cannot be a person's name; `nil` if it can.
  package var personNameFault: PersonError? {
    isEmpty ? .nameMissing : nameFault().map { .name($0) }
  }
}
