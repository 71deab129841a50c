// Import of a table of people and their tags as one change, or not at all if a row is invalid. A row contains a person
// and at most one of their tags; people and tags that are not in the table are left unchanged.

import TappetCore
import TappetSQLite

/// The columns of a table of people.
package enum PeopleColumn: String, CaseIterable, Sendable {
  case name
  case suspended
  case from
  case until
  case hours
  case uses
  case used
  case tag
  /// The tag's action, for human readers only.
  case action
  /// The tag's label, for human readers only.
  case label

  /// Columns that are evaluated by an import.
  package static let obeyed: [PeopleColumn] = [.name, .suspended, .from, .until, .hours, .uses, .used, .tag]
  /// Columns that describe the person.
  package static let aboutPerson: [PeopleColumn] = [.suspended, .from, .until, .hours, .uses, .used]
}

/// A row of a table of people.
package struct PeopleRow: Sendable {
  /// Line of the file at which the row starts.
  package var line: Int
  /// One text for each of `PeopleColumn.obeyed`; `nil` if the table has no such column.
  package var fields: [String?]

  package init(line: Int, fields: [String?]) {
    self.line = line
    self.fields = fields
  }

  /// Returns the trimmed field of a column; converts unambiguous yes/no values and dates to the format of an export.
  func field(_ column: PeopleColumn) -> String? {
    guard let index = PeopleColumn.obeyed.firstIndex(of: column), index < fields.count, let text = fields[index]
    else { return nil }
    let trimmed = text.trimmedLabel ?? ""
    switch column {
    case .suspended: return PeopleRow.answer(trimmed.asciiLowercased) ?? trimmed
    case .from, .until: return CalendarDay(trimmed)?.text ?? trimmed
    case .name, .hours, .uses, .used, .tag, .action, .label: return trimmed
    }
  }

  /// Converts forms of yes and no, including those of spreadsheets, to `yes` and `no`; `nil` for any other text.
  private static func answer(_ word: String) -> String? {
    switch word {
    case "yes", "true", "1", "wahr", "vrai": "yes"
    case "no", "false", "0", "falsch", "faux": "no"
    default: nil
    }
  }
}

/// Reason why a row cannot be imported.
package enum PeopleRowFault: Error, Hashable, Sendable {
  case person(PersonError)
  /// A name that differs only in capital letters from that of a person, or of an earlier row.
  case spelling(String, known: String)
  case limits(PersonLimitsError)
  /// A date in a regional spreadsheet format.
  case spreadsheetDay(String, column: String)
  /// A value other than `yes`, `no` or an empty field.
  case suspended(String)
  /// A value that is not a whole number, and the name of its column.
  case number(String, String)
  /// No secret has the given id or fingerprint.
  case unknownTag(String)
  /// Several secrets have the given fingerprint.
  case ambiguousTag(String)
  /// An earlier line assigns the tag to another person.
  case tagTwice(String, line: Int)
  /// An earlier line has a different value for the person.
  case differs(String, column: String, line: Int)
  /// The system's random number generator failed.
  case noRandomNumbers
}

/// A change that an import makes to one person or one tag.
package enum PeopleDifference: Hashable, Sendable {
  case added(String)
  /// A changed person and the changed columns.
  case changed(String, columns: [String])
  /// A secret's id and action, its former owner and its new owner.
  case assigned(String, action: String, from: String?, to: String)
}

/// The plan of an import.
package struct PeopleImport {
  private struct Entry {
    var person: Person
    let former: Person?
    let line: Int
    let fields: [String?]
    var isNewTicket = false
  }

  private let known: StoredPeople
  private let now: Int64
  private var names: [String: Person] = [:]
  /// The names that are taken, by their lowercase form.
  private var spellings: [String: String] = [:]
  private var secrets: [String: TagSecret] = [:]
  /// Secret ids by fingerprint; empty if several secrets have the fingerprint.
  private var ids: [String: String] = [:]
  private var entries: [Entry] = []
  private var newCount = 0
  private var positions: [String: Int] = [:]
  private var owners: [(secret: TagSecret, person: Person)] = []
  private var ownerLines: [String: (line: Int, person: String)] = [:]

  init(_ known: StoredPeople, _ secrets: [TagSecret], unixSeconds now: Int64) {
    self.known = known
    self.now = now
    for person in known.all.reversed() {
      names[person.name] = person
      spellings[person.name.lowercasedName] = person.name
    }
    for secret in secrets {
      self.secrets[secret.id] = secret
      if let fingerprint = secret.key.fingerprint { ids[fingerprint] = ids[fingerprint] == nil ? secret.id : "" }
    }
  }

  /// Adds a row.
  mutating func add(_ row: PeopleRow) throws(PeopleRowFault) {
    let name = row.field(.name) ?? ""
    if let fault = name.personNameFault { throw .person(fault) }
    if let position = positions[name] {
      try requireSame(row, as: entries[position])
    } else {
      let entry = try entry(name, row)
      if entry.former == nil { newCount += 1 }
      positions[name] = entries.count
      spellings[name.lowercasedName] = name
      entries.append(entry)
    }
    guard let tag = row.field(.tag), !tag.isEmpty, let position = positions[name] else { return }
    try assign(tag, to: entries[position].person, row)
  }

  private func requireSame(_ row: PeopleRow, as entry: Entry) throws(PeopleRowFault) {
    let first = PeopleRow(line: entry.line, fields: entry.fields)
    for column in PeopleColumn.aboutPerson where row.field(column) != first.field(column) {
      throw .differs(entry.person.name, column: column.rawValue, line: entry.line)
    }
  }

  private mutating func assign(_ tag: String, to person: Person, _ row: PeopleRow) throws(PeopleRowFault) {
    guard let id = secrets[tag]?.id ?? ids[tag] else { throw .unknownTag(tag) }
    guard let secret = secrets[id] else { throw .ambiguousTag(tag) }
    if let earlier = ownerLines[id] {
      if earlier.person != person.name { throw .tagTwice(tag, line: earlier.line) }
      return
    }
    ownerLines[id] = (row.line, person.name)
    owners.append((secret, person))
  }

  // MARK: People

  private func entry(_ name: String, _ row: PeopleRow) throws(PeopleRowFault) -> Entry {
    let former = names[name]
    if former == nil, let other = spellings[name.lowercasedName] { throw .spelling(name, known: other) }
    if former == nil, newCount + known.all.count >= Limits.peopleMax {
      throw .person(.limitReached(max: Limits.peopleMax))
    }
    let (limits, isNewTicket) = try limits(row, former?.limits)
    let isSuspended = try isSuspended(row) ?? former?.isSuspended ?? false
    guard let id = former?.id ?? (try? TagSecret.newID()) else { throw .noRandomNumbers }
    return Entry(
      person: Person(
        id: id, name: name, isSuspended: isSuspended, createdUnixSeconds: former?.createdUnixSeconds ?? now,
        limits: limits, isOfSite: former?.isOfSite ?? false), former: former, line: row.line, fields: row.fields,
      isNewTicket: isNewTicket)
  }

  private func isSuspended(_ row: PeopleRow) throws(PeopleRowFault) -> Bool? {
    switch row.field(.suspended) {
    case nil: return nil
    case "", "no": return false
    case "yes": return true
    case .some(let text): throw .suspended(text)
    }
  }

  /// Returns the limits in a row, and whether a new use count starts; a missing column leaves its limit unchanged.
  private func limits(
    _ row: PeopleRow, _ former: PersonLimits?
  ) throws(PeopleRowFault) -> (limits: PersonLimits?, isNewTicket: Bool) {
    let former = former ?? PersonLimits()
    let hours = row.field(.hours).map { $0.isEmpty ? [] : WeeklyHours.list($0) }
    let uses = try number(row, .uses, former.uses)
    let isSameTicket = uses == former.uses
    guard let ticket = isSameTicket ? former.ticket : try? TagSecret.newID() else { throw .noRandomNumbers }
    var limits: PersonLimits
    let (from, until) = (try day(row, .from, former.times.from), try day(row, .until, former.times.until))
    do throws(PersonLimitsError) {
      limits = try PersonLimits(
        from: from, until: until,
        hours: hours ?? former.times.hours.map { $0.text }, uses: uses, ticket: ticket)
    } catch { throw .limits(error) }
    let used = try number(row, .used, nil) ?? 0
    limits.used = isSameTicket ? former.used : uses.map { min(used, $0) } ?? 0
    return (limits.isEmpty ? nil : limits, !isSameTicket && limits.used > 0)
  }

  private func day(
    _ row: PeopleRow, _ column: PeopleColumn, _ former: CalendarDay?
  ) throws(PeopleRowFault) -> String? {
    guard let text = row.field(column) else { return former?.text }
    if text.isEmpty { return nil }
    // For example, 12/31/2026, 31-Dec-26, or a number of days.
    if CalendarDay.fields(of: text) == nil, text.utf8.contains(where: { (0x30...0x39).contains($0) }) {
      throw .spreadsheetDay(text, column: column.rawValue)
    }
    return text
  }

  private func number(
    _ row: PeopleRow, _ column: PeopleColumn, _ former: Int64?
  ) throws(PeopleRowFault) -> Int64? {
    guard let text = row.field(column) else { return former }
    if text.isEmpty { return nil }
    guard let number = Int64(decimal: text.utf8), number >= 0 else { throw .number(text, column.rawValue) }
    return number
  }

  // MARK: The change

  /// Differences that the import makes, in row order; differences of people precede differences of tags.
  var differences: [PeopleDifference] {
    var differences: [PeopleDifference] = []
    for entry in entries {
      guard let former = entry.former else {
        differences.append(.added(entry.person.name))
        continue
      }
      let columns = PeopleImport.changes(former, entry.person)
      if !columns.isEmpty { differences.append(.changed(entry.person.name, columns: columns)) }
    }
    for (secret, person) in owners {
      let former = known.owner(ofSecret: secret.id)
      if former?.id == person.id { continue }
      differences.append(.assigned(secret.id, action: secret.action, from: former?.name, to: person.name))
    }
    return differences
  }

  /// The change that the import writes to the store.
  var change: PeopleChange {
    var change = PeopleChange()
    for entry in entries {
      if let former = entry.former {
        if PeopleImport.changes(former, entry.person).isEmpty { continue }
        if let ticket = former.limits?.ticket, !ticket.isEmpty, ticket != entry.person.limits?.ticket {
          change.endedTickets.append(ticket)
        }
      }
      change.entries.append((Store.personPrefix + entry.person.id, entry.person.stored))
      if entry.isNewTicket, let limits = entry.person.limits { change.uses.append((limits.ticket, limits.used)) }
    }
    for (secret, person) in owners where known.owner(ofSecret: secret.id)?.id != person.id {
      change.entries.append((Store.ownerPrefix + secret.id, Array(person.id.utf8)))
    }
    return change
  }

  private static func changes(_ former: Person, _ person: Person) -> [String] {
    let (old, new) = (former.limits ?? PersonLimits(), person.limits ?? PersonLimits())
    var columns: [PeopleColumn] = []
    if former.isSuspended != person.isSuspended { columns.append(.suspended) }
    if old.times.from != new.times.from { columns.append(.from) }
    if old.times.until != new.times.until { columns.append(.until) }
    if old.times.hours != new.times.hours { columns.append(.hours) }
    if old.uses != new.uses { columns.append(.uses) }
    return columns.map { $0.rawValue }
  }
}

extension SecretStore {
  /// Imports all rows or none; returns the changes.
  ///
  /// With `isTrial`, nothing is written. `detail` formats the changes for the audit entry.
  @export(interface)
  package func importPeople(
    _ rows: [PeopleRow], isTrial: Bool, unixSeconds: Int64, noting auditEntry: AuditEntry,
    detail: ([PeopleDifference]) -> String
  ) throws(SecretStoreError) -> [PeopleDifference] {
    if isTrial { return try plan(rows, try people(), unixSeconds).differences }
    var differences: [PeopleDifference] = []
    do throws(SecretError) {
      try store.changePeople(sealedUnder: sealingKey, noting: auditEntry) { (known) throws(SecretError) in
        let plan = try inside(rows, known, unixSeconds)
        differences = plan.differences
        var change = plan.change
        change.auditDetail = detail(differences)
        return change
      }
    } catch { throw .secret(error) }
    return differences
  }

  private func plan(
    _ rows: [PeopleRow], _ known: StoredPeople, _ now: Int64
  ) throws(SecretStoreError) -> PeopleImport {
    do throws(SecretError) { return try inside(rows, known, now) } catch { throw .secret(error) }
  }

  private func inside(_ rows: [PeopleRow], _ known: StoredPeople, _ now: Int64) throws(SecretError) -> PeopleImport {
    let secrets: StoredSecrets
    do throws(DatabaseError) { secrets = try store.secrets(sealedUnder: sealingKey) } catch { throw .store(error) }
    var plan = PeopleImport(known, secrets.readable.map { $0.secret }, unixSeconds: now)
    for row in rows {
      do throws(PeopleRowFault) { try plan.add(row) } catch { throw .peopleRow(line: row.line, error) }
    }
    return plan
  }
}
