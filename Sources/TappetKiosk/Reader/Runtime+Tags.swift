// Tag requests over the control socket: jobs for the next tag, which then does not count as a tap, and tag readings.
//
//   beginTagJob   →  {"waiting": true}, {"notice": …}…, {"result": {…}}
//   cancelTagJob  →  the job's result
//   nextTag       →  the reading or fault of the present tag or, if there is none, of the next tag
//   watchTags     →  each reading or fault
//
// An embedding program uses `beginTagJob` and `cancelTagJob` for the same jobs. The core decides the course of a job
// (`TagJobDesk`); the store thread prepares it and saves its secret, because both steps require the database.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

/// A job for a tag, from its request until its result.
struct HostedTagJob {
  fileprivate var record: TagJobRecord
  /// The requesting client; `nil` for the embedding program.
  fileprivate var client: ControlServer.Client?
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
    guard let sighting = kiosk.tagSighting else { return false }
    client.send(json(sighting, for: client))
    return true
  }

  /// Sends a reading or fault to the clients that wait for it.
  func show(_ sighting: TagSighting) { control.server?.answerTagWaiters { json(sighting, for: $0) } }

  /// Encodes a reading or fault; a client that may not see keys could copy a tag if it knew the signature.
  private func json(_ sighting: TagSighting, for client: ControlServer.Client) -> JSON {
    switch sighting {
    case .read(let reading): describe(client.maySeeKeys ? reading : reading.withoutSignature)
    case .faulted(let uid, let model, let fault):
      .object([
        "uid": .string(Hex.encode(uid.bytes)), "model": .number(Int64(model.rawValue)),
        "fault": .number(Int64(fault.rawValue)),
      ])
    }
  }

  func beginTagJob(_ request: TagJobRequest, for client: ControlServer.Client) {
    guard control.tagJob == nil else {
      return client.send(.failure("another tag is being written; wait until it is done"))
    }
    guard let author = client.author else { return client.send(.failure("cannot identify the client process")) }
    // The next tag may belong to any visitor.
    guard request.kind == .write || client.maySeeKeys else {
      return client.send(.failure("only root and the kiosk's own user can \(request.kind.rawValue) tags"))
    }
    start(HostedTagJob(record: TagJobRecord(request, by: author), client: client), limit: request.limit)
  }

  /// Starts a job for the embedding program; returns false while another job is in progress.
  ///
  /// `observers.onTagJob` receives the result.
  package func beginTagJob(_ request: TagJobRequest) -> Bool {
    guard control.tagJob == nil else { return false }
    start(HostedTagJob(record: TagJobRecord(request, by: .current())), limit: nil)
    return true
  }

  /// Cancels the embedding program's job, if any.
  package func cancelTagJob() { cancelTagJob(of: nil) }

  private func start(_ job: HostedTagJob, limit: Duration?) {
    control.tagJob = job
    feed(.tagJob(.requested(limit: limit)))
    let request = job.record.request
    let configuration = configuration
    let unixSeconds = now().unixSeconds
    askStore(isRequired: true) { secrets in
      .tagJobPrepared(request.job(configuration, in: secrets, unixSeconds: unixSeconds))
    }
  }

  /// Handles the job prepared by the store thread, or the refusal to prepare it.
  func tagJobPrepared(_ prepared: Result<TagJob, TagJobRefusal>) {
    switch prepared {
    case .failure(let refusal):
      feed(.tagJob(.refused))
      answerTagJob(TagJobRunner.Result(refusal))
    case .success(let job):
      control.tagJob?.client?.send(.object(["waiting": .bool(true)]))
      feed(.tagJob(.prepared(job)))
    }
  }

  /// Handles the result of saving the written tag's secret; `trouble` is the reason why the secret is not stored and
  /// active, or `nil`.
  func tagSecretSaved(_ trouble: String?) {
    control.tagJob?.record.trouble = trouble
    feed(.tagJob(.secretSaved(trouble == nil)))
  }

  /// Cancels the job of a client that has disconnected or requests it, or of the embedding program.
  @export(interface)
  func cancelTagJob(of client: ControlServer.Client?) {
    guard let job = control.tagJob, job.client === client else { return }
    feed(.tagJob(.cancelled))
  }

  func perform(_ step: TagJob.Step) {
    switch step {
    case .order(let order): if !helpers.reader.send(order) { feed(.tagJob(.orderLost)) }
    case .notify(let notice): control.tagJob?.client?.send(notice.json)
    case .save(let secret, let former):
      guard let written = control.tagJob?.record.written(secret, former) else { return }
      let limit = configuration.secretsPerActionMax
      askStore(isRequired: true) { .tagSecretSaved(SecretService.save(written, limit: limit, in: $0)) }
    case .end(let end):
      guard let job = control.tagJob else { return }
      let result = job.record.result(end)
      log(Self.logRecord(result, job.record.request, user: job.client?.peer?.user))
      answerTagJob(result)
    }
  }

  private func answerTagJob(_ result: TagJobRunner.Result) {
    guard let job = control.tagJob else { return }
    control.tagJob = nil
    if let client = job.client {
      client.send(.object(["result": result.json]))
    } else {
      observers.onTagJob?(job.record.request, result)
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
