// Service for requests about secrets, shared by the tool, which opens the store itself, and the running kiosk, which
// serves requests on the store thread.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// The answer to a request.
package struct SecretAnswer: Sendable {
  /// The JSON of the answer, or the failure.
  package var result: Result<JSON, SecretFailure>
  /// The requested key.
  package var secretPayload: SecretBytes?
  /// Log record of the change; `nil` if nothing was changed or shown.
  package var logRecord: LogRecord?
  /// All usable secrets after a change.
  package var secrets: [TagSecret]?
  /// All learned tags after a change.
  package var learnedTags: [ExternalTag]?
  /// Whether the page's password was replaced.
  package var replacesPagePassword = false
  /// All devices of the page after a change.
  package var pageDevices: [PageDevice]?
  /// Former and new name of an action whose secrets were moved.
  package var renamedAction: (former: String, name: String)?
  /// The timestamp key after it was replaced.
  package var timestampKey: TimestampKey?
  /// The broker's password after it was replaced.
  package var brokerPassword: BrokerPassword?
  /// The reason why the replica of the secrets does not contain the change; `nil` if it does.
  ///
  /// Set only if no kiosk is running.
  package var replicaError: DatabaseError?

  /// The reason why the request was not served.
  package var failure: SecretFailure? { if case .failure(let failure) = result { failure } else { nil } }

  /// The answer as sent on the control socket.
  package var json: JSON {
    switch result {
    case .success(let facts): facts
    case .failure(let failure): failure.isRefusal ? .refusal(failure.sentence) : .failure(failure.sentence)
    }
  }
}

/// The reason why a request about secrets was not served.
package struct SecretFailure: Error {
  /// Human-readable reason, one sentence.
  package var sentence: String
  /// Whether the request caused the failure, rather than the disk or the key.
  package var isRefusal: Bool

  /// Creates the failure for a store error.
  package init(_ error: SecretStoreError) {
    self.init(error.sentence, isRefusal: error.isRefusal)
  }

  init(_ sentence: String, isRefusal: Bool) {
    self.sentence = sentence
    self.isRefusal = isRefusal
  }
}

/// Answers requests about secrets.
///
/// Blocks on the disk. May be called on any thread.
package final class SecretService: Sendable {
  let configuration: KioskConfiguration
  /// The user who, like root, may see keys and replace the sealing key; the control socket's group may do everything
  /// else.
  let owner: UInt32
  /// Maximum size of an answer, in bytes.
  let answerSizeMax: Int

  /// Creates a service for the configuration's state folder; by default, its answers fit the control socket.
  package init(_ configuration: KioskConfiguration, owner: UInt32, answerSizeMax: Int = Limits.controlReplySizeMax) {
    self.configuration = configuration
    self.owner = owner
    self.answerSizeMax = answerSizeMax
  }

  /// Opens the store and serves a request from this process; used by the tool if no kiosk is running.
  @export(interface)
  package func answer(_ request: SecretRequest) -> SecretAnswer {
    do throws(SecretStoreError) {
      let secretStore = try SecretStore.open(folder: configuration.stateFolder)
      var answer = answer(request, by: .current(), in: .success(secretStore))
      answer.replicaError = secretStore.store.replicaError
      return answer
    } catch { return answer(request, by: .current(), in: .failure(error)) }
  }

  /// Serves a request from the process `peer`, using an open store.
  func answer(_ request: SecretRequest, by peer: LocalPeer, in secrets: StoreThread.Secrets) -> SecretAnswer {
    do throws(SecretStoreError) {
      let work = SecretWork(self, try secrets.get(), peer)
      if request.isForOwner, peer.user != 0, peer.user != owner { return try work.refuse(request) }
      return try work.perform(request)
    } catch { return SecretAnswer(result: .failure(SecretFailure(error))) }
  }

  /// Saves the secret of a written tag, and removes the secret that it replaces.
  static func save(
    _ written: TagJobRecord.WrittenSecret, limit: Int, in secrets: StoreThread.Secrets
  ) -> SecretAnswer {
    do throws(SecretStoreError) {
      let secretStore = try secrets.get()
      try written.save(in: secretStore, limit: limit)
      return SecretAnswer(result: .success(.null), secrets: try secretStore.usableSecrets())
    } catch { return SecretAnswer(result: .failure(SecretFailure(error))) }
  }
}

/// The work on one request: the service, the open store and the requesting process.
struct SecretWork {
  let service: SecretService
  let secretStore: SecretStore
  let peer: LocalPeer

  var configuration: KioskConfiguration { service.configuration }

  init(_ service: SecretService, _ secretStore: SecretStore, _ peer: LocalPeer) {
    self.service = service
    self.secretStore = secretStore
    self.peer = peer
  }

  func refuse(_ request: SecretRequest) throws(SecretStoreError) -> SecretAnswer {
    try secretStore.note(auditEntry("refused", request.form.name))
    var answer = SecretAnswer.refused(
      "only root and the kiosk's own user (\(service.owner)) can see keys or replace the sealing key; "
        + "you are user \(peer.user)")
    answer.logRecord = logRecord(
      .warning, "secret-request-refused", "a key was requested by a user who is not allowed to see it")
    return answer
  }

  // MARK: For all requests

  /// Creates an audit entry.
  func auditEntry(_ operation: String, _ subject: String, detail: String? = nil) -> AuditEntry {
    AuditEntry(
      unixSeconds: SystemClock().now().unixSeconds, peer: peer, operation: operation, subject: subject, detail: detail)
  }

  /// Creates a log record.
  func logRecord(
    _ priority: Priority, _ name: String, _ sentence: String, _ fields: [Field] = []
  ) -> LogRecord {
    LogRecord(
      priority, name, sentence,
      fields + [
        ("by_user", String(peer.user)), ("by_process", String(peer.process)), ("by_program", peer.program),
      ])
  }

  /// Finds the secret with the id `wanted`, or the only secret whose id or fingerprint starts with `wanted`.
  func find(_ wanted: String) throws(SecretStoreError) -> Match {
    guard !wanted.isEmpty else { return .none("specify a secret; use 'tappet secret list' to list the ids") }
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
      return .none("there is no secret '\(wanted)'; use 'tappet secret list' to list the ids")
    }
    guard found.count == 1 else {
      return .none("'\(wanted)' matches \(found.count) secrets; specify more characters of the id")
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
  init(_ facts: JSON) { self.init(result: .success(facts)) }

  static func refused(_ sentence: String) -> SecretAnswer {
    SecretAnswer(result: .failure(SecretFailure(sentence, isRefusal: true)))
  }

  static func failed(_ sentence: String) -> SecretAnswer {
    SecretAnswer(result: .failure(SecretFailure(sentence, isRefusal: false)))
  }
}

extension SecretStoreError {
  /// Whether the request caused the error, rather than the disk or the key.
  package var isRefusal: Bool {
    @export(interface) get {
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
}
