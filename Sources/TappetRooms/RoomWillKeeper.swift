// Keeps the kiosk's last will pending at the homeserver: a message with a delay, which is restarted at a third of the
// delay (MSC4140, delayed events). Pure decision logic.
//
// Before a new message is scheduled, the homeserver lists those of former processes, which are cancelled after it. At
// each renewal, the room is checked again: it may have been encrypted, or its address moved, in the meantime.

import TappetCore
import TappetJSON

struct RoomWillKeeper {
  private enum Step {
    case capabilities
    /// The support of homeservers that do not list it as a capability.
    case versions
    case list
    case destination(RoomDestination.Step)
    case restart
  }

  private enum State {
    /// The next request is due at this time; without a step, it starts a renewal.
    case waiting(Step?, until: Instant)
    case asking(Step)
    /// The message is to be cancelled for good, after the response to the request that is in flight.
    case ending(Step?)
  }

  /// The messages to cancel.
  private struct Cancellations {
    private(set) var ids: [String] = []
    /// Time of the next request; `nil` if none is planned, or one is in flight.
    private(set) var due: Instant?
    private(set) var isUnderWay = false

    init(_ ids: [String] = []) { self.ids = ids }

    mutating func append(_ id: String) { ids.append(id) }

    mutating func plan(at time: Instant) { if !ids.isEmpty, !isUnderWay { due = min(due ?? time, time) } }

    /// Returns the message to cancel now.
    mutating func begin(at now: Instant) -> String? {
      guard let time = due, time <= now else { return nil }
      (due, isUnderWay) = (nil, true)
      return ids.first
    }

    /// Handles the outcome of a cancellation: the message is gone, or the homeserver refuses for good.
    mutating func handle(_ outcome: HTTPOutcome, retryAfter pause: Duration, at now: Instant) {
      isUnderWay = false
      if case .answered(let status, _, let body) = outcome {
        let answer = MatrixAnswer(body)
        let isRefused = (400..<500).contains(status) && status != 429 && answer.errorCode != nil
        if status == 200 && answer.isObject || isRefused {
          ids.removeFirst()
          return plan(at: now)
        }
      }
      plan(at: now + pause)
    }
  }

  /// The member of the content by which the kiosk recognizes its last wills.
  static let mark = "org.tappet.last_will"
  private static let delayedEvents = "/_matrix/client/unstable/org.matrix.msc4140/delayed_events"

  private let will: RoomWill
  private let mark: String
  private let cipher: (any RoomCipher)?
  private var destination: RoomDestination
  private var state: State
  /// The scheduled message, and the id of its room; `nil` if there is none.
  private var pending: (id: String, room: String)?
  private var cancellations = Cancellations()
  /// Transaction of the message being scheduled, kept until there is an answer.
  private var transaction: EntryID
  private var random: Randomness
  private var failures = 0
  private var told: RoomWillState?
  private var messages: [RoomWillState] = []

  init(_ will: RoomWill, mark: String, _ cipher: (any RoomCipher)?, random: Randomness, at now: Instant) {
    self.will = will
    self.mark = mark
    self.cipher = cipher
    self.random = random
    transaction = EntryID(high: self.random.next(), low: self.random.next())
    destination = RoomDestination(will.room)
    state = .waiting(.capabilities, until: now)
  }

  /// Time of the next request; `nil` if none is due, or one is in progress.
  var dueAt: Instant? {
    if cancellations.isUnderWay { return nil }
    switch state {
    case .waiting(_, let until): return min(cancellations.due ?? until, until)
    case .asking, .ending(.some): return nil
    case .ending(nil): return cancellations.due
    }
  }

  private var isEnding: Bool { if case .ending = state { true } else { false } }

  /// Whether the message is still to be cancelled.
  var isCancelling: Bool { isEnding && told != .cancelled }

  /// Cancels the message, and schedules no other.
  mutating func end(at now: Instant) {
    switch state {
    case .waiting: state = .ending(nil)
    case .asking(let step): state = .ending(step)
    case .ending: break
    }
    cancelRest(at: now)
    cancellations.plan(at: now)
  }

  /// Returns the states for the parent.
  mutating func takeMessages() -> [RoomWillState] {
    defer { messages = [] }
    return messages
  }

  private mutating func tell(_ state: RoomWillState) {
    if state != told { messages.append(state) }
    told = state
  }

  // MARK: Requests

  mutating func nextCall(at now: Instant) -> HTTPCall? {
    guard let dueAt, dueAt <= now else { return nil }
    if let id = cancellations.begin(at: now) { return change(id, "cancel") }
    guard case .waiting(let next, _) = state else { return nil }
    var step = next ?? .destination(destination.begin(at: now))
    if case .destination(.send) = step, pending != nil { step = .restart }
    state = .asking(step)
    return call(step)
  }

  private func call(_ path: String, _ method: WebhookEndpoint.Method, _ body: String = "") -> HTTPCall {
    HTTPCall(path: path, method: method, body: Array(body.utf8), keepsAnswer: true)
  }

  private func change(_ id: String, _ action: String) -> HTTPCall {
    call(RoomWillKeeper.delayedEvents + "/" + id.percentEncoded, .post, "{\"action\":\"\(action)\"}")
  }

  private func call(_ step: Step) -> HTTPCall {
    switch step {
    case .capabilities: return call("/_matrix/client/v3/capabilities", .get)
    case .versions: return call("/_matrix/client/versions", .get)
    case .list: return call(RoomWillKeeper.delayedEvents, .get)
    case .restart: return change(pending?.id ?? "", "restart")
    case .destination(.send):
      let path = destination.path(of: .send, sending: transaction.hex)
      let start = String(Substring(will.body.utf8.dropLast()))
      let content = start + ",\"\(RoomWillKeeper.mark)\":\"\(mark.jsonEscaped)\"}"
      return call(path + "?org.matrix.msc4140.delay=\(will.after.wholeMilliseconds)", .put, content)
    case .destination(let step): return call(destination.path(of: step, sending: transaction.hex), .get)
    }
  }

  // MARK: Responses

  mutating func handle(_ outcome: HTTPOutcome, at now: Instant) {
    switch state {
    case _ where cancellations.isUnderWay:
      cancellations.handle(outcome, retryAfter: isEnding ? .milliseconds(500) : Limits.roomRetry.last, at: now)
    case .asking(let step): handle(step, outcome, at: now)
    case .ending(.some(let step)):
      state = .ending(nil)
      handle(step, outcome, at: now)
    case .waiting, .ending(nil): return
    }
    if isEnding { cancelRest(at: now) }
  }

  private mutating func handle(_ step: Step, _ outcome: HTTPOutcome, at now: Instant) {
    switch outcome {
    case .failed(let trouble, let code): failed(.trouble(trouble, code: code), retryAfter: nil, step, at: now)
    case .answered(let status, let pause, let body):
      let answer = MatrixAnswer(body)
      let fault = answer.fault(status)
      switch fault {
      case .status, .trouble(.tokenRefused, _): failed(fault, retryAfter: answer.retryAfter ?? pause, step, at: now)
      case .trouble:
        // An intermediary's page is not JSON, or has no error code.
        let isKnown = status == 200 && answer.isObject
        guard isKnown || answer.errorCode != nil else { return failed(fault, retryAfter: pause, step, at: now) }
        answered(step, status, isKnown ? body : nil, answer, at: now)
      }
    }
  }

  /// Handles the homeserver's decision; the body is `nil` for an error.
  private mutating func answered(
    _ step: Step, _ status: UInt16, _ body: [UInt8]?, _ answer: MatrixAnswer, at now: Instant
  ) {
    switch step {
    case .capabilities: supported(body.flatMap { RoomWillKeeper.delayMax($0) }, at: now)
    case .versions:
      let isSupported = body.map { RoomWillKeeper.isSupported($0) } ?? false
      if isSupported { goOn(.list, at: now) } else { lack(.unsupported, at: now) }
    case .list:
      cancellations = Cancellations(body.map { listed($0) } ?? [])
      goOn(nil, at: now)
    case .restart: if body != nil { renewed(at: now) } else { restartRefused(status, at: now) }
    case .destination(.send): scheduled(status, body, answer, at: now)
    case .destination(let step): checked(step, status, answer, at: now)
    }
  }

  /// Handles the longest delay that the homeserver supports; `nil` if it states none.
  private mutating func supported(_ longest: Duration?, at now: Instant) {
    guard let longest else { return goOn(.versions, at: now) }
    if let state = will.lack(longest: longest) { lack(state, at: now) } else { goOn(.list, at: now) }
  }

  private mutating func checked(
    _ step: RoomDestination.Step, _ status: UInt16, _ answer: MatrixAnswer, at now: Instant
  ) {
    if let id = destination.id, cipher?.isEncrypted(id) == true { destination.recordEncrypted() }
    switch destination.handle(step, status: Int(status), retryAfter: nil, answer, at: now) {
    case .next(.send):
      guard let pending else { return goOn(.destination(.send), at: now) }
      if pending.room == destination.id { return goOn(.restart, at: now) }
      // The address refers to a different room now.
      abandon()
      goOn(.destination(.send), at: now)
    case .next(let step): goOn(.destination(step), at: now)
    case .answered(let status, let pause): failed(.status(status), retryAfter: pause, .destination(step), at: now)
    case .failed(let trouble):
      // The homeserver would post plain text in an encrypted room.
      if trouble == .roomEncrypted { abandon() }
      if pending == nil { cancellations.plan(at: now) }
      failed(.trouble(trouble, code: Int32(status)), retryAfter: nil, nil, at: now)
    }
  }

  private mutating func scheduled(_ status: UInt16, _ body: [UInt8]?, _ answer: MatrixAnswer, at now: Instant) {
    let id = body.flatMap { JSONNode.read($0) { $0["delay_id"]?.text } }
    if let id, !id.isEmpty, id.utf8.count <= Limits.roomEventSizeMax {
      pending = (id, destination.id ?? will.room)
      transaction = EntryID(high: random.next(), low: random.next())
      cancellations.plan(at: now)
      return renewed(at: now)
    }
    // The homeserver has ignored the delay, and must not be asked again.
    if answer.eventID != nil { return lack(.unsupported, at: now) }
    if answer.errorCode == "ORG.MATRIX.MSC4140_DELAY_TOO_LARGE" {
      return lack(will.lack(longest: will.after - .seconds(1)) ?? .unsupported, at: now)
    }
    checked(.send, status, answer, at: now)
  }

  private mutating func renewed(at now: Instant) {
    failures = 0
    goOn(nil, at: now + .nanoseconds(will.after.wholeNanoseconds / 3))
    tell(.scheduled)
  }

  private mutating func restartRefused(_ status: UInt16, at now: Instant) {
    if status == 404 || status == 409 {
      pending = nil
      tell(.posted)
    } else {
      abandon()
    }
    goOn(nil, at: now)
  }

  /// Plans the next step, unless the message is to be cancelled for good.
  private mutating func goOn(_ step: Step?, at time: Instant) {
    if !isEnding { state = .waiting(step, until: time) }
  }

  /// Cancels the scheduled message once a different one is scheduled.
  private mutating func abandon() {
    if let pending { cancellations.append(pending.id) }
    pending = nil
  }

  /// Reports why the homeserver cannot schedule the message, and asks again much later.
  private mutating func lack(_ state: RoomWillState, at now: Instant) {
    tell(state)
    cancellations.plan(at: now)
    goOn(.capabilities, at: now + Limits.roomWillRecheck)
  }

  /// Repeats the step, or without one, the renewal, after a pause.
  private mutating func failed(_ fault: WebhookFault, retryAfter: Duration?, _ step: Step?, at now: Instant) {
    let pause = min(max(Limits.roomRetry.pause(after: failures), retryAfter ?? .zero), Limits.roomRetry.last)
    goOn(step, at: now + pause)
    failures += 1
    // Shorter interruptions are reported by the listener.
    if case .trouble(let trouble, _) = fault, trouble.isRefusal { return tell(.failed(fault)) }
    if failures >= Limits.roomWillFailuresMax { tell(.failed(fault)) }
  }

  /// Cancels all messages, once no request is in flight.
  private mutating func cancelRest(at now: Instant) {
    if case .ending(.some) = state { return }
    abandon()
    if cancellations.ids.isEmpty { tell(.cancelled) } else { cancellations.plan(at: cancellations.due ?? now) }
  }

  // MARK: Parsing

  /// Returns the longest delay that a homeserver supports; `nil` if it does not state any.
  private static func delayMax(_ body: [UInt8]) -> Duration? {
    JSONNode.read(body) { answer in
      let limits = answer["capabilities"]?["org.matrix.msc4140.delayed_events"]
      return limits?["max_delay_ms"]?.number.map { .milliseconds(Int64(min(max($0, 0), 0x1p40))) }
    }
  }

  private static func isSupported(_ body: [UInt8]) -> Bool {
    JSONNode.read(body) { $0["unstable_features"]?["org.matrix.msc4140"]?.isTrue } ?? false
  }

  /// Returns the ids of the messages that former processes of this kiosk have scheduled.
  private func listed(_ body: [UInt8]) -> [String] {
    JSONNode.read(body) { answer in
      answer["delayed_events"]?.children.compactMap { event -> String? in
        guard event["content"]?[RoomWillKeeper.mark]?.text == mark, let id = event["delay_id"]?.text,
          id.utf8.count <= Limits.roomEventSizeMax
        else { return nil }
        return id
      }
    } ?? []
  }
}
