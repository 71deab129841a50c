// The people of the stories, by the version of the secrets: who is suspended, who has hours, whose tag is a ticket of
// one use or of three. And the rules: a suspended person's tag never acts, nobody acts outside their hours, and no
// ticket acts or unlocks more often than it may, whatever dies in between.

import TappetCore

extension Cast {
  /// The person of each secret, by its index into `secrets`.
  private static let people: [[Int: Person]] = [
    [8: person("Cy")], [8: person("Cy"), 1: suspended, 2: weekday], [8: person("Cy"), 1: suspended, 2: weekday],
    [0: weekday, 5: suspended], [:],
  ]

  /// The tickets among the secrets.
  private static let tickets: [[Int: String]] = [
    [9: "turn", 10: "switch", 11: "hatch"],
    [4: "brief", 5: "door", 7: "gate", 9: "turn", 10: "switch", 11: "hatch"], [4: "brief", 10: "switch"],
    [7: "gate", 9: "turn"], [:],
  ]

  /// The number of uses of a ticket.
  static func uses(of ticket: String) -> Int {
    ["turn", "switch", "hatch"].contains { ticket.hasPrefix($0) } ? 3 : 1
  }

  private static let suspended = Person(id: "s", name: "Ann", isSuspended: true, createdUnixSeconds: 1)
  private static let weekday = person("Ben", hours: ["Mon-Fri 08:00-18:00"])

  private static func person(_ name: String, hours: [String] = [], uses: Int64? = nil, _ ticket: String = "") -> Person
  {
    guard let limits = try? PersonLimits(from: nil, until: nil, hours: hours, uses: uses, ticket: ticket) else {
      fatalError("limits")
    }
    return Person(id: name, name: name, createdUnixSeconds: 1, limits: limits)
  }

  /// The person of the secret of this index; in another series of them, a ticket is another one.
  static func person(of secret: Int, version: Int, series: Int) -> Person? {
    guard let name = tickets[version][secret] else { return people[version][secret] }
    let ticket = name + " " + String(series)
    return person("Ticket " + ticket, uses: Int64(uses(of: ticket)), ticket)
  }

  /// The secrets of this version, with the uses that the disk has.
  static func loaded(_ version: Int, series: Int, uses: [String: Int64]) -> [TagSecret] {
    secretVersions[version].map { number in
      var secret = secrets[number]
      guard let person = person(of: number, version: version, series: series) else { return secret }
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
  /// The acts with an entry that wait for their commit, and their actions.
  var entering: [EntryID: String] = [:]
  /// The action whose entry, and use, the current event brings.
  var entered: String?
  /// Whether the disk refuses something in the current event.
  var hasFailed = false
  /// Counts the times that new tickets were given out.
  var series = 0
  /// The number of taps of tickets.
  var tapCount = 0
  /// Whether the uses of this series were lost with their database, so that tickets begin again at some time.
  var isLost = false

  /// The disk did not take it.
  mutating func failed(_ id: EntryID) { for ticket in acts.keys { acts[ticket]?.remove(id) } }

  /// Another process: only what the disk has counts.
  mutating func restart(_ isOnDisk: (EntryID) -> Bool) {
    for ticket in acts.keys { acts[ticket] = acts[ticket]?.filter { isOnDisk($0) } }
    (counting, entering) = ([:], [:])
  }
}

extension World {
  /// The person of the card that lies there.
  private var lyingPerson: Person? {
    guard let card = lying?.card, let secret = Cast.cards[card].secret else { return nil }
    return Cast.person(of: secret, version: secretsNumber, series: tickets.series)
  }

  /// Whether the card that lies there is a ticket.
  var isTicket: Bool { lyingPerson?.limits?.uses != nil }

  /// Loads the secrets of this version, with new tickets.
  func giveTickets(_ number: Int) {
    secretsNumber = abs(number) % Cast.secretVersions.count
    tickets.series += 1
    tickets.isLost = false
    loadSecrets()
  }

  func loadSecrets() {
    tell(.secretsLoaded(Cast.loaded(secretsNumber, series: tickets.series, uses: disk.ticketUses)))
  }

  /// Whether Ben's hours are over, or nobody knows the time.
  private var isOutsideHours: Bool {
    let day = now.unixSeconds / 86_400
    let hour = now.unixSeconds % 86_400 / 3600
    return !clockIsGood || (day + 3) % 7 > 4 || !(8..<18).contains(hour)
  }

  /// Judges an act of the card that lies there; `id` names it on the disk.
  func judgePerson(_ id: EntryID, _ action: String, hasEntry: Bool = true) {
    guard let person = lyingPerson else { return }
    if person.isSuspended { fail("a suspended person's tag acted") }
    if person.limits?.times.hours.isEmpty == false, isOutsideHours { fail("\(action) was done outside the hours") }
    guard let limits = person.limits, limits.uses != nil else { return }
    if !tickets.isLost, tickets.acts[limits.ticket, default: []].count >= Cast.uses(of: limits.ticket) {
      fail("a ticket acted more often than it may")
    }
    tickets.acts[limits.ticket, default: []].insert(id)
    if hasEntry { tickets.entering[id] = action }
  }

  /// A ticket's use that has no entry.
  func judgeCounting(_ id: EntryID) {
    seen.stores += 1
    guard reader == .ready, let tag = lying, tag.isSeen, let action = tag.action else {
      return fail("a use was counted, and no genuine tag lies there")
    }
    judgePerson(id, action.name, hasEntry: false)
    recordPerformed(.tag, again: false)
    tickets.counting[id] = action.name
  }

  /// An act of a ticket without an entry waits for its count.
  func judgeCounted(_ action: String) {
    if isTicket { fail("\(action) was done before its use was counted") }
  }

  /// A tag unlocked the panel: a ticket does so with each of its uses, and never without one.
  func judgeUnlockedByTag() {
    if let action = tickets.counted ?? tickets.entered {
      let unlocks = Cast.actions.contains { $0.name == action && $0.unlocksPanel }
      if !unlocks || tickets.hasFailed { fail("\(action) unlocked the panel") }
    } else if isTicket {
      fail("the panel was unlocked, and no use of the ticket was counted")
    } else if lying?.action?.unlocksPanel != true {
      fail("the panel was unlocked without its tag")
    }
  }

  func judgeRefusalOfPerson(_ refusal: TapRefusal) {
    switch refusal {
    case .personSuspended:
      if lyingPerson?.isSuspended != true { fail("a tag was refused for a person who is not suspended") }
    case .limitedPerson: if !isOutsideHours { fail("a person was refused within their hours") }
    case .usedUp(_, let person):
      let isOver = tickets.acts.contains { person == "Ticket " + $0.key && $0.value.count >= Cast.uses(of: $0.key) }
      if !tickets.isLost, !isOver { fail("a ticket was refused before its last use") }
    case _: break
    }
  }
}
