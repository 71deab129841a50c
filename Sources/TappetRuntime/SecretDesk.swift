// What one may ask about secrets: the same for the tool, which opens the store itself, and for the running kiosk, which is
// asked over its control socket. A key never becomes JSON, whose texts nobody wipes: it travels behind the JSON, as bytes.

import TappetCore
import TappetDevices

/// A request and whose it is.
public struct SecretRequest: Sendable {
  /// `{"request": NAME, …}`.
  public var json: JSON
  /// A share URL, or another value that is to be kept.
  public var enclosure: SecretBytes?
  /// Who asks.
  public var peer: LocalPeer

  /// A request.
  public init(_ json: JSON, enclosing enclosure: SecretBytes? = nil, by peer: LocalPeer) {
    self.json = json
    self.enclosure = enclosure
    self.peer = peer
  }
}

/// What came of it.
public struct SecretAnswer: Sendable {
  /// `{"error": SENTENCE, "refused": bool}`, or the facts.
  public var json: JSON
  /// A key that was asked for.
  public var enclosure: SecretBytes?
  /// What was done to the secrets, for the log; nil: nothing.
  public var line: Line?
  /// The secrets as they are now, after they changed.
  public var secrets: [TagSecret]?
  /// The timestamp key, after it was replaced.
  public var timestampKey: TimestampKey?
  /// Why the copy of the secrets does not have the change; nil: it has.
  public var copyTrouble: StoreError?
}

/// Answers requests about secrets.
///
/// Opens the store for each; blocks on the disk. Any thread.
public final class SecretDesk: Sendable {
  let configuration: Configuration
  /// Users who may see keys and replace the sealing key; the others of the control socket's group may only change what acts.
  let owner: UInt32

  /// A desk over the configuration's state folder, for this process's user and root.
  public init(_ configuration: Configuration, owner: UInt32) {
    self.configuration = configuration
    self.owner = owner
  }

  /// Whether it is one of ours.
  public static func knows(_ name: String) -> Bool { Errand(name) != nil }

  /// Does what is asked.
  public func answer(_ request: SecretRequest) -> SecretAnswer {
    guard let errand = Errand(request.json["request"]?.text ?? "") else {
      return .refused("the request is none about secrets")
    }
    do throws(VaultError) {
      let vault = try Vault.open(configuration)
      if errand.isForOwner, request.peer.user != 0, request.peer.user != owner {
        try vault.note(deed("refused", errand.name, request))
        var answer = SecretAnswer.refused(
          "only root and the kiosk's own user (\(owner)) may see keys or replace the sealing key; you are user \(request.peer.user)"
        )
        answer.line = line(
          .warning, "secret-request-refused", "a key was asked for by a user who may not see it", request)
        return answer
      }
      var answer = try errand.run(self, vault, request)
      answer.copyTrouble = vault.store.backupTrouble
      return answer
    } catch {
      return error.isRefusal ? .refused(error.sentence) : .failed(error.sentence)
    }
  }

  /// Saves the secret of a tag that was written.
  public func save(_ secret: TagSecret, noting deed: AuditEntry) -> SecretAnswer {
    do throws(VaultError) {
      let vault = try Vault.open(configuration)
      try vault.add(secret, noting: deed)
      return SecretAnswer(
        json: .null, secrets: try vault.usableSecrets(), copyTrouble: vault.store.backupTrouble)
    } catch { return .failed(error.sentence) }
  }

  // MARK: What all errands need

  /// For the audit.
  func deed(_ word: String, _ subject: String, _ request: SecretRequest) -> AuditEntry {
    AuditEntry(
      unixSeconds: SystemClock().now().unixSeconds, peer: request.peer, deed: word, subject: subject)
  }

  /// For the log.
  func line(
    _ priority: Priority, _ name: String, _ sentence: String, _ request: SecretRequest, _ fields: [Field] = []
  ) -> Line {
    Line(
      priority, name, sentence,
      fields + [
        ("by_user", String(request.peer.user)), ("by_process", String(request.peer.process)),
        ("by_program", request.peer.program),
      ])
  }

  /// The secret of this id, or the only one whose id begins so.
  func find(_ request: SecretRequest, in vault: Vault) throws(VaultError) -> Finding {
    let wanted = request.json["id"]?.text ?? ""
    guard !wanted.isEmpty else { return .none("say which secret; 'tappet secret list' shows the ids") }
    let stored = try vault.secrets()
    var found: [(id: String, action: String)] = []
    for entry in stored.readable where entry.secret.id.begins(with: wanted) {
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
      return .none("the ids of \(found.count) secrets begin with '\(wanted)'; say more of the one that is meant")
    }
    for entry in stored.readable where entry.secret.id == only.id { return .readable(entry.secret) }
    return .unreadable(id: only.id, action: only.action)
  }

  /// What an id led to.
  enum Finding {
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

extension VaultError {
  /// Whether what was asked for is at fault, and not the disk or the key.
  public var isRefusal: Bool {
    switch self {
    case .store, .sealingKey: false
    case .keyIsGiven, .noTimestampKey: true
    case .secret(let error):
      switch error {
      case .limitReached, .alreadyThere, .labelTooLong, .labelNotPrintable: true
      case .foreignKey, .unreadable, .notSealed, .store: false
      }
    }
  }
}
