// Tags over the control socket: jobs for the next one, which is no tap then, and each one that is shown.
//
//   {"request": "tag-job", "kind": "write", "action": NAME, …}    →  {"waiting": true}, {"notice": …}…, {"result": {…}}
//   {"request": "tag-cancel"}                                     →  the job's result
//   {"request": "next-tag"}                                       →  the next reading or fault, or that of the tag that lies there
//   {"request": "watch-tags"}                                     →  each of them

import CPlatform
import TappetCore
import TappetDevices

/// What a kiosk has to do with tags beside taps.
struct TagDesk {
  /// The job that is under way, and who asked for it.
  fileprivate var run: TagJobRun?
  fileprivate var request: TagJobRequest?
  fileprivate var client: ControlServer.Client?
  /// The tag that lies on the reader and was read, or refused to be.
  fileprivate var present: PresentTag?
}

/// A tag that lies on the reader.
private struct PresentTag {
  var uid: TagUID
  /// What was read of it, for whoever asks after it came; not while it carries a key, nor when it was written meanwhile.
  var sighting: JSON?
}

extension Runtime {
  /// Answers a request that is about tags; false for others.
  func answerTagRequest(_ request: JSON, _ name: String, from client: ControlServer.Client) -> Bool {
    switch name {
    case "next-tag": client.tagsAwaited = tellPresentTag(to: client) ? .none : .next
    case "watch-tags":
      client.tagsAwaited = .all
      _ = tellPresentTag(to: client)
    case "tag-job": startTagJob(request, for: client)
    case "tag-cancel":
      if tagDesk.client === client { tagDesk.run?.giveUp(.cancelled) }
      finishTagJob()
    default: return false
    }
    return true
  }

  /// False when nothing lies there that may be told without reading it again.
  private func tellPresentTag(to client: ControlServer.Client) -> Bool {
    guard let sighting = tagDesk.present?.sighting else { return false }
    client.send(sighting)
    return true
  }

  private func startTagJob(_ json: JSON, for client: ControlServer.Client) {
    guard tagDesk.run == nil else {
      return client.send(.failure("another tag is being written already; wait until that is done"))
    }
    guard let request = TagJobRequest(json) else { return client.send(.failure("the job's 'kind' is unknown")) }
    guard let peer = client.peer else { return client.send(.failure("the kernel does not say who asks")) }
    do throws(TagJobRefusal) {
      tagDesk.run = try TagJobRun(
        request, configuration, by: peer, unixSeconds: now().unixSeconds,
        saveElsewhere: { [unowned(unsafe) self] in self.saveElsewhere($0, $1) },
        send: { [unowned(unsafe) self] in self.order($0) },
        tell: { client.send($0.json) })
    } catch {
      return client.send(.object(["result": TagJobRun.Result(error).json]))
    }
    tagDesk.request = request
    tagDesk.client = client
    client.send(.object(["waiting": .bool(true)]))
    feed(.tagJob(.waiting))
    if let present = tagDesk.present { tagDesk.run?.tagIsThere(present.uid) }
    finishTagJob()
  }

  private func saveElsewhere(_ secret: TagSecret, _ deed: AuditEntry) -> Bool {
    let desk = SecretDesk(configuration, owner: geteuid())
    return secretThread.submit(for: .tagJob, load: secretLoads) { desk.save(secret, noting: deed) }
  }

  /// The secret of the tag that was written is in the store and in force, or cannot be.
  func tagSaved(_ trouble: String?) {
    tagDesk.run?.saved(trouble)
    finishTagJob()
  }

  /// After the kiosk was told.
  func tagHeard(_ message: ReaderMessage) {
    switch message {
    case .tagArrived, .tagLeft, .ready, .lost: tagDesk.present = nil
    case .tagRead(let reading):
      let masked = reading.withoutCarriedKey
      tagDesk.present = PresentTag(uid: reading.uid, sighting: masked == reading ? describe(reading) : nil)
      control?.answerTagWaiters { describe($0.maySeeKeys ? reading : masked) }
    case .tagFaulted(let uid, let model, let fault):
      let sighting = describe(uid, model, fault)
      tagDesk.present = PresentTag(uid: uid, sighting: sighting)
      control?.answerTagWaiters { _ in sighting }
    case .orderProgress, .orderDone: tagDesk.present?.sighting = nil
    case .heartbeat: break
    }
    tagDesk.run?.heard(message)
    finishTagJob()
  }

  /// tappet-reader is gone; another one follows, but not with what this one was about to answer.
  func tagReaderLost() {
    tagDesk.present = nil
    if tagDesk.run?.isWorking == true { tagDesk.run?.readerLost() }
    finishTagJob()
  }

  /// Whoever asked does not wait any longer; a tag that is being written is brought to its end.
  func tagClientGone(_ client: ControlServer.Client) {
    guard tagDesk.client === client else { return }
    tagDesk.run?.giveUp(.cancelled)
    finishTagJob()
  }

  private func finishTagJob() {
    guard let run = tagDesk.run, let result = run.result, let request = tagDesk.request, let client = tagDesk.client
    else { return }
    tagDesk.run = nil
    tagDesk.request = nil
    tagDesk.client = nil
    if result.secretID != nil, run.hasSavedHere { loadSecretsAnew() }
    say(Self.line(result, request, user: client.peer?.user))
    feed(.tagJob(result.isDone ? .done : .failed))
    client.send(.object(["result": result.json]))
  }

  /// Who did what to which tag; never the secret.
  private static func line(_ result: TagJobRun.Result, _ request: TagJobRequest, user: UInt32?) -> Line {
    var fields: [Field] = [("kind", request.kind.name)]
    if let action = request.action { fields.append(("action", action)) }
    if let uid = result.uid { fields.append(("uid", uid)) }
    if let id = result.secretID { fields.append(("secret", id)) }
    if let user { fields.append(("user", String(user))) }
    return Line(
      result.isDone ? .notice : .warning, result.isDone ? "tag-job-done" : "tag-job-failed",
      "tag \(request.kind.name): \(result.sentence)", fields)
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

  /// Nil for what is none.
  public init?(_ json: JSON) {
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
