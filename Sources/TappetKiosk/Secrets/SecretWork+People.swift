// Requests about people. Each commits its change together with the audit entry that names its author, and takes effect
// before the response is sent.

import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension SecretWork {
  /// Lists a page of the people.
  func listPeople(from: Int64) throws(SecretStoreError) -> SecretAnswer {
    page(try secretStore.listedPeople(), "people", from: from) { $0.json }
  }

  func addPerson(_ name: String) throws(SecretStoreError) -> SecretAnswer {
    guard let id = try? TagSecret.newID() else { return .failed(SharedSentence.noRandomness) }
    let person = Person(
      id: id, name: name.trimmedLabel ?? "", createdUnixSeconds: SystemClock().now().unixSeconds)
    try secretStore.add(person, noting: auditEntry("person-added", id, detail: person.name))
    return try changed(person, "\(person.name) was added", "person-added")
  }

  func renamePerson(_ name: String, to new: String) throws(SecretStoreError) -> SecretAnswer {
    let person = try find(person: name)
    let renamed = person.with(name: new.trimmedLabel ?? "")
    try secretStore.replace(
      renamed, noting: auditEntry("person-renamed", person.id, detail: "\(person.name); now \(renamed.name)"))
    return try changed(renamed, "\(person.name) was renamed to \(renamed.name)", "person-renamed")
  }

  func suspendPerson(_ name: String) throws(SecretStoreError) -> SecretAnswer {
    let person = try find(person: name).with(isSuspended: true)
    try secretStore.replace(person, noting: auditEntry("person-suspended", person.id, detail: person.name))
    return try changed(
      person, "\(person.name) is suspended: all of their tags are refused from now on",
      "person-suspended")
  }

  func resumePerson(_ name: String) throws(SecretStoreError) -> SecretAnswer {
    let person = try find(person: name).with(isSuspended: false)
    try secretStore.replace(person, noting: auditEntry("person-resumed", person.id, detail: person.name))
    return try changed(
      person, "\(person.name) is no longer suspended", "person-resumed")
  }

  /// Sets or removes a person's limits; new uses are counted from now on.
  func allowPerson(_ name: String, _ words: LimitWords) throws(SecretStoreError) -> SecretAnswer {
    guard let ticket = try? TagSecret.newID() else { return .failed(SharedSentence.noRandomness) }
    let found = try find(person: name)
    let former = words.replacesAll ? PersonLimits() : found.limits ?? PersonLimits()
    var limits: PersonLimits
    do throws(PersonLimitsError) {
      limits = try PersonLimits(
        from: words.from ?? former.times.from?.text, until: words.until ?? former.times.until?.text,
        hours: words.hours.isEmpty ? former.times.hours.map { $0.text } : words.hours, uses: words.uses ?? former.uses,
        ticket: words.uses == nil ? former.ticket : ticket)
    } catch { return .refused(error.sentence) }
    if words.uses == nil { limits.used = former.used }
    let person = found.limited(to: limits.isEmpty ? nil : limits)
    let allowed = limits.isEmpty ? "no limits" : limits.sentence
    try secretStore.replace(
      person, noting: auditEntry("person-allowed", person.id, detail: "\(person.name); \(allowed)"))
    return try changed(person, "\(person.name) has \(allowed)", "person-allowed")
  }

  /// Removes a person and the secrets of their tags; otherwise, the tags of a suspended person would work again.
  func removePerson(_ name: String, forgetsTaps: Bool) throws(SecretStoreError) -> SecretAnswer {
    let person = try find(person: name)
    let secrets = try secretStore.usableSecrets().filter { $0.person?.name == person.name }.map { $0.id }
    let detail = "\(person.name); secrets: \(secrets.count)" + (forgetsTaps ? "; taps forgotten" : "")
    try secretStore.remove(
      person, secrets: secrets, forgets: forgetsTaps,
      noting: auditEntry("person-removed", person.id, detail: detail))
    return try changed(
      person, "\(person.name) was removed: their tags are refused from now on", "person-removed",
      tagCount: secrets.count)
  }

  /// Assigns a secret to a person, or to no person if the name is empty.
  func assign(secret id: String, to name: String) throws(SecretStoreError) -> SecretAnswer {
    let person = name.trimmedLabel == nil ? nil : try find(person: name)
    let secret: TagSecret
    switch try find(id) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let id, _):
      return .failed("the secret \(id) was sealed under another key, or is damaged; remove it and import it again")
    case .readable(let found): secret = found
    }
    let former = secret.person?.name
    try secretStore.assign(
      secret.id, to: person,
      noting: auditEntry(
        "secret-assigned", secret.id,
        detail: "\(secret.auditDetail); \(former ?? "nobody"), now \(person?.name ?? "nobody")"))
    var answer = SecretAnswer(
      .object([
        "id": .string(secret.id), "action": .string(secret.action), "person": .optional(person?.name),
        "former_person": .optional(former),
      ]))
    answer.logRecord = logRecord(
      .notice, "secret-assigned", "a secret of \(secret.action) was assigned to \(person?.name ?? "no one")",
      [("id", secret.id), ("action", secret.action)] + (person.map { [("person", $0.name)] } ?? []))
    answer.secrets = try secretStore.usableSecrets()
    return answer
  }

  /// Returns the person with the given name, ignoring surrounding spaces.
  private func find(person name: String) throws(SecretStoreError) -> Person {
    try secretStore.person(named: name.trimmedLabel ?? "")
  }

  private func changed(
    _ person: Person, _ sentence: String, _ name: String, tagCount: Int? = nil
  ) throws(SecretStoreError) -> SecretAnswer {
    let secrets = try secretStore.usableSecrets()
    let count = tagCount ?? secrets.count { $0.person?.name == person.name }
    var answer = SecretAnswer(
      .object([
        "id": .string(person.id), "name": .string(person.name), "suspended": .bool(person.isSuspended),
        "tags": .number(Int64(count)),
      ]).with(person.limits))
    answer.logRecord = logRecord(.notice, name, sentence, [("person", person.name)])
    answer.secrets = secrets
    return answer
  }
}

extension JSON {
  /// Returns a copy of the object with a person's limits added.
  fileprivate func with(_ limits: PersonLimits?) -> JSON {
    guard case .object(let members) = self else { return self }
    let times = limits?.times
    return .object(
      members + [
        JSON.Member(name: "from", value: .optional(times?.from?.text)),
        JSON.Member(name: "until", value: .optional(times?.until?.text)),
        JSON.Member(name: "hours", value: .array((times?.hours ?? []).map { .string($0.text) })),
        JSON.Member(name: "uses", value: limits?.uses.map { .number($0) } ?? .null),
        JSON.Member(name: "used", value: limits?.uses == nil ? .null : .number(limits?.used ?? 0)),
      ])
  }
}

/// A person and the number of their tags.
package struct ListedPerson: Sendable {
  package var person: Person
  package var tagCount: Int64

  fileprivate var json: JSON {
    .object([
      "id": .string(person.id), "name": .string(person.name), "suspended": .bool(person.isSuspended),
      "created": .number(person.createdUnixSeconds), "tags": .number(tagCount), "site": .bool(person.isOfSite),
    ]).with(person.limits)
  }
}

extension SecretStore {
  /// Returns the names of all people, by their ids.
  func personNames() throws(SecretStoreError) -> [String: String] {
    try people().all.reduce(into: [:]) { $0[$1.id] = $1.name }
  }

  /// Returns all people, sorted by name.
  func listedPeople() throws(SecretStoreError) -> [ListedPerson] {
    var counts: [String: Int64] = [:]
    for secret in try usableSecrets() { if let id = secret.person?.id { counts[id, default: 0] += 1 } }
    return try people().all.map { ListedPerson(person: $0, tagCount: counts[$0.id] ?? 0) }
  }
}
