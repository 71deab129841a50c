// The kinds of requests about people. Each commits its change together with the audit entry that says who made it, and
// is in force before it is answered.

import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension SecretService {
  /// Lists a page of the people; `from` is the number of those on earlier pages.
  func listPeople(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let people = try secretStore.people()
    var counts: [String: Int64] = [:]
    for secret in try secretStore.usableSecrets() { if let id = secret.person?.id { counts[id, default: 0] += 1 } }
    return page(people.all, "people", request) { person in
      .object([
        "id": .string(person.id), "name": .string(person.name), "suspended": .bool(person.isSuspended),
        "created": .number(person.createdUnixSeconds), "tags": .number(counts[person.id] ?? 0),
        "site": .bool(person.isOfSite),
      ]).with(person.limits)
    }
  }

  func addPerson(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    guard let id = try? TagSecret.newID() else { return .failed("the system has no random numbers") }
    let person = Person(
      id: id, name: request.personName, createdUnixSeconds: SystemClock().now().unixSeconds)
    try secretStore.add(person, noting: auditEntry("person-added", id, request, detail: person.name))
    return try changed(secretStore, person, "\(person.name) was added", "person-added", request)
  }

  func renamePerson(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let person = try secretStore.person(named: request.personName)
    let renamed = person.with(name: request.json["new_name"]?.text?.trimmedLabel ?? "")
    try secretStore.replace(
      renamed, noting: auditEntry("person-renamed", person.id, request, detail: "\(person.name); now \(renamed.name)"))
    return try changed(secretStore, renamed, "\(person.name) is \(renamed.name) now", "person-renamed", request)
  }

  func suspendPerson(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let person = try secretStore.person(named: request.personName).with(isSuspended: true)
    try secretStore.replace(person, noting: auditEntry("person-suspended", person.id, request, detail: person.name))
    return try changed(
      secretStore, person, "\(person.name) is suspended: all of their tags are refused from now on",
      "person-suspended", request)
  }

  func resumePerson(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let person = try secretStore.person(named: request.personName).with(isSuspended: false)
    try secretStore.replace(person, noting: auditEntry("person-resumed", person.id, request, detail: person.name))
    return try changed(
      secretStore, person, "\(person.name) is not suspended any more", "person-resumed", request)
  }

  /// Limits a person, or lifts their limits.
  func allowPerson(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    guard let ticket = try? TagSecret.newID() else { return .failed("the system has no random numbers") }
    let hours = request.json["hours"]?.elements ?? []
    let limits: PersonLimits
    do throws(PersonLimitsError) {
      limits = try PersonLimits(
        from: request.json["from"]?.text, until: request.json["until"]?.text, hours: hours.map { $0.text ?? "" },
        uses: request.json["uses"]?.wholeNumber, ticket: ticket)
    } catch { return .refused(error.sentence) }
    let person = try secretStore.person(named: request.personName).limited(to: limits.isEmpty ? nil : limits)
    let words = limits.isEmpty ? "no limits" : limits.sentence
    try secretStore.replace(
      person, noting: auditEntry("person-allowed", person.id, request, detail: "\(person.name); \(words)"))
    return try changed(secretStore, person, "\(person.name) has \(words)", "person-allowed", request)
  }

  /// Removes a person, and the secrets of their tags: otherwise the tags of a suspended person would work again.
  func removePerson(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let person = try secretStore.person(named: request.personName)
    let secrets = try secretStore.usableSecrets().filter { $0.person?.name == person.name }.map { $0.id }
    let forgets = request.json["forget"] == .bool(true)
    let detail = "\(person.name); secrets: \(secrets.count)" + (forgets ? "; taps forgotten" : "")
    try secretStore.remove(
      person, secrets: secrets, forgets: forgets,
      noting: auditEntry("person-removed", person.id, request, detail: detail))
    return try changed(
      secretStore, person, "\(person.name) was removed: their tags are refused from now on", "person-removed", request,
      tagCount: secrets.count)
  }

  /// Gives a secret to a person, or to nobody if the name is empty.
  func assign(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let name = request.personName
    let person = name.isEmpty ? nil : try secretStore.person(named: name)
    let secret: TagSecret
    switch try find(request, in: secretStore) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let id, _):
      return .failed("the secret \(id) was sealed under another key, or is damaged; remove it and import it again")
    case .readable(let found): secret = found
    }
    let former = secret.person?.name
    try secretStore.assign(
      secret.id, to: person,
      noting: auditEntry(
        "secret-assigned", secret.id, request,
        detail: "\(secret.auditDetail); \(former ?? "nobody"), now \(person?.name ?? "nobody")"))
    var answer = SecretAnswer(
      json: .object([
        "id": .string(secret.id), "action": .string(secret.action), "person": .optional(person?.name),
        "former_person": .optional(former),
      ]))
    answer.logRecord = logRecord(
      .notice, "secret-assigned", "a secret of \(secret.action) is \(person?.name ?? "nobody")'s now", request,
      [("id", secret.id), ("action", secret.action)] + (person.map { [("person", $0.name)] } ?? []))
    answer.secrets = try secretStore.usableSecrets()
    return answer
  }

  private func changed(
    _ secretStore: SecretStore, _ person: Person, _ sentence: String, _ name: String, _ request: SecretRequest,
    tagCount: Int? = nil
  ) throws(SecretStoreError) -> SecretAnswer {
    let secrets = try secretStore.usableSecrets()
    let count = tagCount ?? secrets.count { $0.person?.name == person.name }
    var answer = SecretAnswer(
      json: .object([
        "id": .string(person.id), "name": .string(person.name), "suspended": .bool(person.isSuspended),
        "tags": .number(Int64(count)),
      ]).with(person.limits))
    answer.logRecord = logRecord(.notice, name, sentence, request, [("person", person.name)])
    answer.secrets = secrets
    return answer
  }
}

extension JSON {
  /// The same object with a person's limits.
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

extension SecretRequest {
  /// The person's name, without space around it.
  fileprivate var personName: String { json["name"]?.text?.trimmedLabel ?? "" }
}
