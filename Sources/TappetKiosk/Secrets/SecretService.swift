// The requests about secrets: the same for the tool, which opens the store itself, and for the running kiosk, which
// serves them on the store's thread and is asked over its control socket. A key never becomes JSON, whose texts nobody
// wipes: it follows the JSON as bytes.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// A request and its author.
package struct SecretRequest: Sendable {
  /// `{"request": NAME, …}`.
  package var json: JSON
  /// A share URL, or another value that is to be sealed.
  package var secretPayload: SecretBytes?
  /// The process that asks.
  package var peer: LocalPeer

  /// Makes a request of the process `peer`.
  package init(_ json: JSON, enclosing secretPayload: SecretBytes? = nil, by peer: LocalPeer) {
    self.json = json
    self.secretPayload = secretPayload
    self.peer = peer
  }
}

/// The answer to a request.
package struct SecretAnswer: Sendable {
  /// `{"error": SENTENCE, "refused": bool}`, or the facts.
  package var json: JSON
  /// The key that was asked for.
  package var secretPayload: SecretBytes?
  /// A record of the change for the log; `nil` if nothing was changed or shown.
  package var logRecord: LogRecord?
  /// All usable secrets after a change.
  package var secrets: [TagSecret]?
  /// All learned tags after a change.
  package var learnedTags: [ForeignTag]?
  /// The former and the present name of an action whose secrets were moved.
  package var renamedAction: (former: String, name: String)?
  /// The timestamp key after it was replaced.
  package var timestampKey: TimestampKey?
  /// The broker's password after it was replaced.
  package var brokerPassword: BrokerPassword?
  /// The reason why the secrets' replica does not have the change; `nil` if it has.
  ///
  /// Set only without a running kiosk.
  package var replicaError: DatabaseError?
}

/// Answers requests about secrets.
///
/// Blocks on the disk. Any thread.
package final class SecretService: Sendable {
  let configuration: KioskConfiguration
  /// The user who, besides root, may see keys and replace the sealing key; the control socket's group may do the rest.
  let owner: UInt32
  /// Bytes of an answer.
  let answerSizeMax: Int

  /// A service for the configuration's state folder; its answers fit the control socket unless `answerSizeMax` says
  /// otherwise.
  package init(_ configuration: KioskConfiguration, owner: UInt32, answerSizeMax: Int = Limits.controlReplySizeMax) {
    self.configuration = configuration
    self.owner = owner
    self.answerSizeMax = answerSizeMax
  }

  /// Whether a request of this name is one of ours.
  package static func knows(_ name: String) -> Bool { SecretRequest.Kind(rawValue: name) != nil }

  /// Opens the store and serves the request: for the tool, when no kiosk runs.
  @export(interface)
  package func answer(_ request: SecretRequest) -> SecretAnswer {
    do throws(SecretStoreError) {
      let secretStore = try SecretStore.open(folder: configuration.stateFolder)
      var answer = answer(request, in: .success(secretStore))
      answer.replicaError = secretStore.store.replicaError
      return answer
    } catch { return answer(request, in: .failure(error)) }
  }

  /// Serves the request in an open store.
  func answer(_ request: SecretRequest, in secrets: StoreThread.Secrets) -> SecretAnswer {
    guard let kind = SecretRequest.Kind(rawValue: request.json["request"]?.text ?? "") else {
      return .refused("the request is none about secrets")
    }
    do throws(SecretStoreError) {
      let secretStore = try secrets.get()
      if kind.isForOwner, request.peer.user != 0, request.peer.user != owner {
        return try refuse(kind, request, in: secretStore)
      }
      return try perform(kind, request, in: secretStore)
    } catch {
      return error.isRefusal ? .refused(error.sentence) : .failed(error.sentence)
    }
  }

  private func refuse(
    _ kind: SecretRequest.Kind, _ request: SecretRequest, in secretStore: SecretStore
  ) throws(SecretStoreError) -> SecretAnswer {
    try secretStore.note(auditEntry("refused", kind.rawValue, request))
    var answer = SecretAnswer.refused(
      "only root and the kiosk's own user (\(owner)) may see keys or replace the sealing key; "
        + "you are user \(request.peer.user)")
    answer.logRecord = logRecord(
      .warning, "secret-request-refused", "a key was asked for by a user who may not see it", request)
    return answer
  }

  /// Saves the secret of a tag that was written, and removes the one that it replaces.
  static func save(
    _ written: TagJobRunner.WrittenSecret, limit: Int, in secrets: StoreThread.Secrets
  ) -> SecretAnswer {
    do throws(SecretStoreError) {
      let secretStore = try secrets.get()
      try secretStore.add(written.secret, replacing: written.replacedID, limit: limit, noting: written.auditEntry)
      return SecretAnswer(json: .null, secrets: try secretStore.usableSecrets())
    } catch { return .failed(error.sentence) }
  }

  // MARK: For all kinds

  /// Makes an entry for the audit.
  func auditEntry(
    _ operation: String, _ subject: String, _ request: SecretRequest, detail: String? = nil
  ) -> AuditEntry {
    AuditEntry(
      unixSeconds: SystemClock().now().unixSeconds, peer: request.peer, operation: operation, subject: subject,
      detail: detail)
  }

  /// Makes a record for the log.
  func logRecord(
    _ priority: Priority, _ name: String, _ sentence: String, _ request: SecretRequest, _ fields: [Field] = []
  ) -> LogRecord {
    LogRecord(
      priority, name, sentence,
      fields + [
        ("by_user", String(request.peer.user)), ("by_process", String(request.peer.process)),
        ("by_program", request.peer.program),
      ])
  }

  /// Finds the secret of the request's id, or the only one whose id or fingerprint begins with it.
  func find(_ request: SecretRequest, in secretStore: SecretStore) throws(SecretStoreError) -> Match {
    let wanted = request.json["id"]?.text ?? ""
    guard !wanted.isEmpty else { return .none("say which secret; 'tappet secret list' shows the ids") }
    let stored = try secretStore.secrets()
    var found: [(id: String, action: String)] = []
    for entry in stored.readable
    where entry.secret.id.begins(with: wanted) || entry.secret.key.fingerprint?.begins(with: wanted) == true {
      if entry.secret.id == wanted { return .readable(entry.secret) }
      found.append((entry.secret.id, entry.secret.action))
    }
    for entry in stored.unreadable where entry.id.begins(with: wanted) {
      if entry.id == wanted { return .unreadable(id: entry.id, action: entry.action) }
      found.append((entry.id, entry.action))
    }
    guard let only = found.first else {
      return .none("there is no secret '\(wanted)'; 'tappet secret list' shows the ids")
    }
    guard found.count == 1 else {
      return .none("'\(wanted)' matches \(found.count) secrets; type more of the id")
    }
    for entry in stored.readable where entry.secret.id == only.id { return .readable(entry.secret) }
    return .unreadable(id: only.id, action: only.action)
  }

  /// The result of a search by id.
  enum Match {
    case readable(TagSecret)
    case unreadable(id: String, action: String)
    case none(String)
  }
}

extension SecretAnswer {
  static func refused(_ sentence: String) -> SecretAnswer {
    SecretAnswer(json: .object(["error": .string(sentence), "refused": .bool(true)]))
  }

  static func failed(_ sentence: String) -> SecretAnswer {
    SecretAnswer(json: .object(["error": .string(sentence), "refused": .bool(false)]))
  }
}

extension SecretStoreError {
  /// Whether the request is at fault, and not the disk or the key.
  package var isRefusal: Bool {
    switch self {
    case .store, .sealingKey: false
    case .keyIsGiven, .noTimestampKey, .noBrokerPassword: true
    case .secret(let error):
      switch error {
      case .limitReached, .alreadyThere, .label, .person, .peopleRow: true
      case .foreignKey, .unreadable, .notSealed, .store: false
      }
    }
  }
}
