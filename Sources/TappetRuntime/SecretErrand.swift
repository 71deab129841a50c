// The requests about secrets, one after the other. Each commits its change together with the note of who made it.

import TappetCore
import TappetDevices

/// One kind of request.
enum Errand {
  case list
  case new
  case add
  case share
  case rename
  case remove
  case rekey
  case keep
  case reveal
  case audit

  init?(_ name: String) {
    switch name {
    case "secret-list": self = .list
    case "secret-new": self = .new
    case "secret-add": self = .add
    case "secret-share": self = .share
    case "secret-rename": self = .rename
    case "secret-remove": self = .remove
    case "secret-rekey": self = .rekey
    case "value-keep": self = .keep
    case "value-reveal": self = .reveal
    case "audit": self = .audit
    default: return nil
    }
  }

  /// As in the request.
  var name: String {
    switch self {
    case .list: "secret-list"
    case .new: "secret-new"
    case .add: "secret-add"
    case .share: "secret-share"
    case .rename: "secret-rename"
    case .remove: "secret-remove"
    case .rekey: "secret-rekey"
    case .keep: "value-keep"
    case .reveal: "value-reveal"
    case .audit: "audit"
    }
  }

  /// What shows a key, or makes all others useless.
  var isForOwner: Bool {
    switch self {
    case .share, .rekey, .keep, .reveal: true
    case .list, .new, .add, .rename, .remove, .audit: false
    }
  }

  func run(_ desk: SecretDesk, _ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    switch self {
    case .list: try desk.list(vault, request)
    case .new: try desk.new(vault, request)
    case .add: try desk.add(vault, request)
    case .share: try desk.share(vault, request)
    case .rename: try desk.rename(vault, request)
    case .remove: try desk.remove(vault, request)
    case .rekey: try desk.rekey(vault, request)
    case .keep: try desk.keep(vault, request)
    case .reveal: try desk.reveal(vault, request)
    case .audit: try desk.audit(vault, request)
    }
  }
}

extension SecretDesk {
  // MARK: Secrets

  /// `from`: how many were told before.
  fileprivate func list(_ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    let stored = try vault.secrets()
    let from = min(max(0, Int(clamping: request.json["from"]?.wholeNumber ?? 0)), stored.readable.count)
    let page = stored.readable[from...].prefix(Limits.secretsPerAnswerMax)
    var unreadable: [JSON] = []
    for secret in stored.unreadable.prefix(Limits.secretsPerAnswerMax) {
      unreadable.append(.object(["id": .string(secret.id), "action": .string(secret.action)]))
    }
    let next = from + page.count
    return SecretAnswer(
      json: .object([
        "secrets": .array(page.map { json($0) }), "unreadable": .array(unreadable),
        "next": next < stored.readable.count ? .number(Int64(next)) : .null,
      ]))
  }

  private func json(_ entry: StoredSecret) -> JSON {
    .object([
      "id": .string(entry.secret.id), "action": .string(entry.secret.action), "index": .number(entry.secret.index),
      "label": .optional(entry.secret.label), "created": .number(entry.secret.createdUnixSeconds),
      "last_used": entry.lastUsedUnixSeconds.map { .number($0) } ?? .null, "times_used": .number(entry.timesUsed),
    ])
  }

  fileprivate func new(_ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    let name = request.json["action"]?.text ?? ""
    guard let action = configuration.actions.first(where: { $0.name == name }) else {
      return .refused("there is no action '\(name)' in the configuration")
    }
    guard let key = try? SecretKey.random() else { return .failed("the system has no random numbers") }
    return try add(
      vault, request, action: action.name, index: action.index, key, label: request.json["label"]?.text?.trimmedLabel,
      deed: "secret-made")
  }

  fileprivate func add(_ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    let share: ShareURL
    guard let enclosure = request.enclosure else { return .refused(ShareURLError.notAShareURL.sentence) }
    do throws(ShareURLError) {
      share = try enclosure.withBytes { (text) throws(ShareURLError) in try ShareURL.parse(at: text) }
    } catch { return .refused(error.sentence) }
    guard let action = configuration.actions.first(where: { $0.index == share.index }) else {
      return .refused("the share code is for action \(share.index), which is not configured")
    }
    if let wanted = request.json["action"]?.text, wanted != action.name {
      return .refused("the share code is for \(action.name), not for \(wanted)")
    }
    return try add(
      vault, request, action: action.name, index: share.index, share.key,
      label: request.json["label"]?.text?.trimmedLabel ?? share.label, deed: "secret-added")
  }

  fileprivate func add(
    _ vault: Vault, _ request: SecretRequest, action: String, index: Int64, _ key: SecretKey, label: String?,
    deed word: String
  ) throws(VaultError) -> SecretAnswer {
    guard let id = try? TagSecret.newID() else { return .failed("the system has no random numbers") }
    let secret = TagSecret(
      id: id, action: action, index: index, key: key, createdUnixSeconds: SystemClock().now().unixSeconds, label: label)
    try vault.add(secret, noting: deed(word, id, request))
    return try changed(
      vault, "a secret of \(action) was added", word, request, id: id, action: action, label: label)
  }

  fileprivate func share(_ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    switch try find(request, in: vault) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let id, _):
      return .failed("the secret \(id) was sealed under another key, or is damaged; remove it and import it anew")
    case .readable(let secret):
      // Before it is shown: what is seen cannot be taken back.
      let isBackup = request.json["for"]?.text == "backup"
      try vault.note(deed(isBackup ? "secret-backed-up" : "secret-shared", secret.id, request))
      var answer = SecretAnswer(
        json: .object([
          "id": .string(secret.id), "action": .string(secret.action), "label": .optional(secret.label),
          "created": .number(secret.createdUnixSeconds), "index": .number(secret.index),
        ]))
      var text = ShareURL(index: secret.index, key: secret.key, label: secret.label).text()
      answer.enclosure = SecretBytes(taking: &text)
      answer.line = line(
        .notice, isBackup ? "secret-backed-up" : "secret-shared",
        "the key of a secret of \(secret.action) was \(isBackup ? "put into a backup" : "shown")", request,
        [("id", secret.id), ("action", secret.action)])
      return answer
    }
  }

  fileprivate func rename(_ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    let id: String
    let action: String
    switch try find(request, in: vault) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let found, let name): (id, action) = (found, name)
    case .readable(let secret): (id, action) = (secret.id, secret.action)
    }
    let label = request.json["label"]?.text?.trimmedLabel
    guard try vault.rename(id: id, label: label, noting: deed("secret-renamed", id, request)) else {
      return .refused("the secret \(id) was removed meanwhile")
    }
    return try changed(
      vault, "a secret of \(action) was given another label", "secret-renamed", request, id: id, action: action,
      label: label)
  }

  fileprivate func remove(_ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    let id: String
    let action: String
    let label: String?
    switch try find(request, in: vault) {
    case .none(let sentence): return .refused(sentence)
    case .unreadable(let found, let name): (id, action, label) = (found, name, nil)
    case .readable(let secret): (id, action, label) = (secret.id, secret.action, secret.label)
    }
    guard try vault.remove(id: id, noting: deed("secret-removed", id, request)) else {
      return .refused("the secret \(id) was removed meanwhile")
    }
    return try changed(
      vault, "a secret of \(action) was removed: its tags are refused from now on", "secret-removed", request, id: id,
      action: action, label: label)
  }

  private func changed(
    _ vault: Vault, _ sentence: String, _ name: String, _ request: SecretRequest, id: String, action: String,
    label: String?
  ) throws(VaultError) -> SecretAnswer {
    var answer = SecretAnswer(
      json: .object(["id": .string(id), "action": .string(action), "label": .optional(label)]))
    answer.line = line(
      .notice, name, sentence, request,
      [("id", id), ("action", action)] + (label.map { [("label", $0)] } ?? []))
    answer.secrets = try vault.usableSecrets()
    return answer
  }

  // MARK: Keys

  fileprivate func rekey(_ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    let count = try vault.rekey(noting: deed("rekeyed", "", request))
    var answer = SecretAnswer(json: .object(["sealed": .number(Int64(count))]))
    answer.line = line(.notice, "rekeyed", "everything is sealed under a new key", request, [("count", String(count))])
    return answer
  }

  fileprivate func keep(_ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    guard request.json["name"]?.text == Vault.timestampKeyName else {
      return .refused("only the timestamp key is kept beside the secrets")
    }
    var digits = request.enclosure?.withBytes { Array($0) } ?? []
    defer { LibCrypto.wipe(&digits) }
    guard let key = TimestampKey(hex: digits[...]) else {
      return .refused("a timestamp key has 32, 48 or 64 hex digits")
    }
    try vault.keep(
      digits, as: Vault.timestampKeyName,
      noting: deed("timestamp-key-kept", Vault.timestampKeyName, request))
    var answer = SecretAnswer(json: .object([:]))
    answer.line = line(.notice, "timestamp-key-kept", "the timestamp key was replaced", request)
    answer.timestampKey = key
    return answer
  }

  /// Without a name: which names there are.
  fileprivate func reveal(_ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    guard let name = request.json["name"]?.text else {
      return SecretAnswer(json: .object(["names": .array(try vault.keptNames().map { .string($0) })]))
    }
    try vault.note(deed("value-shown", name, request))
    guard var value = try vault.kept(name) else { return .refused("nothing is kept as '\(name)'") }
    var answer = SecretAnswer(json: .object(["name": .string(name)]))
    answer.enclosure = SecretBytes(taking: &value)
    answer.line = line(.notice, "value-shown", "a sealed value was shown", request, [("name", name)])
    return answer
  }

  // MARK: The audit

  fileprivate func audit(_ vault: Vault, _ request: SecretRequest) throws(VaultError) -> SecretAnswer {
    let after = request.json["after"]?.wholeNumber ?? 0
    var deeds: [JSON] = []
    do throws(StoreError) {
      for row in try vault.store.audit(after: after, limit: Limits.secretsPerAnswerMax) {
        deeds.append(
          .object([
            "number": .number(row.number), "time": .number(row.entry.unixSeconds), "deed": .string(row.entry.deed),
            "subject": .string(row.entry.subject), "user": .number(Int64(row.entry.peer.user)),
            "process": .number(Int64(row.entry.peer.process)), "program": .string(row.entry.peer.program),
          ]))
      }
    } catch { throw .store(error) }
    return SecretAnswer(json: .object(["deeds": .array(deeds)]))
  }
}
