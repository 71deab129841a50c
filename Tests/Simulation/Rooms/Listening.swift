// A separate story, told with each seed: the session that listens in rooms, a homeserver (Homeserver.swift), and a
// kiosk that records positions. Responses are late, lost, limited or of an intermediary; positions are forgotten or
// repeated; the session and the kiosk are killed at any moment.
//   - A position is passed on only after all lines before it, and nothing is polled before it is recorded.
//   - A line acts in the end, unless the homeserver left it out; nothing from before the present acts.
//   - Of each response, a line is passed on once, and none of the kiosk's own.
//   - The present replaces only a position that the homeserver does not know.
//   - An answer counts as settled when the homeserver has it, and is sent until then, once.
//   - A message of an entry gets one outcome; in an encrypted room, nothing is sent as plain text or before its keys.
//   - A message that the homeserver limits is not sent again before its time.
//   - One last will is pending, and none after an orderly end.
//   - A channel has one request at a time; a deadline is met; nothing follows the end.

import TappetCore
import TappetRooms

/// The world of one such story.
final class ListenerStory {
  private struct Request {
    var call: HTTPCall
    var until: Instant
  }

  private static let me = "@kiosk:h"
  private static let names = [ScriptedHomeserver.plain, "#plain:h", ScriptedHomeserver.secret]

  private var random: Randomness
  private var now = Instant(nanoseconds: 5_000_000_000)
  private var homeserver = ScriptedHomeserver()
  private let disk = CipherDisk()
  private var cipher: ScriptedCipher
  private var session: RoomSession
  private var requests: [RoomSession.Channel: Request] = [:]
  private let hasWill: Bool
  /// Whether the homeserver responds as it should, or with failures alone.
  private var isGood = false
  private var isDown = false

  // The kiosk.
  private var position: String?
  /// The events on the disk, those that are being committed, and those that were heard since.
  private var acted: Set<String> = []
  private var committing: (events: [String], position: String)?
  private var heard: [String] = []
  private var next: String?
  /// The lines with an answer that the homeserver does not have yet.
  private var owed: Set<String> = []
  private var answersAgainAt = Instant(nanoseconds: 0)
  /// The messages of entries that have no outcome yet, with their rooms.
  private var posted: [EntryID: String] = [:]
  private var postCount: UInt64 = 0
  private var question: UInt64 = 0
  private var isAsked = false

  // The judge.
  /// The lines that may be passed on: those of the response that is handled.
  private var passed: Set<String> = []
  private var mayStartFromPresent = true
  /// The lines from before the present, if this session started there.
  private var past: Set<String> = []
  private var isRecording = false
  private var isEnded = false
  private var isOver = false
  private var isScheduled = false
  /// The times before which messages may not be sent again, by path.
  private var limits: [String: Instant] = [:]
  /// Whether the homeserver may have performed a request whose response was lost.
  private var lostResponse = false
  private(set) var failure: String?
  /// The events of the story, for a person who follows it.
  private(set) var lines: [String] = []
  private let isTold: Bool

  init(seed: UInt64, isTold: Bool = false) {
    self.isTold = isTold
    random = Randomness(seed: (seed, 11, seed &* 41, 3))
    hasWill = random.next() % 2 == 0
    cipher = ScriptedCipher(disk)
    session = RoomSession(nil, seed: (1, 2, 3, 4))
    start()
  }

  /// Tells the story; returns the rule that was broken.
  func tell(stepCount: Int) -> String? {
    for _ in 0..<stepCount where failure == nil { step(Int(random.next() % 32)) }
    heal()
    return failure
  }

  private func fail(_ sentence: String) { if failure == nil { failure = sentence } }

  // MARK: Steps

  private func step(_ number: Int) {
    switch number {
    case 0...4: write(ScriptedHomeserver.plain)
    case 5...8: write(ScriptedHomeserver.secret)
    case 9...21: respond(Int(random.next() % 24))
    case 22...24: commit(fails: random.next() % 8 == 0)
    case 25: post(Self.names[Int(random.next() % 3)])
    case 26: if random.next() % 2 == 0 { pass(milliseconds: Int(random.next() % 3000)) } else { askOrClose() }
    case 27: if random.next() % 2 == 0 { cipher.wantsCall = true } else { isDown = random.next() % 3 == 0 }
    case 28: if random.next() % 4 == 0 { pass(milliseconds: 40_000) }
    case 29: if random.next() % 8 == 0 { for _ in 0..<30 { write(ScriptedHomeserver.plain) } }
    case 30: if random.next() % 8 == 0 { homeserver.oldest = homeserver.log.count }
    case _:
      if random.next() % 3 == 0 { committing = nil }
      start()
    }
  }

  private func write(_ room: String) {
    let isOwn = random.next() % 8 == 0
    let event = homeserver.write(room, by: isOwn ? Self.me : "@ann:h")
    if isOwn { acted.insert(event) }
    guard room == ScriptedHomeserver.secret else { return }
    // The key may come later than its line, after other lines.
    if random.next() % 2 == 0 { homeserver.sendKey(of: event) } else { unsentKeys.append(event) }
    if random.next() % 2 == 0 { sendKeys() }
  }

  private var unsentKeys: [String] = []

  private func sendKeys() {
    for event in unsentKeys { homeserver.sendKey(of: event) }
    unsentKeys = []
  }

  /// Another process replaces the session, which was killed.
  private func start() {
    say("── a process starts at \(position ?? "the present")")
    requests = [:]
    (heard, next, isRecording, isEnded, mayStartFromPresent) = ([], nil, false, false, position == nil)
    (isAsked, isScheduled, past, posted, limits) = (false, false, [], [:], [:])
    cipher = ScriptedCipher(disk)
    session = RoomSession(cipher, seed: (random.next(), random.next(), random.next(), random.next()))
    order(.session(path: "/session", ca: ""))
    order(.encrypt(RoomEncryption(devices: .all, allowsPlain: true), state: "/state"))
    if hasWill {
      order(.will(RoomWill(room: ScriptedHomeserver.plain, body: "{}", after: .seconds(300)), mark: "kiosk"))
    }
    for name in Self.names { order(.room(name, readsPowers: false, asks: false)) }
    order(.begin(position: position))
    answerAgain()
  }

  private func order(_ order: RoomOrder) { tell(.ordered(order)) }

  /// The homeserver responds to one of the requests; most of the time as it should.
  private func respond(_ number: Int) {
    let channels = requests.keys.sorted { $0.rawValue < $1.rawValue }
    guard !channels.isEmpty else { return }
    let channel = channels[Int(random.next() % UInt64(channels.count))]
    guard let request = requests[channel] else { return }
    let isLost = !isGood && !isDown && number == 0
    let outcome: HTTPOutcome
    switch isGood ? .max : isDown ? 2 : number {
    case 0:
      // Performed, and nobody hears of it.
      _ = homeserver.perform(request.call, repeatsPosition: false)
      outcome = .failed(.timedOut, code: 28)
    case 1: outcome = .failed(.unreachable, code: 7)
    case 2: outcome = response(502, "<html>")
    case 3:
      limits[request.call.path ?? ""] = now + .milliseconds(1500)
      outcome = response(429, "{\"errcode\":\"M_LIMIT_EXCEEDED\",\"retry_after_ms\":1500}")
    case 4: outcome = response(200, "<html>")
    case 5: outcome = response(404, "<html>")
    case _:
      let isRepeated = !isGood && number == 6
      let present = homeserver.linesBeforePresent(of: request.call)
      let (status, body) = homeserver.perform(request.call, repeatsPosition: isRepeated)
      if channel == .polling, status == 400 { mayStartFromPresent = true }
      if let present { past = present }
      outcome = response(status, body)
    }
    if isLost, channel == .willing { lostResponse = true }
    requests[channel] = nil
    passed = []
    tell(.answered(channel, outcome))
    // The same response once more belongs to no request.
    if !isGood, number == 7, requests[channel] == nil { tell(.answered(channel, outcome)) }
  }

  private func response(_ status: UInt16, _ body: String) -> HTTPOutcome {
    .answered(status: status, retryAfter: nil, body: Array(body.utf8))
  }

  // MARK: The kiosk

  private func commit(fails: Bool) {
    guard let (events, end) = committing else { return }
    committing = nil
    acted.formUnion(events)
    if !fails { position = end }
    for event in events { answer(event) }
    if let next {
      self.next = nil
      batchEnded(next)
    } else {
      isRecording = false
      order(.poll(position: position))
    }
  }

  private func askOrClose() {
    if isAsked {
      order(.close(number: question, text: "over"))
    } else {
      question += 1
      order(.ask(number: question, room: ScriptedHomeserver.plain, text: "Open?"))
    }
    isAsked.toggle()
  }

  private func answer(_ event: String) {
    guard let room = homeserver.room(of: event), !isEnded else { return }
    owed.insert(event)
    order(.answer(room: room, event: event, .reply, text: "done"))
  }

  private func post(_ room: String) {
    postCount += 1
    let id = EntryID(high: 7, low: postCount)
    posted[id] = room
    order(.post(id, room: room, limit: .seconds(60), body: Array("{}".utf8)))
  }

  private func answerAgain() {
    answersAgainAt = now + Limits.roomAnswerAgain
    for event in owed.sorted() { answer(event) }
  }

  private func batchEnded(_ end: String) {
    if committing != nil { return next = end }
    if heard.isEmpty, position != nil {
      isRecording = false
      return order(.poll(position: position))
    }
    committing = (heard, end)
    heard = []
  }

  // MARK: The session

  private func say(_ line: @autoclosure () -> String) { if isTold { lines.append(line()) } }

  private func tell(_ event: RoomSession.Event) {
    guard failure == nil else { return }
    say("\(now.nanoseconds / 1_000_000) " + event.words)
    var orders: [() -> Void] = []
    for step in session.handle(event, at: now) {
      say("        " + step.words)
      if isEnded { fail("a step follows the end of the session") }
      perform(step, &orders)
    }
    for order in orders where failure == nil { order() }
  }

  private func perform(_ step: RoomSession.Step, _ later: inout [() -> Void]) {
    switch step {
    case .open: later.append { self.tell(.opened(.device("D", user: Self.me))) }
    case .confine: break
    case .end(let end):
      isEnded = true
      if !isOver { fail("the session ended: \(end)") }
    case .request(let channel, let call): judge(channel, call)
    case .send(.heard(let line)): judge(line)
    case .send(.batch(let position)):
      judgeBatch(position)
      later.append { self.batchEnded(position) }
    case .send(.settled(let event)):
      if !homeserver.transactions.keys.contains(where: { $0.hasSuffix("/" + (event + "-reply").percentEncoded) }) {
        fail("an answer counts as settled, and the homeserver does not have it")
      }
      owed.remove(event)
    case .send(.created(let id, let event)):
      let isThere = homeserver.transactions.contains { $0.key.hasSuffix("/" + id.hex) && $0.value == event }
      if posted.removeValue(forKey: id) == nil || !isThere { fail("a message counts as sent, and is not in its room") }
    case .send(.posted(let id, _, _)), .send(.undelivered(let id, _, _)):
      if posted.removeValue(forKey: id) == nil { fail("a message gets an outcome that has one") }
    case .send(.will(.scheduled)): isScheduled = true
    case .send(.will(.cancelled)):
      if !homeserver.delayed.isEmpty, !lostResponse { fail("the last will is pending, and counts as cancelled") }
    case .send: break
    }
  }

  // MARK: Rules

  private func judge(_ channel: RoomSession.Channel, _ call: HTTPCall) {
    if requests[channel] != nil { fail("a second request in the channel \(channel)") }
    requests[channel] = Request(call: call, until: now + .seconds(60))
    let path = call.path ?? ""
    if path.contains(ScriptedHomeserver.secret.percentEncoded + "/send/m.room.message") {
      fail("plain text is sent to an encrypted room")
    }
    if cipher.encryptsForNobody { fail("a message is encrypted that nobody can read") }
    if path.contains("/send/"), !path.contains("delay="), let until = limits[path], now < until {
      fail("a message is sent again before the homeserver allows it")
    }
    guard channel == .polling else { return }
    if isRecording { fail("more is polled for before the position is recorded") }
    guard let path = call.path, path.contains("/sync?"), !path.contains("since="), !mayStartFromPresent else { return }
    fail("the present replaces a good position")
  }

  private func judge(_ line: RoomLine) {
    if line.user == Self.me { fail("the kiosk's own line is passed on") }
    if past.contains(line.event) { fail("a line from before the present is passed on") }
    if !passed.insert(line.event).inserted { fail("a line is passed on twice") }
    heard.append(line.event)
  }

  private func judgeBatch(_ text: String) {
    isRecording = true
    guard let end = homeserver.index(of: String(text.dropFirst(2))) else { return fail("'\(text)' is not a position") }
    mayStartFromPresent = false
    let known = acted.union(heard).union(committing?.events ?? [])
    for case .line(_, let event, _) in homeserver.log.prefix(end) where !known.contains(event) {
      if !isLeftOut(event) { fail("a position is passed on before a line that comes before it") }
    }
  }

  private func isLeftOut(_ event: String) -> Bool {
    homeserver.history.contains(event) || homeserver.omitted.contains(event)
  }

  // MARK: Time

  private func pass(milliseconds: Int) {
    let end = now + .milliseconds(Int64(milliseconds))
    var repeats = 0
    while failure == nil {
      if isDown, !requests.isEmpty {
        respond(2)
        continue
      }
      let due = min(session.deadline ?? end, requests.values.map { $0.until }.min() ?? end)
      guard due < end else { break }
      repeats = due > now ? 0 : repeats + 1
      if repeats > 20 { return fail("a deadline is not met: the session spins") }
      now = max(now, due)
      // A request without a response ends with its time.
      if let channel = requests.first(where: { $0.value.until <= now })?.key {
        requests[channel] = nil
        tell(.answered(channel, .failed(.timedOut, code: 28)))
      } else {
        tell(.timerFired)
      }
    }
    now = max(now, end)
    if answersAgainAt <= now { answerAgain() }
  }

  /// Lets everything go well from now on, until nothing is left waiting, and ends the kiosk in an orderly way.
  private func heal() {
    say("── everything goes well from now on")
    (isGood, isDown) = (true, false)
    sendKeys()
    for _ in 0..<600 where failure == nil && restlessness != nil {
      for _ in 0..<4 { respond(0) }
      commit(fails: false)
      pass(milliseconds: 500)
    }
    if let restlessness { fail("after minutes in which everything went well, " + restlessness) }
    if failure == nil { end() }
  }

  private var restlessness: String? {
    for case .line(_, let event, _) in homeserver.log where !acted.contains(event) && !isLeftOut(event) {
      return "a line has not acted"
    }
    if !owed.isEmpty { return "an answer is missing" }
    if !posted.isEmpty { return "a message has no outcome" }
    if hasWill, !isScheduled { return "the last will is not scheduled" }
    return hasWill && homeserver.delayed.count != 1 ? "\(homeserver.delayed.count) last wills are pending" : nil
  }

  private func end() {
    (isOver, lostResponse) = (true, false)
    if hasWill { order(.cancelWill) }
    tell(.abandoned)
    for _ in 0..<20 where !isEnded && failure == nil {
      for channel in requests.keys.sorted(by: { $0.rawValue < $1.rawValue }) where channel == .willing {
        respondToWill()
      }
      pass(milliseconds: 100)
    }
    if !isEnded { fail("the session does not end without its parent") }
    tell(.abandoned)
    if !homeserver.delayed.isEmpty { fail("a last will is pending after an orderly end") }
  }

  private func respondToWill() {
    guard let request = requests.removeValue(forKey: .willing) else { return }
    let (status, body) = homeserver.perform(request.call, repeatsPosition: false)
    tell(.answered(.willing, response(status, body)))
  }
}
