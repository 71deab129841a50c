// The results of tag jobs, and a tag job that is executed in the tool because no kiosk is running. The runner performs
// the steps that `TagJob` decides on, and provides the result at the end.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

/// A tag job in progress.
///
/// Confined to one thread.
package final class TagJobRunner {
  /// The result of a job.
  package struct Result: Sendable {
    /// Whether the job was completed in full.
    package var isDone: Bool
    /// Whether a person or a tag caused the failure, rather than a device or a disk.
    package var isRefusal: Bool
    /// Machine-readable reason for a failure.
    package var code: String?
    /// The result as one sentence.
    package var sentence: String
    /// The result as JSON, for scripts and for the requesting tool.
    package var json: JSON
    /// Id of the saved secret, if any.
    package var secretID: String?
    /// UID of the tag in hexadecimal digits, if there was a tag.
    package var uid: String?
  }

  private var record: TagJobRecord
  private var job: TagJob
  private let save: (TagJobRecord.WrittenSecret) -> String?
  private let send: (ReaderOrder) -> Bool
  private let tell: (TagJobNotice) -> Void
  /// The result of the job; `nil` until the job has ended.
  package private(set) var result: Result?

  /// Creates a job for `peer` that waits for its tag, in a process that opens the store itself; throws if the job
  /// cannot succeed.
  @export(interface)
  package convenience init(
    _ request: TagJobRequest, _ configuration: KioskConfiguration, by peer: LocalPeer, unixSeconds: Int64,
    send: @escaping (ReaderOrder) -> Bool, tell: @escaping (TagJobNotice) -> Void
  ) throws(TagJobRefusal) {
    let secretStore: SecretStore
    do throws(SecretStoreError) { secretStore = try SecretStore.open(folder: configuration.stateFolder) } catch {
      throw .secretStore(error)
    }
    let job = try request.job(configuration, secretStore, unixSeconds: unixSeconds)
    let limit = configuration.secretsPerActionMax
    let save: (TagJobRecord.WrittenSecret) -> String? = { written in
      do throws(SecretStoreError) { try written.save(in: secretStore, limit: limit) } catch { return error.sentence }
      return nil
    }
    self.init(TagJobRecord(request, by: peer), job, save: save, send: send, tell: tell)
  }

  // Separate from the throwing initializer, where Embedded Swift would leak the object (6.3.1).
  /// Creates a prepared job that waits for its tag; `save` saves a secret, and returns the reason if it fails.
  private init(
    _ record: TagJobRecord, _ job: TagJob, save: @escaping (TagJobRecord.WrittenSecret) -> String?,
    send: @escaping (ReaderOrder) -> Bool, tell: @escaping (TagJobNotice) -> Void
  ) {
    self.record = record
    self.job = job
    self.save = save
    self.send = send
    self.tell = tell
  }

  /// Whether a tag is being written.
  package var isWorking: Bool { job.isWorking }

  /// Handles a tag that is already on the reader and contains the given URL, if any.
  package func tagIsThere(_ uid: TagUID, holding url: TagURL? = nil) { perform(job.tagIsThere(uid, holding: url)) }

  /// Handles a message from tappet-reader.
  package func heard(_ message: ReaderMessage) { perform(job.received(message)) }

  /// Stops waiting for a tag; a write in progress is still completed.
  package func giveUp(_ reason: TagJobFailure) { perform(job.giveUp(reason)) }

  /// Handles the exit of tappet-reader.
  package func readerLost() { perform(job.readerLost()) }

  private func perform(_ steps: [TagJob.Step]) {
    for step in steps {
      switch step {
      case .order(let order):
        // If the reader does not accept an order, its process has ended.
        if !send(order) { return perform(job.readerLost()) }
      case .notify(let notice): tell(notice)
      case .save(let secret, let former):
        record.trouble = save(record.written(secret, former))
        perform(job.saved(record.trouble == nil))
      case .end(let end): result = record.result(end)
      }
    }
  }
}

/// The request of a job, and what its result needs to know of its steps.
struct TagJobRecord: Sendable {
  /// The secret of a written tag.
  struct WrittenSecret: Sendable {
    fileprivate var secret: TagSecret
    /// Id of the secret that was replaced on the tag.
    fileprivate var replacedID: String?
    fileprivate var auditEntry: AuditEntry

    /// Saves the secret, and removes the secret that it replaces.
    func save(in secretStore: SecretStore, limit: Int) throws(SecretStoreError) {
      // Somebody may have removed the person while the job waited for its tag.
      if let owner = secret.person, try !secretStore.people().all.contains(where: { $0.id == owner.id }) {
        throw .secret(.person(.unknown(owner.name, nearest: nil)))
      }
      try secretStore.add(secret, replacing: replacedID, limit: limit, noting: auditEntry)
    }
  }

  let request: TagJobRequest
  private let peer: LocalPeer
  /// The previous secret of the tag.
  private var former: FormerSecret?
  /// The reason why the secret of the written tag could not be saved.
  var trouble: String?

  /// Creates the record of a job that was requested by the process `peer`.
  init(_ request: TagJobRequest, by peer: LocalPeer) {
    self.request = request
    self.peer = peer
  }

  mutating func written(_ secret: TagSecret, _ former: FormerSecret?) -> WrittenSecret {
    self.former = former
    return WrittenSecret(
      secret: secret, replacedID: former?.replacedID,
      auditEntry: AuditEntry(
        unixSeconds: secret.createdUnixSeconds, peer: peer, operation: "secret-made", subject: secret.id,
        detail: secret.auditDetail))
  }

  func result(_ end: TagJobEnd) -> TagJobRunner.Result { TagJobRunner.Result(end, request, former, trouble) }
}

extension TagJobRunner.Result {
  /// Creates the result of a failed job.
  package init(isDone: Bool, isRefusal: Bool, code: String?, sentence: String) {
    self.isDone = isDone
    self.isRefusal = isRefusal
    self.code = code
    self.sentence = sentence
    json = .object([
      "done": .bool(isDone), "refused": .bool(isRefusal), "code": .optional(code), "sentence": .string(sentence),
    ])
  }

  /// Creates the result of a refused job.
  package init(_ refusal: TagJobRefusal) {
    self.init(isDone: false, isRefusal: refusal.isRefusal, code: refusal.code, sentence: refusal.sentence)
  }

  fileprivate init(_ end: TagJobEnd, _ request: TagJobRequest, _ former: FormerSecret?, _ trouble: String?) {
    switch end {
    case .notSaved:
      self.init(
        isDone: false, isRefusal: false, code: "secret-not-saved",
        sentence: "the tag was written, but its secret could not be saved, so it does not work: \(trouble ?? "")")
    case .failed(let model, let failure):
      self.init(
        isDone: false, isRefusal: failure.isRefusal, code: failure.code,
        sentence: failure.sentence(model, to: request.kind))
    case .done(let outcome, let secret, let isProtected):
      self.init(
        nil, outcome, secret, isProtected,
        Self.sentence(outcome, secret, isProtected, request) + Self.sentence(former), former)
    case .doneUnprotected(let outcome, let secret, let fault):
      self.init(
        fault.reason, outcome, secret, false,
        "written: \(secret.action); the tag works, but is not protected: "
          + (fault == .unsupportedModel
            ? "the \(outcome.model.name) does not support passwords, so anyone can rewrite it"
            : fault.sentence(outcome.model, to: request.kind)) + Self.sentence(former), former)
    }
  }

  private init(
    _ code: String?, _ outcome: OrderOutcome, _ secret: TagSecret?, _ isProtected: Bool, _ sentence: String,
    _ former: FormerSecret?
  ) {
    isDone = code == nil
    isRefusal = code != nil
    self.code = code
    self.sentence = sentence
    let uid = Hex.encode(outcome.uid.bytes)
    self.uid = uid
    secretID = secret?.id
    json = .object([
      "done": .bool(isDone), "refused": .bool(!isDone), "code": .optional(code), "sentence": .string(sentence),
      "uid": .string(uid), "model": .string(outcome.model.name), "writes": .number(Int64(outcome.writes)),
      "action": .optional(secret?.action), "secret": .optional(secret?.id), "protected": .bool(isProtected),
      "replaced": .optional(former?.replacedID), "kept": .optional(former?.keptID),
    ])
  }

  private static func sentence(_ former: FormerSecret?) -> String {
    switch former {
    case .replaced(let secret): "; its previous secret, \(secret.id) of \(secret.action), was removed"
    case .kept(let secret):
      "; its previous secret, \(secret.id) of \(secret.action), is kept, because other tags or phones may have it; "
        + "use 'tappet secret remove \(secret.id)' to remove it"
    case nil: ""
    }
  }

  private static func sentence(
    _ outcome: OrderOutcome, _ secret: TagSecret?, _ isProtected: Bool, _ request: TagJobRequest
  ) -> String {
    let what = "\(outcome.model.name) \(Hex.encode(outcome.uid.bytes))"
    switch request.kind {
    case .write where request.action == nil: return "written: the text '\(request.text ?? "")' on \(what)"
    case .write:
      return "written: \(secret?.action ?? "") on \(what); 'tappet secret list' lists it as \(secret?.id ?? "")"
        + (isProtected ? "; only this kiosk can rewrite it" : "")
    case .erase: return "erased: \(what)"
    case .lock: return "permanently locked: \(what)"
    case .format: return outcome.writes == 0 ? "already formatted: \(what)" : "formatted: \(what)"
    }
  }
}

extension FormerSecret {
  fileprivate var replacedID: String? {
    if case .replaced(let secret) = self { return secret.id }
    return nil
  }

  fileprivate var keptID: String? {
    if case .kept(let secret) = self { return secret.id }
    return nil
  }
}
