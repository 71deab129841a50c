// Tag requests over the control socket: jobs for the next tag, which then does not count as a tap, and tag readings.
//
//   beginTagJob   →  {"waiting": true}, {"notice": …}…, {"result": {…}}
//   cancelTagJob  →  the job's result
//   nextTag       →  the reading or fault of the present tag or, if there is none, of the next tag
//   watchTags     →  each reading or fault
//
// An embedding program uses `beginTagJob` and `cancelTagJob` for the same jobs. The store thread prepares a job and
// saves its secret, because both steps require the database.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

/// State of tag jobs and tag readings, apart from taps.
struct TagJobHost {
  /// The job in progress.
  fileprivate var job: HostedJob?
  /// The tag on the reader, set once it was read or a read failed.
  fileprivate var present: PresentTag?
  fileprivate var readings = TagReadingAssembler()
  /// Time at which the job expires.
  var deadline: Instant? { job?.deadline }
}

/// A job for a tag.
private struct HostedJob {
  var request: TagJobRequest
  /// The requesting client; `nil` for the embedding program.
  var client: ControlServer.Client?
  var peer: LocalPeer
  /// The runner of the job; `nil` while the store thread prepares the job.
  var runner: TagJobRunner?
  /// Whether the job was cancelled while it was being prepared.
  var isCancelled = false
  /// Time at which the wait ends, unless the client cancels earlier; `nil` for the embedding program.
  var deadline: Instant?
}

/// A tag on the reader.
private struct PresentTag {
  var uid: TagUID
  /// The reading or fault, for later requests; `nil` if the tag contains a key or has been written since.
  var sighting: TagSighting?
  /// The URL on the tag, without its key.
  var url: TagURL?
}

/// A reading or fault, in two forms: for clients that may see keys, and for other clients.
private struct TagSighting {
  /// The form for clients that may see keys.
  var full: JSON
  /// The form for other clients, which could copy a tag if they knew its signature.
  var masked: JSON

  func json(for client: ControlServer.Client) -> JSON { client.maySeeKeys ? full : masked }
}

extension Runtime {
  /// Sends the reading of the present tag or, if there is none, of the next tag.
  func sendNextTag(to client: ControlServer.Client) {
    client.tagsAwaited = sendPresentTag(to: client) ? .none : .next
  }

  /// Sends the reading of the present tag, and of each tag from now on.
  func sendAllTags(to client: ControlServer.Client) {
    client.tagsAwaited = .all
    _ = sendPresentTag(to: client)
  }

  /// Sends the present tag's reading; returns false if no reading can be sent without reading the tag again.
  private func sendPresentTag(to client: ControlServer.Client) -> Bool {
    guard let sighting = control.tags.present?.sighting else { return false }
    client.send(sighting.json(for: client))
    return true
  }

  func beginTagJob(_ request: TagJobRequest, for client: ControlServer.Client) {
    guard control.tags.job == nil else {
      return client.send(.failure("another tag is being written; wait until it is done"))
    }
    guard let peer = client.peer else { return client.send(.failure("cannot identify the client process")) }
    // The next tag may belong to any visitor.
    guard request.kind == .write || client.maySeeKeys else {
      return client.send(.failure("only root and the kiosk's own user can \(request.kind.rawValue) tags"))
    }
    let deadline = now().instant + request.limit
    start(HostedJob(request: request, client: client, peer: peer, deadline: deadline))
  }

  /// Starts a job for the embedding program; returns false while another job is in progress.
  ///
  /// `observers.onTagJob` receives the result.
  package func beginTagJob(_ request: TagJobRequest) -> Bool {
    guard control.tags.job == nil else { return false }
    start(HostedJob(request: request, client: nil, peer: .current()))
    return true
  }

  /// Cancels the embedding program's job, if any.
  package func cancelTagJob() { cancelTagJob(of: nil) }

  private func start(_ job: HostedJob) {
    control.tags.job = job
    let request = job.request
    let configuration = configuration
    let unixSeconds = now().unixSeconds
    askStore(isRequired: true) { secrets in
      .tagJobPrepared(request.job(configuration, in: secrets, unixSeconds: unixSeconds))
    }
  }

  /// Handles the job prepared by the store thread, or the refusal to prepare it.
  func tagJobPrepared(_ prepared: Result<TagJob, TagJobRefusal>) {
    guard let job = control.tags.job else { return }
    switch prepared {
    case .failure(let refusal):
      control.tags.job = nil
      answer(job, TagJobRunner.Result(refusal))
    case .success(let tagJob):
      let client = job.client
      control.tags.job?.runner = TagJobRunner(
        job.request, tagJob, by: job.peer, save: calling(self) { $0.saveTagSecret($1) },
        send: calling(self) { $0.helpers.reader.send($1) }, tell: { client?.send($0.json) })
      client?.send(.object(["waiting": .bool(true)]))
      feed(.tagJob(.waiting))
      if job.isCancelled {
        control.tags.job?.runner?.giveUp(.cancelled)
      } else if let present = control.tags.present {
        control.tags.job?.runner?.tagIsThere(present.uid, holding: present.url)
      }
      finishTagJob()
    }
  }

  private func saveTagSecret(_ written: TagJobRunner.WrittenSecret) -> TagJobRunner.Saving {
    let limit = configuration.secretsPerActionMax
    askStore(isRequired: true) { secrets in
      .tagSecretSaved(SecretService.save(written, limit: limit, in: secrets))
    }
    return .underWay
  }

  /// Handles the result of saving the written tag's secret; `trouble` is the reason why the secret is not stored and
  /// active, or `nil`.
  func tagSecretSaved(_ trouble: String?) {
    control.tags.job?.runner?.saved(trouble)
    finishTagJob()
  }

  /// Handles a message from tappet-reader, after the core has handled it.
  func tagHeard(_ message: ReaderMessage) {
    guard let message = control.tags.readings.pass(message) else { return }
    switch message {
    case .tagArrived, .tagLeft, .ready, .lost: control.tags.present = nil
    case .tagRead(let reading):
      let sighting = TagSighting(full: describe(reading), masked: describe(reading.withoutSignature))
      let carriesKey = reading.withoutCarriedKey != reading
      control.tags.present = PresentTag(
        uid: reading.uid, sighting: carriesKey ? nil : sighting, url: try? reading.tagURL())
      control.server?.answerTagWaiters { sighting.json(for: $0) }
    case .tagFaulted(let uid, let model, let fault):
      let fault = describe(uid, model, fault)
      let sighting = TagSighting(full: fault, masked: fault)
      control.tags.present = PresentTag(uid: uid, sighting: sighting)
      control.server?.answerTagWaiters { sighting.json(for: $0) }
    case .orderProgress, .orderDone:
      control.tags.present?.sighting = nil
      control.tags.present?.url = nil
    case .heartbeat, .tagDescribed: break
    }
    control.tags.job?.runner?.heard(message)
    finishTagJob()
  }

  /// Handles the exit of tappet-reader; the next process has not received the pending order.
  func tagReaderLost() {
    control.tags.present = nil
    if let runner = control.tags.job?.runner, runner.isWorking { runner.readerLost() }
    finishTagJob()
  }

  /// Cancels the job of a client that has disconnected.
  func tagClientGone(_ client: ControlServer.Client) { cancelTagJob(of: client) }

  /// Cancels the job, unless its tag is being written; a write in progress is completed.
  @export(interface)
  func cancelTagJob(of client: ControlServer.Client?) {
    guard let job = control.tags.job, job.client === client else { return }
    guard let runner = job.runner else {
      control.tags.job?.isCancelled = true
      return
    }
    runner.giveUp(.cancelled)
    finishTagJob()
  }

  /// Ends the job at its deadline; if its tag is being written, the deadline is extended by the same time.
  func endTagWait(at now: Instant) {
    guard let job = control.tags.job, let due = job.deadline, due <= now else { return }
    control.tags.job?.deadline = now + job.request.limit
    job.runner?.giveUp(.noTag)
    finishTagJob()
  }

  private func finishTagJob() {
    guard let job = control.tags.job, let result = job.runner?.result else { return }
    // A tag left on the reader can be written again without being read first.
    if let url = job.runner?.writtenURL { control.tags.present?.url = url }
    control.tags.job = nil
    log(Self.logRecord(result, job.request, user: job.client?.peer?.user))
    feed(.tagJob(result.isDone ? .done : .failed))
    answer(job, result)
  }

  private func answer(_ job: HostedJob, _ result: TagJobRunner.Result) {
    if let client = job.client {
      client.send(.object(["result": result.json]))
    } else {
      observers.onTagJob?(job.request, result)
    }
  }

  /// Returns the log record, which never contains the secret.
  private static func logRecord(_ result: TagJobRunner.Result, _ request: TagJobRequest, user: UInt32?) -> LogRecord {
    var fields: [Field] = [("kind", request.kind.rawValue)]
    if let code = result.code { fields.append(("code", code)) }
    if let action = request.action { fields.append(("action", action)) }
    if let uid = result.uid { fields.append(("uid", uid)) }
    if let id = result.secretID { fields.append(("secret", id)) }
    if let user { fields.append(("user", String(user))) }
    return LogRecord(
      result.isDone ? .notice : .warning, result.isDone ? "tag-job-done" : "tag-job-failed",
      "tag \(request.kind.rawValue): \(result.sentence)", fields)
  }

  private func describe(_ uid: TagUID, _ model: TagModel, _ fault: TagFault) -> JSON {
    .object([
      "uid": .string(Hex.encode(uid.bytes)), "model": .number(Int64(model.rawValue)),
      "fault": .number(Int64(fault.rawValue)),
    ])
  }
}

extension TagJobNotice {
  fileprivate var json: JSON {
    switch self {
    case .progress(let done, let total):
      .object(["notice": .string("progress"), "done": .number(Int64(done)), "total": .number(Int64(total))])
    case .heldTooShort: .object(["notice": .string("held-too-short")])
    case .pulledAway(let begun): .object(["notice": .string("pulled-away"), "begun": .bool(begun)])
    }
  }

  /// Decodes a notice; `nil` if the message is not a notice.
  @export(interface)
  package init?(_ json: JSON) {
    switch json["notice"]?.text {
    case "progress":
      self = .progress(
        done: Int(clamping: json["done"]?.wholeNumber ?? 0), total: Int(clamping: json["total"]?.wholeNumber ?? 0))
    case "held-too-short": self = .heldTooShort
    case "pulled-away": self = .pulledAway(begun: json["begun"] == .bool(true))
    default: return nil
    }
  }
}
