// The way of an entry to its webhook, by a scripted clock.

import Testing

@testable import TappetCore

extension Action {
  fileprivate static let other = Action(
    name: "other", title: "Other", index: 10, topic: nil, message: PayloadTemplate(""), cooldown: .zero,
    webhookBody: PayloadTemplate("x"))
  /// Goes to the broker, too.
  fileprivate static let both = Action(
    name: "both", title: "Both", index: 11, topic: "home/both", message: PayloadTemplate("%I"), cooldown: .zero,
    webhookBody: PayloadTemplate("b"))
  fileprivate static let token = Action(
    name: "token", title: "Token", index: 12, topic: nil, message: PayloadTemplate(""), cooldown: .zero,
    webhookBody: PayloadTemplate("%T"))
}

extension KioskScript {
  fileprivate static func withHooks() -> KioskScript {
    let story = KioskScript([.hook, .other, .both, .token])
    story.startAll()
    story.readWebhooks()
    return story
  }

  /// The first question was asked before the clock was known, so there is a second one.
  fileprivate func readWebhooks(_ entries: [OutboxEntry] = []) {
    at(time, .webhookOutbox(.fetched([], reachedEnd: true)))
    at(time, .webhookOutbox(.fetched(entries, reachedEnd: true)))
  }

  /// Asks for the action and commits its entry; returns it, with its webhook's sequence, and the words of the commit.
  @discardableResult
  fileprivate func enter(_ name: String, at milliseconds: Int, sequence: Int64) -> (
    entry: OutboxEntry?, words: [String]
  ) {
    at(milliseconds, .panel(.asked(action: name)))
    guard var entry = lastEffects.compactMap({ $0.storedEntry }).last?.forWebhook else { return (nil, []) }
    entry.sequence = sequence
    return (entry, at(milliseconds, .webhookOutbox(.stored(entry.id, sequence: sequence))))
  }

  /// Sleeps, and the process ends when it is asked to.
  fileprivate func sleepAndEnd(until milliseconds: Int) -> [String] {
    var words: [String] = []
    for _ in 0..<1000 {
      guard let deadline = wakesAt, deadline <= milliseconds else { break }
      words += at(max(time, deadline), .timerFired)
      if words.last == "stop webhooks" { words += at(time, .webhook(.ended(.exited(0)))) }
      // The reader is alive meanwhile.
      words += at(time, .reader(.heartbeat))
    }
    return words
  }

  fileprivate var process: HelperSupervision.State { kiosk.delivery.webhookProcess.process.state }

  /// The process has started.
  fileprivate func ready(at milliseconds: Int) -> [String] { at(milliseconds, .webhook(.ready)) }

  fileprivate func answer(_ entry: OutboxEntry?, _ status: Int, after: Duration? = nil, at milliseconds: Int)
    -> [String]
  {
    guard let entry else { return [] }
    return at(milliseconds, .webhook(.answered(entry.id, status: status, retryAfter: after)))
  }

  fileprivate var pause: Int? {
    for case .report(.webhook(.waits(_, _, let pause))) in lastEffects { return Int(pause.wholeMilliseconds) }
    return nil
  }
}

@Suite struct KioskWebhookTests {
  @Test func `an entry is accepted on commit, posted when the process is ready, and removed when answered`() {
    let story = KioskScript.withHooks()
    let (entry, words) = story.enter("hook", at: 100, sequence: 1)
    #expect(words == ["light accepted", "start webhooks", "report accepted hook"])
    #expect(story.ready(at: 150) == ["post hook"])
    #expect(
      story.answer(entry, 204, at: 200) == ["light delivered-by-button", "report delivered hook", "forget webhook"])
    #expect(story.kiosk.counters.webhooks.delivered == 1 && story.kiosk.counters.delivered == 0)
    #expect(story.kiosk.webhookCount == 0 && story.kiosk.counters.accepted == 1)
  }

  @Test func `the process ends after half a minute without work, but not earlier`() {
    let story = KioskScript.withHooks()
    let (entry, _) = story.enter("hook", at: 100, sequence: 1)
    _ = story.ready(at: 150)
    _ = story.answer(entry, 200, at: 200)
    story.at(210, .webhookOutbox(.removed([entry?.id ?? EntryID(high: 0, low: 0)])))
    #expect(!story.sleep(until: 30_199).contains("stop webhooks"))
    #expect(story.sleep(until: 30_201).contains("stop webhooks"))
    #expect(story.at(30_300, .webhook(.ended(.exited(0)))) == [])
    #expect(story.process == .none)
  }

  @Test func `without webhooks nothing is read, started or scheduled`() {
    let story = KioskScript()
    story.startAll()
    #expect(story.kiosk.delivery.webhookProcess.deadline == nil && story.kiosk.status.webhooks == nil)
    #expect(!story.lastEffects.map(\.words).contains { $0.contains("webhook") })
  }

  @Test func `each HTTP status is classified as delivered, to be retried or given up`() {
    for (status, verdict) in [
      (200, WebhookDecision.delivered), (299, .delivered), (408, .again(.status(408))), (425, .again(.status(425))),
      (429, .again(.status(429))), (500, .again(.status(500))), (503, .again(.status(503))),
      (599, .again(.status(599))), (301, .givenUp(.status(301))), (400, .givenUp(.status(400))),
      (404, .givenUp(.status(404))), (410, .givenUp(.status(410))), (600, .givenUp(.status(600))),
      (101, .givenUp(.status(101))),
    ] {
      #expect(WebhookDecision(status: status, hasWorked: false) == verdict)
    }
    for status in [301, 302, 400, 401, 403, 404, 405, 407, 409, 421, 451, 499, 600] {
      #expect(WebhookDecision(status: status, hasWorked: true) == .again(.status(status)))
    }
    for status in [410, 413, 415, 422] {
      #expect(WebhookDecision(status: status, hasWorked: true) == .givenUp(.status(status)))
    }
    #expect(
      WebhookDecision(.redirectForbidden, code: 1, hasWorked: true) == .again(.trouble(.redirectForbidden, code: 1)))
    let ofRooms = TransportError.tokenRefused.rawValue...TransportError.roomPlain.rawValue
    for trouble in TransportError.allCases where !ofRooms.contains(trouble.rawValue) {
      let verdict = WebhookDecision(trouble, code: 7, hasWorked: false)
      #expect(
        verdict == (trouble == .redirectForbidden ? .givenUp(.redirectForbidden) : .again(.trouble(trouble, code: 7))))
    }
  }

  @Test func `delays grow with full jitter, and Retry-After is honoured up to a limit`() {
    let story = KioskScript.withHooks()
    let (entry, _) = story.enter("hook", at: 100, sequence: 1)
    _ = story.ready(at: 150)
    var time = 200
    var longest = 0
    for number in 0..<10 {
      let words = story.answer(entry, 500, at: time)
      #expect(words.contains("report webhook waits hook 500"))
      #expect(words.contains("light queued") == (number == 0), "shown once")
      let pause = story.pause ?? -1
      #expect((0...min(300_000, 1000 << number)).contains(pause))
      longest = max(longest, pause)
      // The entry left the memory: the store is read again when the rest is over.
      let woken = story.sleepAndEnd(until: time + pause + 1)
      #expect(woken.contains("fetch webhooks after 0"), "\(woken)")
      time += pause + 10
      if let entry { story.at(time, .webhookOutbox(.fetched([entry], reachedEnd: true))) }
      if case .none = story.process { story.at(time, .timerFired) }
      if case .ending = story.process { story.at(time, .webhook(.ended(.exited(0)))) }
      if case .starting = story.process { _ = story.ready(at: time) }
      #expect(story.lastEffects.map(\.words).contains("post hook"))
      time += 10
    }
    #expect(longest > 4000)
    _ = story.answer(entry, 429, after: .seconds(7200), at: time)
    #expect(story.pause == 3_600_000)
  }

  @Test func `a failing server delays no other action, and is probed with one request`() {
    let story = KioskScript.withHooks()
    let first = story.enter("hook", at: 100, sequence: 1).entry
    _ = story.ready(at: 110)
    _ = story.enter("hook", at: 120, sequence: 2)
    _ = story.answer(first, 503, at: 130)
    #expect(story.enter("other", at: 140, sequence: 3).words.contains("post other"))
    #expect(
      story.kiosk.delivery.webhookProcess.hasFailed("hook")
        && !story.kiosk.delivery.webhookProcess.mayPost("hook", roomsRun: false) == true)
    #expect(story.kiosk.baseLight == .offline)
    let (queued, words) = story.enter("hook", at: 150, sequence: 4)
    #expect(queued != nil && words.contains("light queued") && words.contains("report queued hook for its webhook"))
  }

  @Test func `at most two requests of one action and four in total are in flight`() {
    let story = KioskScript.withHooks()
    for number in 0..<4 { story.enter("hook", at: 100, sequence: Int64(number + 1)) }
    #expect(story.ready(at: 110) == ["post hook", "post hook"])
    for number in 4..<8 { story.enter("other", at: 120, sequence: Int64(number + 1)) }
    #expect(story.kiosk.delivery.webhooks.inflightCount == Limits.webhooksInflightMax)
  }

  @Test func `a refused entry is given up, and the next one is sent`() {
    let story = KioskScript.withHooks()
    let (entry, _) = story.enter("hook", at: 100, sequence: 1)
    _ = story.ready(at: 110)
    #expect(story.answer(entry, 404, at: 120) == ["light refused", "report given up hook 404", "give up hook"])
    #expect(story.kiosk.counters.webhooks.givenUp == 1 && story.kiosk.webhookCount == 0)
    #expect(story.enter("hook", at: 200, sequence: 2).words.contains("post hook"))
  }

  /// A kiosk whose webhook has accepted an entry.
  private func worked() -> KioskScript {
    let story = KioskScript.withHooks()
    story.kiosk.delivery.webhookProcess.targets = ["hook": 1]
    let (entry, _) = story.enter("hook", at: 100, sequence: 1)
    _ = story.ready(at: 110)
    #expect(story.answer(entry, 200, at: 120).contains("note that hook works"))
    return story
  }

  @Test func `a webhook that has worked is retried until its URL changes or it is removed`() {
    let story = worked()
    let (entry, _) = story.enter("hook", at: 200, sequence: 2)
    let words = story.answer(entry, 404, at: 210)
    #expect(words.contains("light queued") && words.contains("report webhook waits hook 404"))
    _ = story.sleepAndEnd(until: 1_300)
    if let entry { story.at(1_300, .webhookOutbox(.fetched([entry], reachedEnd: true))) }
    #expect(!story.answer(entry, 200, at: 1_310).contains("note that hook works"), "recorded once")
    let gone = story.enter("hook", at: 1_400, sequence: 3).entry
    #expect(story.answer(gone, 410, at: 1_410).contains("report given up hook 410"))
    story.kiosk.delivery.webhookProcess.targets = ["hook": 2]
    let moved = story.enter("hook", at: 1_500, sequence: 4).entry
    #expect(story.answer(moved, 404, at: 1_510).contains("report given up hook 404"))
  }

  @Test func `a webhook that worked before a restart counts as working`() {
    let story = KioskScript([.hook, .other, .both, .token])
    var summary = OutboxSummary()
    summary.workedWebhooks = ["hook": 7]
    story.kiosk.delivery.webhookProcess.targets = ["hook": 7]
    story.at(0, .started(summary))
    #expect(story.kiosk.delivery.webhookProcess.hasWorked("hook"))
    #expect(!story.kiosk.delivery.webhookProcess.hasWorked("other"))
  }

  @Test func `a refused entry does not delay the others`() {
    let story = worked()
    let (bad, _) = story.enter("hook", at: 200, sequence: 2)
    _ = story.answer(bad, 400, at: 210)
    let (good, _) = story.enter("hook", at: 220, sequence: 3)
    _ = story.sleepAndEnd(until: 1_300)
    story.at(1_300, .webhookOutbox(.fetched([bad, good].compactMap { $0 }, reachedEnd: true)))
    #expect(story.kiosk.delivery.webhooks.inflight.values.map(\.sequence) == [3])
  }

  @Test func `an entry that was given up is sent again on request`() {
    let story = KioskScript.withHooks()
    let (entry, _) = story.enter("hook", at: 100, sequence: 1)
    _ = story.ready(at: 110)
    _ = story.answer(entry, 404, at: 120)
    story.at(125, .webhookOutbox(.removed([entry?.id ?? EntryID(high: 0, low: 0)])))
    #expect(story.at(130, .retryAsked(entry?.id)) == ["retry \(entry?.id.hex ?? "")"])
    guard var entry else { return }
    entry.sequence = 2
    #expect(
      story.at(140, .store(.retried([entry]))) == ["fetch webhooks after 1", "report queued hook again"])
    #expect(story.at(150, .webhookOutbox(.fetched([entry], reachedEnd: true))) == ["post hook"])
    #expect(story.answer(entry, 200, at: 160).contains("report delivered hook") && story.kiosk.webhookCount == 0)
  }

  @Test func `a tap for both broker and webhook has one id, and neither waits for the other`() {
    let story = KioskScript.withHooks()
    story.at(100, .panel(.asked(action: "both")))
    let stored = story.lastEffects.compactMap { $0.storedEntry }
    #expect(stored.count == 1 && stored.first?.forWebhook?.id == stored.first?.id)
    guard let id = stored.first?.id else { return }
    #expect(story.at(110, .webhookOutbox(.stored(id, sequence: 1))) == ["start webhooks"])
    let words = story.at(110, .brokerOutbox(.stored(id, sequence: 1)))
    #expect(words == ["publish both", "light accepted", "report accepted both"])
    #expect(story.ready(at: 120) == ["post both"])
    #expect(story.at(130, .link(.lost(.closedByBroker))).contains("report link lost 0"))
    #expect(story.at(140, .webhook(.answered(id, status: 200, retryAfter: nil))).contains("forget webhook"))
    #expect(story.kiosk.outboxCount == 1 && story.kiosk.webhookCount == 0 && story.kiosk.counters.accepted == 1)
  }

  @Test func `a failed commit drops both entries of a tap, and refuses the tap once`() {
    let story = KioskScript.withHooks()
    story.at(100, .panel(.asked(action: "both")))
    guard let id = story.lastEffects.compactMap({ $0.storedEntry }).first?.id else { return }
    let words = story.at(110, .store(.storeFailed(id, .full)))
    #expect(words.filter { $0 == "light refused" }.count == 1)
    #expect(!story.kiosk.delivery.webhooks.isUncommitted(id) && story.kiosk.counters.refused == 1)
  }

  @Test func `nothing is lost if a process dies, hangs or is missing`() {
    let story = KioskScript.withHooks()
    let (entry, _) = story.enter("hook", at: 100, sequence: 1)
    _ = story.ready(at: 110)
    #expect(story.at(120, .webhook(.ended(.signaled(9)))).contains("report webhooks lost ended"))
    #expect(story.kiosk.baseLight == .offline && story.kiosk.delivery.webhooks.inflightCount == 0)
    // An answer that comes too late is nobody's.
    #expect(story.answer(entry, 200, at: 121) == [])
    let words = story.sleep(until: 2_000)
    #expect(words.contains("start webhooks"))
    #expect(story.at(2_000, .webhook(.notStarted(code: 2))).contains("report webhooks lost not started"))
    #expect(story.sleep(until: 5_000).contains("start webhooks"))
    let back = story.ready(at: 5_000)
    #expect(back.contains("post hook") && back.contains("report webhooks back"))
    // It takes the request and says nothing.
    #expect(story.sleep(until: 80_001).contains("kill webhooks"))
    #expect(story.kiosk.webhookCount == 1)
  }

  @Test func `of two requests, the failed one is repeated as soon as the other succeeds`() {
    let story = KioskScript.withHooks()
    let (first, _) = story.enter("hook", at: 100, sequence: 1)
    _ = story.ready(at: 110)
    let (second, _) = story.enter("hook", at: 120, sequence: 2)
    _ = story.answer(second, 503, at: 130)
    #expect(story.kiosk.delivery.webhooks.inflightCount == 1)
    #expect(story.answer(first, 200, at: 140).contains { $0.hasPrefix("fetch webhooks") })
  }

  @Test func `a process that dies while idle is not shown as a fault`() {
    let story = KioskScript.withHooks()
    let (entry, _) = story.enter("hook", at: 100, sequence: 1)
    _ = story.ready(at: 110)
    _ = story.answer(entry, 200, at: 120)
    story.at(130, .webhookOutbox(.removed([entry?.id ?? EntryID(high: 0, low: 0)])))
    #expect(story.at(140, .webhook(.ended(.signaled(9)))).contains("report webhooks lost ended"))
    #expect(story.kiosk.baseLight != .offline && story.kiosk.delivery.webhookProcess.loss == nil)
  }

  @Test func `an entry expires while its server is away, and is not posted afterwards`() {
    let story = KioskScript.withHooks()
    story.at(100, .panel(.asked(action: "token")))
    guard var entry = story.lastEffects.compactMap({ $0.storedEntry }).first else { return }
    entry.sequence = 1
    story.at(100, .webhookOutbox(.stored(entry.id, sequence: 1)))
    _ = story.ready(at: 110)
    _ = story.answer(entry, 503, after: .seconds(60), at: 120)
    #expect(story.sleep(until: 10_101).contains("expire webhooks"))
    let words = story.at(10_102, .webhookOutbox(.expired([entry], earliest: nil)))
    #expect(
      words.contains("light expired") && words.contains("report expired token") && words.contains("forget webhook"))
    #expect(story.kiosk.counters.webhooks.expired == 1 && story.kiosk.webhookCount == 0)
    #expect(story.kiosk.status.webhooks == .good, "nothing would find out that the server is back")
  }

  @Test func `an action that must not be late is refused while its server fails`() {
    let story = KioskScript.withHooks()
    story.at(100, .panel(.asked(action: "token")))
    guard let entry = story.lastEffects.compactMap({ $0.storedEntry }).first else { return }
    story.at(100, .webhookOutbox(.stored(entry.id, sequence: 1)))
    _ = story.ready(at: 110)
    _ = story.answer(entry, 500, at: 120)
    #expect(story.at(130, .panel(.asked(action: "token"))).contains("report refused webhook away token"))
  }

  @Test func `entries from before the start are read and posted`() {
    let story = KioskScript([.hook])
    var summary = OutboxSummary()
    summary.webhookCount = 1
    summary.webhookSize = 2
    story.start(summary: summary)
    let entry = OutboxEntry(
      sequence: 7, id: EntryID(high: 1, low: 2), action: "hook", topic: "", message: PayloadTemplate("{}"),
      isRetained: false, trigger: .tag, acceptedUnixMilliseconds: 0,
      expiry: .at(story.moment(3_600_000).instant), destination: .webhook)
    story.readWebhooks([entry])
    #expect(story.lastEffects.map(\.words).contains("start webhooks"))
    #expect(story.ready(at: 30).contains("post hook"))
  }

  @Test func `changed webhooks are loaded by a new process once no request is in flight`() {
    let story = KioskScript.withHooks()
    let (entry, _) = story.enter("hook", at: 100, sequence: 1)
    _ = story.ready(at: 110)
    #expect(!story.at(120, .webhooksReplaced).contains("stop webhooks"))
    #expect(story.answer(entry, 200, at: 130).contains("stop webhooks"))
  }

  @Test func `a drop skips entries in flight, of both broker and webhooks`() {
    let story = KioskScript.withHooks()
    let (first, _) = story.enter("hook", at: 100, sequence: 1)
    _ = story.ready(at: 110)
    let (second, _) = story.enter("other", at: 120, sequence: 2)
    #expect(story.kiosk.delivery.webhooks.inflightCount == 2 && first != nil)
    _ = story.answer(second, 500, at: 130)
    #expect(story.at(140, .dropAsked(nil)) == ["drop all but 1"])
    guard let second else { return }
    #expect(story.at(150, .store(.dropped([second]))).contains("report dropped other"))
    #expect(story.kiosk.webhookCount == 1)
  }
}
