// The people of the stories, by the version of the secrets: who is suspended, who has hours, whose tag is a ticket of
// one use. And the rules: a suspended person's tag never acts, nobody acts outside their hours, and a ticket acts once,
// whatever dies in between.

import TappetCore

extension Cast {
  /// The person of each secret, by its index into `secrets`.
  private static let people: [[Int: Person]] = [
    [8: person("Cy")],
    [8: person("Cy"), 1: suspended, 2: weekday, 4: ticket("brief"), 5: ticket("door"), 7: ticket("gate")],
    [8: person("Cy"), 1: suspended, 2: weekday, 4: ticket("brief")],
    [0: weekday, 5: suspended, 7: ticket("gate")],
    [:],
  ]

  private static let suspended = Person(id: "s", name: "Ann", isSuspended: true, createdUnixSeconds: 1)
  private static let weekday = person("Ben", hours: ["Mon-Fri 08:00-18:00"])

  private static func ticket(_ name: String) -> Person { person("Ticket " + name, uses: 1, name) }

  private static func person(_ name: String, hours: [String] = [], uses: Int64? = nil, _ ticket: String = "") -> Person
  {
    guard let limits = try? PersonLimits(from: nil, until: nil, hours: hours, uses: uses, ticket: ticket) else {
      fatalError("limits")
    }
    return Person(id: name, name: name, createdUnixSeconds: 1, limits: limits)
  }

  /// The person of the secret of this index.
  static func person(of secret: Int, version: Int) -> Person? { people[version][secret] }

  /// The secrets of this version, with the uses that the disk has.
  static func loaded(_ version: Int, uses: [String: Int64]) -> [TagSecret] {
    secretVersions[version].map { number in
      var secret = secrets[number]
      guard let person = person(of: number, version: version) else { return secret }
      var limits = person.limits
      if let ticket = limits?.ticket { limits?.used = uses[ticket] ?? 0 }
      secret.person = person.limited(to: limits)
      return secret
    }
  }
}

/// The judge's memory of tickets.
struct TicketBook {
  /// The acts of each ticket that are on the disk, or on their way to it.
  var acts: [String: Set<EntryID>] = [:]
  /// The acts without an entry that wait for their commit, and their actions.
  var counting: [EntryID: String] = [:]
  /// The action whose count the current event brings.
  var counted: String?
  /// Whether the uses were lost with their database, so that tickets begin again at some time.
  var isLost = false

  /// The disk did not take it.
  mutating func failed(_ id: EntryID) { for ticket in acts.keys { acts[ticket]?.remove(id) } }

  /// Another process: only what the disk has counts.
  mutating func restart(_ isOnDisk: (EntryID) -> Bool) {
    for ticket in acts.keys { acts[ticket] = acts[ticket]?.filter { isOnDisk($0) } }
    counting = [:]
  }
}

extension World {
  /// The person of the card that lies there.
  private var lyingPerson: Person? {
    guard let card = lying?.card, let secret = Cast.cards[card].secret else { return nil }
    return Cast.person(of: secret, version: secretsNumber)
  }

  /// Whether Ben's hours are over, or nobody knows the time.
  private var isOutsideHours: Bool {
    let day = now.unixSeconds / 86_400
    let hour = now.unixSeconds % 86_400 / 3600
    return !clockIsGood || (day + 3) % 7 > 4 || !(8..<18).contains(hour)
  }

  /// Judges an act of the card that lies there; `id` names it on the disk.
  func judgePerson(_ id: EntryID, _ action: String) {
    guard let person = lyingPerson else { return }
    if person.isSuspended { fail("a suspended person's tag acted") }
    if person.limits?.times.hours.isEmpty == false, isOutsideHours { fail("\(action) was done outside the hours") }
    guard let limits = person.limits, limits.uses != nil else { return }
    if !tickets.isLost, !tickets.acts[limits.ticket, default: []].isEmpty { fail("a ticket of one use acted twice") }
    tickets.acts[limits.ticket, default: []].insert(id)
  }

  /// A ticket's use that has no entry.
  func judgeCounting(_ id: EntryID) {
    seen.stores += 1
    guard reader == .ready, let tag = lying, tag.isSeen, let action = tag.action else {
      return fail("a use was counted, and no genuine tag lies there")
    }
    judgePerson(id, action.name)
    notePerformed(.tag, again: false)
    tickets.counting[id] = action.name
  }

  /// An act of a ticket without an entry waits for its count.
  func judgeCounted(_ action: String) {
    if lyingPerson?.limits?.uses != nil { fail("\(action) was done before its use was counted") }
  }

  func judgeRefusalOfPerson(_ refusal: TapRefusal) {
    switch refusal {
    case .personSuspended:
      if lyingPerson?.isSuspended != true { fail("a tag was refused for a person who is not suspended") }
    case .limitedPerson: if !isOutsideHours { fail("a person was refused within their hours") }
    case .usedUp(_, let person):
      if !tickets.isLost, !tickets.acts.contains(where: { person == "Ticket " + $0.key && !$0.value.isEmpty }) {
        fail("a ticket was refused before its use")
      }
    case _: break
    }
  }
}
