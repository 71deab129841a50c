// A job for a tag where it is carried out: in the running kiosk, or in the tool when none runs. It performs what `TagJob`
// decides, and says at the end what came of it.

import TappetCore
import TappetDevices

/// A job that is under way.
///
/// One thread.
public final class TagJobRun {
  /// How it ended.
  public struct Result: Sendable {
    /// Whether all that was asked for was done.
    public var isDone: Bool
    /// A person or a tag is the reason, not a device or a disk.
    public var isRefusal: Bool
    /// One sentence.
    public var sentence: String
    /// For scripts and for the tool that asked.
    public var json: JSON
    /// The id of the secret that was saved, if one was.
    public var secretID: String?
    /// The tag's UID in hexadecimal digits, if it came to that.
    public var uid: String?
  }

  private let request: TagJobRequest
  private var job: TagJob
  private let vault: Vault
  private let peer: LocalPeer
  private let send: (ReaderOrder) -> Bool
  private let tell: (TagJobNotice) -> Void
  private let saveElsewhere: ((TagSecret, AuditEntry) -> Bool)?
  /// The secret was saved on this thread.
  public private(set) var hasSavedHere = false
  /// Set at the end.
  public private(set) var result: Result?

  /// A job of `peer`'s that waits for its tag; refused when it could come to nothing.
  ///
  /// `saveElsewhere` takes a secret away from this thread, which the disk may hold up, and `saved` is told what came of it; false: it
  /// cannot now, and the secret is saved here.
  public convenience init(
    _ request: TagJobRequest, _ configuration: Configuration, by peer: LocalPeer, unixSeconds: Int64,
    saveElsewhere: ((TagSecret, AuditEntry) -> Bool)? = nil,
    send: @escaping (ReaderOrder) -> Bool, tell: @escaping (TagJobNotice) -> Void
  ) throws(TagJobRefusal) {
    let vault: Vault
    do throws(VaultError) { vault = try Vault.open(configuration) } catch { throw .vault(error) }
    let job = try request.job(configuration, vault, unixSeconds: unixSeconds)
    self.init(request, job, vault, peer, saveElsewhere, send: send, tell: tell)
  }

  // Embedded Swift leaks an object whose own initializer throws (6.3.1).
  private init(
    _ request: TagJobRequest, _ job: TagJob, _ vault: Vault, _ peer: LocalPeer,
    _ saveElsewhere: ((TagSecret, AuditEntry) -> Bool)?, send: @escaping (ReaderOrder) -> Bool,
    tell: @escaping (TagJobNotice) -> Void
  ) {
    self.request = request
    self.job = job
    self.vault = vault
    self.peer = peer
    self.saveElsewhere = saveElsewhere
    self.send = send
    self.tell = tell
  }

  /// Whether a tag is being written now.
  public var isWorking: Bool { job.isWorking }

  /// A tag lies on the reader already.
  public func tagIsThere(_ uid: TagUID) { perform(job.tagIsThere(uid)) }

  /// tappet-reader said something.
  public func heard(_ message: ReaderMessage) { perform(job.heard(message)) }

  /// No tag comes any more; a tag that is being written is waited for all the same.
  public func giveUp(_ reason: TagJobFailure) { perform(job.giveUp(reason)) }

  /// tappet-reader is gone.
  public func readerLost() { perform(job.readerLost()) }

  private func perform(_ steps: [TagJob.Step]) {
    for step in steps {
      switch step {
      case .order(let order):
        // A reader that takes no order is about to be found gone.
        if !send(order) { return perform(job.readerLost()) }
      case .tell(let notice): tell(notice)
      case .save(let secret): save(secret)
      case .end(let end): result = Result(end, request)
      }
    }
  }

  private func save(_ secret: TagSecret) {
    let deed = AuditEntry(
      unixSeconds: secret.createdUnixSeconds, peer: peer, deed: "secret-made", subject: secret.id)
    if let saveElsewhere, saveElsewhere(secret, deed) { return }
    hasSavedHere = true
    do throws(VaultError) { try vault.add(secret, noting: deed) } catch { return saved(error.sentence) }
    saved(nil)
  }

  /// What came of saving elsewhere: nil, or why it could not be.
  public func saved(_ trouble: String?) {
    guard let trouble else { return perform(job.saved()) }
    result = Result(
      isDone: false, isRefusal: false,
      sentence: "the tag is written, but its secret could not be saved, so that it does not work: \(trouble)")
  }
}

extension TagJobRun.Result {
  /// A job that came to nothing.
  public init(isDone: Bool, isRefusal: Bool, sentence: String) {
    self.isDone = isDone
    self.isRefusal = isRefusal
    self.sentence = sentence
    json = .object(["done": .bool(isDone), "refused": .bool(isRefusal), "sentence": .string(sentence)])
  }

  /// A job that did not begin.
  public init(_ refusal: TagJobRefusal) {
    self.init(isDone: false, isRefusal: refusal.isRefusal, sentence: refusal.sentence)
  }

  fileprivate init(_ end: TagJobEnd, _ request: TagJobRequest) {
    switch end {
    case .failed(let model, let failure):
      self.init(isDone: false, isRefusal: failure.isRefusal, sentence: failure.sentence(model, request))
    case .done(let outcome, let secret, let isProtected):
      self.init(true, outcome, secret, isProtected, Self.sentence(outcome, secret, isProtected, request))
    case .doneUnprotected(let outcome, let secret, let fault):
      self.init(
        false, outcome, secret, false,
        "written: \(secret.action), and it works, but it is not protected: "
          + (fault == .unsupportedModel
            ? "the \(outcome.model.name) has no password, and anybody can rewrite it"
            : fault.sentence(outcome.model, to: request.kind)))
    }
  }

  private init(
    _ isDone: Bool, _ outcome: OrderOutcome, _ secret: TagSecret?, _ isProtected: Bool, _ sentence: String
  ) {
    self.isDone = isDone
    isRefusal = !isDone
    self.sentence = sentence
    let uid = Hex.encode(outcome.uid.bytes)
    self.uid = uid
    secretID = secret?.id
    json = .object([
      "done": .bool(isDone), "refused": .bool(!isDone), "sentence": .string(sentence), "uid": .string(uid),
      "model": .string(outcome.model.name), "writes": .number(Int64(outcome.writes)),
      "action": .optional(secret?.action), "secret": .optional(secret?.id), "protected": .bool(isProtected),
    ])
  }

  private static func sentence(
    _ outcome: OrderOutcome, _ secret: TagSecret?, _ isProtected: Bool, _ request: TagJobRequest
  ) -> String {
    let what = "\(outcome.model.name) \(Hex.encode(outcome.uid.bytes))"
    switch request.kind {
    case .write:
      return "written: \(secret?.action ?? "") on \(what); its secret is \(secret?.id ?? "")"
        + (isProtected ? "; only this kiosk can rewrite it" : "")
    case .erase: return "erased: \(what)"
    case .lock: return "locked for good: \(what)"
    case .format: return outcome.writes == 0 ? "it was formatted already: \(what)" : "formatted: \(what)"
    }
  }
}
