// Requests about secrets. Each commits its change together with the audit entry that names its author.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

extension SecretWork {
  /// Performs a request.
  func perform(_ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    switch request {
    case .listSecrets(let from): try list(from: from)
    case .makeSecret(let action, let label): try make(action: action, label: label)
    case .addSecret(let url, let action, let label): try add(url, action: action, label: label)
    case .shareSecret(let id, let isForBackup): try share(id, isForBackup: isForBackup)
    case .renameSecret(let id, let label): try rename(id, label: label)
    case .removeSecret(let id): try remove(id)
    case .renameAction(let action, let name): try renameAction(action, to: name)
    case .rekey: try rekey()
    case .keepTimestampKey(let digits): try keep(timestampKey: digits)
    case .keepBrokerPassword(let bytes): try keep(brokerPassword: bytes)
    case .keepPagePassword(let bytes): try keep(pagePassword: bytes)
    case .listValues: try listValues()
    case .revealValue(let name): try revealValue(name)
    case .listAudit(let after): try listAudit(after: after)
    case .verifyAudit: try verifyAudit()
    case .reload: try reload()
    case .listPeople(let from): try listPeople(from: from)
    case .addPerson(let name): try addPerson(name)
    case .renamePerson(let name, let new): try renamePerson(name, to: new)
    case .suspendPerson(let name): try suspendPerson(name)
    case .resumePerson(let name): try resumePerson(name)
    case .removePerson(let name, let forgetsTaps): try removePerson(name, forgetsTaps: forgetsTaps)
    case .assignSecret(let id, let name): try assign(secret: id, to: name)
    case .allowPerson(let name, let limits): try allowPerson(name, limits)
    case .importPeople(let rows, let isTrial): try importPeople(rows, isTrial: isTrial)
    case .listLearnedTags(let from): try listLearnedTags(from: from)
    case .learnTag(let mark, let action, let label): try learnTag(mark, action: action, label: label)
    case .forgetTag(let tag): try forgetTag(tag)
    case .listPageDevices: try listPageDevices()
    case .removePageDevice(let name): try removePageDevice(name)
    }
  }

  // MARK: Secrets

  /// Lists a page of the secrets.
  private func list(from: Int64) throws(SecretStoreError) -> SecretAnswer {
    let stored = try secretStore.secrets()
    var unreadable: [JSON] = []
    for secret in stored.unreadable.prefix(Limits.secretsPerAnswerMax) {
      unreadable.append(.object(["id": .string(secret.id), "action": .string(secret.action)]))
    }
    return page(
      stored.readable, "secrets", from: from, [JSON.Member(name: "unreadable", value: .array(unreadable))]
    ) { json($0) }
  }

  private func json(_ entry: StoredSecret) -> JSON {
    .object([
      "id": .string(entry.secret.id), "fingerprint": .optional(entry.secret.key.fingerprint),
      "action": .string(entry.secret.action), "index": .number(entry.secret.index),
      "label": .optional(entry.secret.label), "person": .optional(entry.secret.person?.name),
      "uid": .optional(entry.secret.uid.map { Hex.encode($0.bytes) }),
      "created": .number(entry.secret.createdUnixSeconds),
      "last_used": entry.lastUsedUnixSeconds.map { .number($0) } ?? .null, "times_used": .number(entry.timesUsed),
    ])
  }

  private func make(action name: String, label: String?) throws(SecretStoreError) -> SecretAnswer {
    guard let action = configuration.actions.first(where: { $0.name == name.nameForm }) else {
      return .refused("there is no action '\(name)' in the configuration")
    }
    guard let key = try? SecretKey.random() else { return .failed(SharedSentence.noRandomness) }
    return try add(
      action: action.name,
      index: try secretStore.indexes(of: configuration.actions).index(of: action.name) ?? action.index, key,
      label: label?.trimmedLabel, operation: "secret-made")
  }

  private func add(
    _ url: SecretBytes, action wanted: String?, label: String?
  ) throws(SecretStoreError) -> SecretAnswer {
    let share: ShareURL
    do throws(ShareURLError) {
      share = try url.withBytes { (text) throws(ShareURLError) in try ShareURL.parse(at: text) }
    } catch { return .refused(error.sentence) }
    guard let action = try secretStore.indexes(of: configuration.actions).action(at: share.index) else {
      return .refused("the share code is for action \(share.index), which is not configured")
    }
    if let wanted = wanted?.nameForm, wanted != action.name {
      return .refused("the share code is for \(action.name), not for \(wanted)")
    }
    return try add(
      action: action.name, index: share.index, share.key, label: label?.trimmedLabel ?? share.label,
      operation: "secret-added")
  }

  private func add(
    action: String, index: Int64, _ key: SecretKey, label: String?, operation word: String
  ) throws(SecretStoreError) -> SecretAnswer {
    guard let id = try? TagSecret.newID() else { return .failed(SharedSentence.noRandomness) }
    let secret = TagSecret(
      id: id, action: action, index: index, key: key, createdUnixSeconds: SystemClock().now().unixSeconds, label: label)
    try secretStore.add(
      secret, limit: configuration.secretsPerActionMax,
      noting: auditEntry(word, id, detail: secret.auditDetail))
    return try changed(
      "a secret of \(action) was added", word, id: id, action: action, label: label)
  }

  private func share(_ wanted: String, isForBackup: Bool) throws(SecretStoreError) -> SecretAnswer {
    switch try find(wanted) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let id, _):
      return .failed("the secret \(id) was sealed under another key, or is damaged; remove it and import it again")
    case .readable(let secret):
      // Recorded before the key is shown, because its disclosure cannot be undone.
      try secretStore.note(
        auditEntry(
          isForBackup ? "secret-backed-up" : "secret-shared", secret.id, detail: secret.auditDetail))
      var answer = SecretAnswer(
        .object([
          "id": .string(secret.id), "action": .string(secret.action), "label": .optional(secret.label),
          "created": .number(secret.createdUnixSeconds), "index": .number(secret.index),
          "others_shared": .number(try sharedCount(besides: secret)),
        ]))
      var text = ShareURL(index: secret.index, key: secret.key, label: secret.label).text()
      answer.secretPayload = SecretBytes(taking: &text)
      answer.logRecord = logRecord(
        .notice, isForBackup ? "secret-backed-up" : "secret-shared",
        "the key of a secret of \(secret.action) was \(isForBackup ? "included in a backup" : "shown")",
        [("id", secret.id), ("action", secret.action)])
      return answer
    }
  }

  /// Returns how many other secrets of the action have been shared.
  private func sharedCount(besides secret: TagSecret) throws(SecretStoreError) -> Int64 {
    let shared: Set<String>
    do throws(DatabaseError) { shared = try secretStore.store.sharedSecretIDs() } catch { throw .store(error) }
    let count = try secretStore.usableSecrets().count {
      $0.action == secret.action && $0.id != secret.id && shared.contains($0.id)
    }
    return Int64(count)
  }

  private func rename(_ wanted: String, label: String?) throws(SecretStoreError) -> SecretAnswer {
    let id: String
    let action: String
    var detail: String
    switch try find(wanted) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let found, let name): (id, action, detail) = (found, name, name)
    case .readable(let secret): (id, action, detail) = (secret.id, secret.action, secret.auditDetail)
    }
    let label = label?.trimmedLabel
    detail += "; now " + (label ?? "without a label")
    guard
      try secretStore.rename(id: id, label: label, noting: auditEntry("secret-renamed", id, detail: detail))
    else {
      return .refused("the secret \(id) was removed in the meantime")
    }
    return try changed(
      "the label of a secret of \(action) was changed", "secret-renamed", id: id, action: action, label: label)
  }

  private func remove(_ wanted: String) throws(SecretStoreError) -> SecretAnswer {
    let id: String
    let action: String
    let label: String?
    let detail: String
    switch try find(wanted) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let found, let name): (id, action, label, detail) = (found, name, nil, name)
    case .readable(let secret):
      (id, action, label, detail) = (secret.id, secret.action, secret.label, secret.auditDetail)
    }
    guard try secretStore.remove(id: id, noting: auditEntry("secret-removed", id, detail: detail)) else {
      return .refused("the secret \(id) was removed in the meantime")
    }
    return try changed(
      "a secret of \(action) was removed: its tags are refused from now on", "secret-removed", id: id, action: action,
      label: label)
  }

  private func changed(
    _ sentence: String, _ name: String, id: String, action: String, label: String?
  ) throws(SecretStoreError) -> SecretAnswer {
    var answer = SecretAnswer(
      .object(["id": .string(id), "action": .string(action), "label": .optional(label)]))
    answer.logRecord = logRecord(
      .notice, name, sentence,
      [("id", id), ("action", action)] + (label.map { [("label", $0)] } ?? []))
    answer.secrets = try secretStore.usableSecrets()
    return answer
  }

  /// Moves all secrets and learned tags of an action to a new action name.
  private func renameAction(_ action: String, to name: String) throws(SecretStoreError) -> SecretAnswer {
    let (old, new) = (action.nameForm, name.trimmedLabel ?? "")
    guard !new.isEmpty else { return .refused("an action needs a name") }
    if let fault = new.nameFault(sizeMax: Limits.actionNameSizeMax) { return .refused(fault.sentence(of: "name")) }
    let hasLearnedTags = try secretStore.learnedTags().contains { $0.tag.action == old }
    let hasSecrets = try secretStore.secrets().hasAny(of: old)
    guard old != new, hasSecrets || hasLearnedTags else {
      return .refused(
        "'\(old)' has no secrets and no learned tags; use 'tappet secret list' and 'tappet tag learned' to list the "
          + "actions that have any")
    }
    let action = configuration.actions.first { $0.name == new }
    if hasLearnedTags, action != nil, let sentence = configuration.refusalToLearn(for: new) {
      return .refused("\(old) has learned tags, but " + sentence)
    }
    let renamed = try secretStore.renameAction(
      old, to: new, limit: configuration.secretsPerActionMax,
      noting: auditEntry("action-renamed", "\(old), now \(new)"))
    var answer = SecretAnswer(
      .object([
        "secrets": .number(Int64(renamed.secretCount)), "learned_tags": .number(Int64(renamed.learnedTagCount)),
        "configured": .bool(action != nil),
      ]))
    answer.logRecord = logRecord(
      .notice, "action-renamed", "the secrets and learned tags of \(old) now belong to \(new)",
      [
        ("action", new), ("formerly", old), ("count", String(renamed.secretCount)),
        ("learned_tags", String(renamed.learnedTagCount)),
      ])
    answer.secrets = try secretStore.usableSecrets()
    answer.learnedTags = try secretStore.learnedTags().map { $0.tag }
    answer.renamedAction = (old, new)
    return answer
  }

  // MARK: Keys

  private func rekey() throws(SecretStoreError) -> SecretAnswer {
    let count = try secretStore.rekey(noting: auditEntry("rekeyed", ""))
    var answer = SecretAnswer(.object(["sealed": .number(Int64(count))]))
    answer.logRecord = logRecord(
      .notice, "rekeyed", "everything was resealed under a new key", [("count", String(count))])
    return answer
  }

  private func keep(brokerPassword bytes: SecretBytes) throws(SecretStoreError) -> SecretAnswer {
    let name = SecretStore.brokerPasswordName
    guard let password = BrokerPassword(bytes) else {
      return .refused("a password must be 1 to \(Limits.brokerPasswordSizeMax) bytes long, without NUL")
    }
    try secretStore.seal(bytes, as: name, noting: auditEntry("broker-password-kept", name))
    var answer = SecretAnswer(.object([:]))
    answer.logRecord = logRecord(.notice, "broker-password-kept", "the broker's password was replaced")
    answer.brokerPassword = password
    return answer
  }

  private func keep(timestampKey digits: SecretBytes) throws(SecretStoreError) -> SecretAnswer {
    guard let key = digits.withBytes({ TimestampKey(hex: $0) }) else {
      return .refused("a timestamp key must be 32, 48 or 64 hex digits long")
    }
    try secretStore.seal(
      digits, as: SecretStore.timestampKeyName,
      noting: auditEntry("timestamp-key-kept", SecretStore.timestampKeyName))
    var answer = SecretAnswer(.object([:]))
    answer.logRecord = logRecord(.notice, "timestamp-key-kept", "the timestamp key was replaced")
    answer.timestampKey = key
    return answer
  }

  private func listValues() throws(SecretStoreError) -> SecretAnswer {
    let names = try secretStore.sealedValueNames().filter { !Store.isListed($0) }
    return SecretAnswer(.object(["names": .array(names.map { .string($0) })]))
  }

  private func revealValue(_ name: String) throws(SecretStoreError) -> SecretAnswer {
    try secretStore.note(auditEntry("value-shown", name))
    guard let value = try secretStore.sealedValue(named: name) else {
      return .refused("nothing is stored as '\(name)'")
    }
    var answer = SecretAnswer(.object(["name": .string(name)]))
    answer.secretPayload = value
    answer.logRecord = logRecord(.notice, "value-shown", "a sealed value was shown", [("name", name)])
    return answer
  }

  // MARK: The audit

  private func listAudit(after: Int64) throws(SecretStoreError) -> SecretAnswer {
    var entries: [JSON] = []
    do throws(DatabaseError) {
      for row in try secretStore.store.audit(after: after, limit: Limits.secretsPerAnswerMax) {
        entries.append(
          .object([
            "number": .number(row.number), "time": .number(row.entry.unixSeconds),
            "operation": .string(row.entry.operation),
            "subject": .string(row.entry.subject), "detail": .optional(row.entry.detail),
            "user": .number(Int64(row.entry.peer.user)),
            "process": .number(Int64(row.entry.peer.process)), "program": .string(row.entry.peer.program),
          ]))
      }
    } catch { throw .store(error) }
    return SecretAnswer(.object(["entries": .array(entries)]))
  }

  private func verifyAudit() throws(SecretStoreError) -> SecretAnswer {
    switch try secretStore.auditState() {
    case .whole(let count): SecretAnswer(.object(["count": .number(Int64(count)), "broken": .null]))
    case .broken(let number): SecretAnswer(.object(["count": .null, "broken": .number(number)]))
    }
  }

  // MARK: Reloading

  /// Reloads the secrets after another process has changed them.
  private func reload() throws(SecretStoreError) -> SecretAnswer {
    let secrets = try secretStore.usableSecrets()
    return SecretAnswer(
      result: .success(.object(["secrets": .number(Int64(secrets.count))])), secrets: secrets,
      learnedTags: try secretStore.learnedTags().map { $0.tag })
  }
}
