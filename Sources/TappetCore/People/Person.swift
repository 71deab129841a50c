// A person who has tags. The kiosk's secrets say which: a tag is its person's as long as its secret is.

/// A person of the kiosk; everyone who holds one holds the same object.
package final class Person: Sendable {
  /// A UUID, lower-case, 36 characters.
  package let id: String
  /// The name for people and messages; unique.
  package let name: String
  /// Whether all of their tags are refused for the time being.
  package let isSuspended: Bool
  /// When they were added, in seconds since 1970.
  package let createdUnixSeconds: Int64
  /// The limits of all of their tags together.
  package let limits: PersonLimits?
  /// Whether they came with a bundle of the site, and go with one.
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

  /// The same person under another name, or suspended, or not.
  package func with(name: String? = nil, isSuspended: Bool? = nil) -> Person {
    Person(
      id: id, name: name ?? self.name, isSuspended: isSuspended ?? self.isSuspended,
      createdUnixSeconds: createdUnixSeconds, limits: limits, isOfSite: isOfSite)
  }

  /// The same person with other limits; `nil` means none.
  package func limited(to limits: PersonLimits?) -> Person {
    Person(
      id: id, name: name, isSuspended: isSuspended, createdUnixSeconds: createdUnixSeconds, limits: limits,
      isOfSite: isOfSite)
  }

  /// The same person as one of the site.
  package func ofSite() -> Person {
    Person(
      id: id, name: name, isSuspended: isSuspended, createdUnixSeconds: createdUnixSeconds, limits: limits,
      isOfSite: true)
  }
}

/// Why a person cannot be added, changed or found.
package enum PersonError: Error, Hashable, Sendable {
  /// The name is empty.
  case nameMissing
  case name(NameFault)
  /// Somebody has this name.
  case nameTaken(String)
  /// Nobody has this name.
  case unknown(String)
  /// There are as many as there may be.
  case limitReached(max: Int)
}

extension String {
  /// Why this text cannot be a person's name; `nil` if it can.
  package var personNameFault: PersonError? {
    isEmpty ? .nameMissing : nameFault().map { .name($0) }
  }
}
