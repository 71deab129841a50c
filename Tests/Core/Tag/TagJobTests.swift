// A tag that is written again: what becomes of the secret that it held, and which tag a job is for.

import Testing

@testable import TappetCore

@Suite struct TagJobTests {
  private let draft: TagDraft
  private let old: TagDraft
  private let uid = TagUID.number(1)

  init() throws {
    draft = try TagDraft(action: .light, index: 1, label: nil, carriesKey: false, unixSeconds: 2000)
    old = try TagDraft(action: .light, index: 1, label: nil, carriesKey: false, unixSeconds: 1000)
  }

  private func job(_ known: FormerSecrets) -> TagJob {
    TagJob(.write(draft, protects: false), passwordKey: nil, known: known)
  }

  private func done(_ fault: TagWriteFault? = nil) -> ReaderMessage {
    .orderDone(OrderOutcome(uid: uid, model: .ntag213, writes: 28, fault: fault))
  }

  /// The fate of the secret that was on the tag.
  private func fate(_ steps: [TagJob.Step]) -> String {
    switch steps.first {
    case .save(_, .replaced(let secret)): "replaced " + (secret.id == old.secret.id ? "old" : "another")
    case .save(_, .kept): "kept"
    case .save(_, nil): "none"
    case .order: "written"
    case .notify: "notice"
    case .end(.failed(_, .noRoom(let action, _))): "no room in \(action)"
    case .end: "ended"
    case nil: "nothing"
    }
  }

  private func fate(_ url: TagURL?, _ known: FormerSecrets) -> String {
    var job = job(known)
    _ = job.tagIsThere(uid, holding: url)
    return fate(job.received(done()))
  }

  @Test func `rewriting a tag removes its old secret, unless the secret may be in use elsewhere`() throws {
    let (secret, url) = (old.secret, old.url)
    let ours = FormerSecrets([secret], unshared: [secret.id])
    #expect(fate(url, ours) == "replaced old")
    #expect(fate(url, FormerSecrets([secret])) == "kept")
    #expect(fate(nil, ours) == "none" && fate(draft.url, ours) == "none")
    // Written by a phone that shares the secret, and one that lies open on its tag.
    let other = try TagURL.sign(index: 1, timestamp: 1001, key: secret.key)
    #expect(fate(other, ours) == "kept")
    var open = url
    open.carriesKey = true
    #expect(fate(open, ours) == "kept")
  }

  @Test func `a message without a secret is written, and nothing is saved`() {
    var job = TagJob(.writeMessage([1, 2, 3]), passwordKey: nil)
    guard case .order(let order)? = job.tagIsThere(uid).first, case .write([1, 2, 3]) = order.task else {
      Issue.record("nothing is written")
      return
    }
    guard case .end(.done(let outcome, nil, false))? = job.received(done()).first else {
      Issue.record("the job continues")
      return
    }
    #expect(outcome.uid == uid && job.writtenURL == nil)
  }

  @Test func `a tag pulled away half-way still replaces its old secret when it is written later`() {
    var job = job(FormerSecrets([old.secret], unshared: [old.secret.id]))
    _ = job.tagIsThere(uid, holding: old.url)
    #expect(fate(job.received(done(.pulledAway(begun: true)))) == "notice")
    _ = job.tagIsThere(uid)
    #expect(fate(job.received(done())) == "replaced old")
  }

  @Test func `a different tag on the reader does not affect the secrets`() {
    var job = job(FormerSecrets([old.secret], unshared: [old.secret.id]))
    _ = job.tagIsThere(.number(2), holding: old.url)
    let torn = OrderOutcome(uid: .number(2), model: .ntag213, writes: 0, fault: .notThere)
    _ = job.received(.orderDone(torn))
    _ = job.tagIsThere(uid)
    #expect(fate(job.received(done())) == "none")
  }

  @Test(arguments: [TagWriteFault.notThere, .pulledAway(begun: false)])
  func `a tag that left before anything was written is reported, unless it was there before the job`(
    _ fault: TagWriteFault
  ) {
    var job = job(FormerSecrets())
    _ = job.tagIsThere(uid)
    let gone = OrderOutcome(uid: uid, model: .ntag213, writes: 0, fault: fault)
    #expect(job.received(.orderDone(gone)).isEmpty)
    _ = job.received(.tagRead(TagReading(uid: uid, model: .ntag213, bytes: [])))
    #expect(fate(job.received(.orderDone(gone))) == "notice")
  }

  @Test func `a tag that arrived before the response about the previous one is written`() {
    var job = job(FormerSecrets())
    _ = job.tagIsThere(.number(2))
    _ = job.received(.tagRead(TagReading(uid: uid, model: .ntag213, bytes: [])))
    let gone = OrderOutcome(uid: .number(2), model: .ntag213, writes: 0, fault: .notThere)
    let steps = job.received(.orderDone(gone))
    guard steps.count == 1, case .order(let order)? = steps.first else {
      Issue.record("\(steps)")
      return
    }
    #expect(order.uid == uid && job.isWorking)
  }

  @Test func `at the limit of secrets, only the action's own tags are rewritten`() throws {
    var secrets = [old.secret]
    for id in 1...2 {
      secrets.append(TagSecret.of(.light, id: "more-\(id)", byte: UInt8(id)))
    }
    let full = FormerSecrets(secrets, unshared: [old.secret.id], limit: 3)
    #expect(fate(old.url, full) == "replaced old")
    var job = job(full)
    #expect(fate(job.tagIsThere(uid)) == "no room in light")
    var waiting = self.job(full)
    #expect(fate(waiting.giveUp(.noTag)) == "no room in light")
    var cancelled = self.job(full)
    #expect(fate(cancelled.giveUp(.cancelled)) == "no room in light")
    let unreadable = FormerSecrets([old.secret], unshared: [], unreadable: ["light", "light", "garage"], limit: 3)
    #expect(unreadable.isFull("light") && !unreadable.isFull("garage"))
  }
}
