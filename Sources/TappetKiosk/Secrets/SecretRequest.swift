// The kinds of requests about secrets. Each commits its change together with the audit entry that says who made it.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

extension SecretRequest {
  /// A kind of request; the raw value is its name on the control socket.
  enum Kind: String {
    case list = "secret-list"
    case new = "secret-new"
    case add = "secret-add"
    case share = "secret-share"
    case rename = "secret-rename"
    case remove = "secret-remove"
    case renameAction = "action-rename"
    case rekey = "secret-rekey"
    case sealValue = "value-keep"
    case revealValue = "value-reveal"
    case audit = "audit"
    case reload = "reload-secrets"
    case listPeople = "person-list"
    case addPerson = "person-add"
    case renamePerson = "person-rename"
    case suspendPerson = "person-suspend"
    case resumePerson = "person-resume"
    case removePerson = "person-remove"
    case assign = "person-assign"
    case allowPerson = "person-allow"
    case importPeople = "person-import"
    case listLearnedTags = "tag-learned"
    case learnTag = "tag-learn"
    case forgetTag = "tag-forget"

    /// Whether it shows a key, or makes all others useless.
    var isForOwner: Bool {
      switch self {
      case .share, .rekey, .sealValue, .revealValue: true
      case .list, .new, .add, .rename, .remove, .renameAction, .audit, .reload, .listPeople, .addPerson, .renamePerson,
        .suspendPerson, .resumePerson, .removePerson, .assign, .allowPerson, .importPeople,
        .listLearnedTags, .learnTag, .forgetTag:
        false
      }
    }
  }
}

extension SecretService {
  /// Performs a request.
  func perform(
    _ kind: SecretRequest.Kind, _ request: SecretRequest, in secretStore: SecretStore
  ) throws(SecretStoreError) -> SecretAnswer {
    switch kind {
    case .list: try list(secretStore, request)
    case .new: try new(secretStore, request)
    case .add: try add(secretStore, request)
    case .share: try share(secretStore, request)
    case .rename: try rename(secretStore, request)
    case .remove: try remove(secretStore, request)
    case .renameAction: try renameAction(secretStore, request)
    case .rekey: try rekey(secretStore, request)
    case .sealValue: try sealValue(secretStore, request)
    case .revealValue: try revealValue(secretStore, request)
    case .audit: try audit(secretStore, request)
    case .reload: try reload(secretStore)
    case .listPeople: try listPeople(secretStore, request)
    case .addPerson: try addPerson(secretStore, request)
    case .renamePerson: try renamePerson(secretStore, request)
    case .suspendPerson: try suspendPerson(secretStore, request)
    case .resumePerson: try resumePerson(secretStore, request)
    case .removePerson: try removePerson(secretStore, request)
    case .assign: try assign(secretStore, request)
    case .allowPerson: try allowPerson(secretStore, request)
    case .importPeople: try importPeople(secretStore, request)
    case .listLearnedTags: try listLearnedTags(secretStore, request)
    case .learnTag: try learnTag(secretStore, request)
    case .forgetTag: try forgetTag(secretStore, request)
    }
  }

  // MARK: Secrets

  /// Lists a page of the secrets; `from` is the number of those on earlier pages.
  private func list(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let stored = try secretStore.secrets()
    var unreadable: [JSON] = []
    for secret in stored.unreadable.prefix(Limits.secretsPerAnswerMax) {
      unreadable.append(.object(["id": .string(secret.id), "action": .string(secret.action)]))
    }
    return page(
      stored.readable, "secrets", request, [JSON.Member(name: "unreadable", value: .array(unreadable))]
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

  private func new(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let name = request.json["action"]?.text?.composed ?? ""
    guard let action = configuration.actions.first(where: { $0.name == name }) else {
      return .refused("there is no action '\(name)' in the configuration")
    }
    guard let key = try? SecretKey.random() else { return .failed("the system has no random numbers") }
    return try add(
      secretStore, request, action: action.name,
      index: try secretStore.indexes(of: configuration.actions).index(of: action.name) ?? action.index, key,
      label: request.json["label"]?.text?.trimmedLabel,
      operation: "secret-made")
  }

  private func add(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let share: ShareURL
    guard let secretPayload = request.secretPayload else { return .refused(ShareURLError.notAShareURL.sentence) }
    do throws(ShareURLError) {
      share = try secretPayload.withBytes { (text) throws(ShareURLError) in try ShareURL.parse(at: text) }
    } catch { return .refused(error.sentence) }
    guard let action = try secretStore.indexes(of: configuration.actions).action(at: share.index) else {
      return .refused("the share code is for action \(share.index), which is not configured")
    }
    if let wanted = request.json["action"]?.text?.composed, wanted != action.name {
      return .refused("the share code is for \(action.name), not for \(wanted)")
    }
    return try add(
      secretStore, request, action: action.name, index: share.index, share.key,
      label: request.json["label"]?.text?.trimmedLabel ?? share.label, operation: "secret-added")
  }

  private func add(
    _ secretStore: SecretStore, _ request: SecretRequest, action: String, index: Int64, _ key: SecretKey,
    label: String?,
    operation word: String
  ) throws(SecretStoreError) -> SecretAnswer {
    guard let id = try? TagSecret.newID() else { return .failed("the system has no random numbers") }
    let secret = TagSecret(
      id: id, action: action, index: index, key: key, createdUnixSeconds: SystemClock().now().unixSeconds, label: label)
    try secretStore.add(
      secret, limit: configuration.secretsPerActionMax,
      noting: auditEntry(word, id, request, detail: secret.auditDetail))
    return try changed(
      secretStore, "a secret of \(action) was added", word, request, id: id, action: action, label: label)
  }

  private func share(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    switch try find(request, in: secretStore) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let id, _):
      return .failed("the secret \(id) was sealed under another key, or is damaged; remove it and import it again")
    case .readable(let secret):
      // Noted before it is shown: a key that was seen cannot be taken back.
      let isBackup = request.json["for"]?.text == "backup"
      try secretStore.note(
        auditEntry(
          isBackup ? "secret-backed-up" : "secret-shared", secret.id, request, detail: secret.auditDetail))
      var answer = SecretAnswer(
        json: .object([
          "id": .string(secret.id), "action": .string(secret.action), "label": .optional(secret.label),
          "created": .number(secret.createdUnixSeconds), "index": .number(secret.index),
          "others_shared": .number(try sharedCount(besides: secret, in: secretStore)),
        ]))
      var text = ShareURL(index: secret.index, key: secret.key, label: secret.label).text()
      answer.secretPayload = SecretBytes(taking: &text)
      answer.logRecord = logRecord(
        .notice, isBackup ? "secret-backed-up" : "secret-shared",
        "the key of a secret of \(secret.action) was \(isBackup ? "put into a backup" : "shown")", request,
        [("id", secret.id), ("action", secret.action)])
      return answer
    }
  }

  /// The number of the action's other secrets that were shared.
  private func sharedCount(besides secret: TagSecret, in secretStore: SecretStore) throws(SecretStoreError) -> Int64 {
    let shared: Set<String>
    do throws(DatabaseError) { shared = try secretStore.store.sharedSecretIDs() } catch { throw .store(error) }
    let count = try secretStore.usableSecrets().count {
      $0.action == secret.action && $0.id != secret.id && shared.contains($0.id)
    }
    return Int64(count)
  }

  private func rename(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let id: String
    let action: String
    var detail: String
    switch try find(request, in: secretStore) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let found, let name): (id, action, detail) = (found, name, name)
    case .readable(let secret): (id, action, detail) = (secret.id, secret.action, secret.auditDetail)
    }
    let label = request.json["label"]?.text?.trimmedLabel
    detail += "; now " + (label ?? "without a label")
    guard
      try secretStore.rename(id: id, label: label, noting: auditEntry("secret-renamed", id, request, detail: detail))
    else {
      return .refused("the secret \(id) was removed meanwhile")
    }
    return try changed(
      secretStore, "a secret of \(action) was given another label", "secret-renamed", request, id: id, action: action,
      label: label)
  }

  private func remove(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let id: String
    let action: String
    let label: String?
    let detail: String
    switch try find(request, in: secretStore) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let found, let name): (id, action, label, detail) = (found, name, nil, name)
    case .readable(let secret):
      (id, action, label, detail) = (secret.id, secret.action, secret.label, secret.auditDetail)
    }
    guard try secretStore.remove(id: id, noting: auditEntry("secret-removed", id, request, detail: detail)) else {
      return .refused("the secret \(id) was removed meanwhile")
    }
    return try changed(
      secretStore, "a secret of \(action) was removed: its tags are refused from now on", "secret-removed", request,
      id: id,
      action: action, label: label)
  }

  private func changed(
    _ secretStore: SecretStore, _ sentence: String, _ name: String, _ request: SecretRequest, id: String,
    action: String,
    label: String?
  ) throws(SecretStoreError) -> SecretAnswer {
    var answer = SecretAnswer(
      json: .object(["id": .string(id), "action": .string(action), "label": .optional(label)]))
    answer.logRecord = logRecord(
      .notice, name, sentence, request,
      [("id", id), ("action", action)] + (label.map { [("label", $0)] } ?? []))
    answer.secrets = try secretStore.usableSecrets()
    return answer
  }

  /// Gives everything of an action to one of another name.
  private func renameAction(
    _ secretStore: SecretStore, _ request: SecretRequest
  ) throws(SecretStoreError) -> SecretAnswer {
    let (old, new) = (request.json["action"]?.text?.composed ?? "", request.json["name"]?.text?.trimmedLabel ?? "")
    guard !new.isEmpty else { return .refused("an action needs a name") }
    if let fault = new.nameFault(sizeMax: Limits.actionNameSizeMax) { return .refused(fault.sentence(of: "name")) }
    let hasLearnedTags = try secretStore.learnedTags().contains { $0.tag.action == old }
    let hasSecrets = try secretStore.secrets().hasAny(of: old)
    guard old != new, hasSecrets || hasLearnedTags else {
      return .refused(
        "there are no secrets and no learned tags of '\(old)'; 'tappet secret list' and 'tappet tag learned' show the "
          + "actions that have some")
    }
    let action = configuration.actions.first { $0.name == new }
    if hasLearnedTags, action != nil, let sentence = configuration.refusalToLearn(for: new) {
      return .refused("\(old) has learned tags, but " + sentence)
    }
    let renamed = try secretStore.renameAction(
      old, to: new, limit: configuration.secretsPerActionMax,
      noting: auditEntry("action-renamed", "\(old), now \(new)", request))
    var answer = SecretAnswer(
      json: .object([
        "secrets": .number(Int64(renamed.secretCount)), "learned_tags": .number(Int64(renamed.learnedTagCount)),
        "configured": .bool(action != nil),
      ]))
    answer.logRecord = logRecord(
      .notice, "action-renamed", "the secrets and learned tags of \(old) belong to \(new) now", request,
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

  private func rekey(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    let count = try secretStore.rekey(noting: auditEntry("rekeyed", "", request))
    var answer = SecretAnswer(json: .object(["sealed": .number(Int64(count))]))
    answer.logRecord = logRecord(
      .notice, "rekeyed", "everything is sealed under a new key", request, [("count", String(count))])
    return answer
  }

  private func sealValue(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer
  {
    switch request.json["name"]?.text {
    case SecretStore.timestampKeyName: return try sealTimestampKey(secretStore, request)
    case SecretStore.brokerPasswordName: return try sealBrokerPassword(secretStore, request)
    default: return .refused("only the timestamp key and the broker's password are kept beside the secrets")
    }
  }

  private func sealBrokerPassword(
    _ secretStore: SecretStore, _ request: SecretRequest
  ) throws(SecretStoreError) -> SecretAnswer {
    let name = SecretStore.brokerPasswordName
    guard let bytes = request.secretPayload, let password = BrokerPassword(bytes) else {
      return .refused("a password has 1 to \(Limits.brokerPasswordSizeMax) bytes without NUL")
    }
    try secretStore.seal(bytes, as: name, noting: auditEntry("broker-password-kept", name, request))
    var answer = SecretAnswer(json: .object([:]))
    answer.logRecord = logRecord(.notice, "broker-password-kept", "the broker's password was replaced", request)
    answer.brokerPassword = password
    return answer
  }

  private func sealTimestampKey(
    _ secretStore: SecretStore, _ request: SecretRequest
  ) throws(SecretStoreError) -> SecretAnswer {
    guard let digits = request.secretPayload, let key = digits.withBytes({ TimestampKey(hex: $0) }) else {
      return .refused("a timestamp key has 32, 48 or 64 hex digits")
    }
    try secretStore.seal(
      digits, as: SecretStore.timestampKeyName,
      noting: auditEntry("timestamp-key-kept", SecretStore.timestampKeyName, request))
    var answer = SecretAnswer(json: .object([:]))
    answer.logRecord = logRecord(.notice, "timestamp-key-kept", "the timestamp key was replaced", request)
    answer.timestampKey = key
    return answer
  }

  /// Shows a sealed value, or the names of all if the request has no name.
  private func revealValue(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError)
    -> SecretAnswer
  {
    guard let name = request.json["name"]?.text else {
      let names = try secretStore.sealedValueNames().filter { !Store.isListed($0) }
      return SecretAnswer(json: .object(["names": .array(names.map { .string($0) })]))
    }
    try secretStore.note(auditEntry("value-shown", name, request))
    guard let value = try secretStore.sealedValue(named: name) else { return .refused("nothing is kept as '\(name)'") }
    var answer = SecretAnswer(json: .object(["name": .string(name)]))
    answer.secretPayload = value
    answer.logRecord = logRecord(.notice, "value-shown", "a sealed value was shown", request, [("name", name)])
    return answer
  }

  // MARK: The audit

  private func audit(_ secretStore: SecretStore, _ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    if request.json["verify"] == .bool(true) { return try auditState(secretStore) }
    let after = request.json["after"]?.wholeNumber ?? 0
    var entries: [JSON] = []
    do throws(DatabaseError) {
      for row in try secretStore.store.audit(after: after, limit: Limits.secretsPerAnswerMax) {
        entries.append(
          .object([
            "number": .number(row.number), "time": .number(row.entry.unixSeconds), "deed": .string(row.entry.operation),
            "subject": .string(row.entry.subject), "detail": .optional(row.entry.detail),
            "user": .number(Int64(row.entry.peer.user)),
            "process": .number(Int64(row.entry.peer.process)), "program": .string(row.entry.peer.program),
          ]))
      }
    } catch { throw .store(error) }
    return SecretAnswer(json: .object(["deeds": .array(entries)]))
  }

  private func auditState(_ secretStore: SecretStore) throws(SecretStoreError) -> SecretAnswer {
    switch try secretStore.auditState() {
    case .whole(let count): SecretAnswer(json: .object(["count": .number(Int64(count)), "broken": .null]))
    case .broken(let number): SecretAnswer(json: .object(["count": .null, "broken": .number(number)]))
    }
  }

  // MARK: Reloading

  /// Loads the secrets again, after another process has changed them.
  private func reload(_ secretStore: SecretStore) throws(SecretStoreError) -> SecretAnswer {
    let secrets = try secretStore.usableSecrets()
    return SecretAnswer(
      json: .object(["secrets": .number(Int64(secrets.count))]), secrets: secrets,
      learnedTags: try secretStore.learnedTags().map { $0.tag })
  }
}
