// Serves rooms: posts the kiosk's messages and replies; if the kiosk listens, polls through /sync, starting from the
// position that the kiosk has recorded, or from the present. Pure decision logic.
//
//   starting ─begin─▶ posting                                     if there is nothing to listen for
//   starting ─begin─▶ resting ──due──▶ asking ──answered──▶ resting
//                        ▲               │ lines                 any ─parent gone─▶ ending ─▶ ended
//                        └──poll── recording
//
// It polls again only when the kiosk has recorded the position after the last lines.

import TappetCore

/// The state of a process that serves the rooms of one session at a homeserver.
package struct RoomSession {
  package enum Event: Sendable {
    /// The parent has sent an order.
    case ordered(RoomOrder)
    /// The session's files were read; nothing can be requested without a login.
    case opened(Login)
    /// The request of this channel has ended.
    case answered(Channel, HTTPOutcome)
    case timerFired
    /// The parent has closed the socket.
    case abandoned
  }

  package enum Step: Sendable {
    /// Read the session's files; the result is `opened`.
    case open(WebhookEndpoint)
    /// Give up access to everything that is not needed from now on; encryption needs more memory.
    case confine(encrypts: Bool)
    case send(RoomMessage)
    /// Send a request to the homeserver; the result is `answered`.
    case request(Channel, HTTPCall)
    /// End the process.
    case end(End)
  }

  /// The purpose of a request; at most one request per purpose is in flight.
  package enum Channel: UInt64, Sendable {
    case polling = 1
    case sending = 2
    case ciphering = 3
    case joining = 4
    case willing = 5
  }

  package enum End: Sendable {
    case finished
    /// The keys in memory are unusable, so that a new process must start with those on disk.
    case unusable
    /// The session, or another file that is read at the start, was unusable.
    case needsSuccessor
  }

  /// The kiosk's login at the homeserver.
  package enum Login: Sendable {
    case device(String, user: String)
    /// The files cannot be used: an errno, or 0 for invalid content.
    case unusable(Int32)
  }

  enum State {
    /// The parent is sending the rooms; nothing is requested yet.
    case starting
    /// There is nothing to listen for; messages are sent.
    case posting
    /// A request of the polling channel is in flight, possibly while the kiosk records a position.
    case asking(Question, isRecording: Bool)
    /// The kiosk is recording a position; the next request follows, but not before `next`.
    case recording(next: Instant)
    case resting(until: Instant)
    /// The parent is gone after it ordered to cancel the last will, for which this is the time limit.
    case ending(until: Instant)
    case ended
  }

  /// A room with commands.
  struct Room {
    /// The room's address or id, as configured.
    var name: String
    var id: String?
    /// Whether lines are passed on with their senders' power levels.
    var readsPowers: Bool
    /// Whether the kiosk asks questions in the room.
    var asks: Bool
    var powers = RoomPowers()
    /// Whether the homeserver has responded to the query for the room's creator, with any result.
    var isCreationKnown = false
    /// State of the room; `nil` until the homeserver has reported it.
    var access: RoomAccess?
    /// Whether the room is encrypted and its messages are decrypted.
    var isDecrypted = false

    func power(of user: String) -> Int64? { readsPowers ? powers.level(of: user) : nil }
  }

  /// The state of encryption.
  struct Ciphering {
    var settings = RoomEncryption()
    /// Whether a request of the cipher is in flight.
    var isUnderWay = false
    /// The users who may send commands, except by their power levels.
    var commanders: Set<String> = []
  }

  private(set) var state = State.starting
  /// The steps that result from the current event.
  private var steps: [Step] = []
  /// The encryption in use; `nil` unless the parent has ordered it.
  private(set) var cipher: (any RoomCipher)?
  private let availableCipher: (any RoomCipher)?
  private var login = Login.unusable(0)
  var rooms: [Room] = []
  var position = RoomPosition()
  var ciphering = Ciphering()
  var polling = RoomPolling()
  var outbox = RoomOutbox()
  var questions = RoomQuestions()
  var invitations = Invitations()
  /// The unread messages; `nil` if the kiosk does not show any.
  var unread: UnreadRooms?
  /// The kiosk's last will; `nil` if there is none.
  private var will: RoomWillKeeper?
  private var random: Randomness

  /// Whether the kiosk listens: to rooms, to invitations, or to the signs of its last will.
  private var listens: Bool {
    !rooms.isEmpty || cipher != nil || invitations.areWanted || unread != nil || will != nil
  }

  /// Creates a session that waits for orders, one of which may be to use the cipher.
  @export(interface)
  package init(_ cipher: (any RoomCipher)?, seed: (UInt64, UInt64, UInt64, UInt64)) {
    availableCipher = cipher
    random = Randomness(seed: seed)
  }

  /// Id of the kiosk's own user; `nil` if there is no login.
  var user: String? { if case .device(_, let user) = login { user } else { nil } }

  /// Id of the session's device; `nil` if there is no login.
  var device: String? { if case .device(let device, _) = login { device } else { nil } }

  /// Handles an event; the steps have to be performed in order.
  @export(interface)
  package mutating func handle(_ event: Event, at now: Instant) -> [Step] {
    if case .ended = state { return [] }
    switch event {
    case .ordered(let order): execute(order, at: now)
    case .opened(let login): self.login = login
    case .answered(let channel, let outcome): answered(channel, outcome, at: now)
    case .timerFired: break
    case .abandoned: state = will?.isCancelling == true ? .ending(until: now + Limits.roomWillEndMax) : ended(.finished)
    }
    proceed(at: now)
    defer { steps = [] }
    return steps
  }

  /// Time of the next `timerFired`; `nil` if there is nothing to do.
  @export(interface)
  package var deadline: Instant? {
    switch state {
    case .starting, .ended: nil
    case .posting: outbox.deadline
    case .ending(let until): .earliest(until, will?.dueAt)
    case .asking, .recording: deadline(nil)
    case .resting(let until): deadline(until)
    }
  }

  private func deadline(_ polling: Instant?) -> Instant? {
    .earliest(polling, will?.dueAt, outbox.deadline, ciphering.isUnderWay ? nil : cipher?.dueAt)
  }

  // MARK: Steps

  mutating func send(_ message: RoomMessage) { steps.append(.send(message)) }

  /// Sends a request, which fails immediately without a login.
  mutating func request(_ channel: Channel, _ call: HTTPCall, at now: Instant) {
    switch login {
    case .device: steps.append(.request(channel, call))
    case .unusable(let code): answered(channel, .failed(.fileUnusable, code: code), at: now)
    }
  }

  private mutating func ended(_ end: End) -> State {
    steps.append(.end(end))
    return .ended
  }

  /// Sends the requests that are due.
  private mutating func proceed(at now: Instant) {
    switch state {
    case .starting, .ended: return
    case .posting: return sendMessages(at: now)
    case .ending(let until):
      if will?.isCancelling != true || until <= now { state = ended(.finished) } else { callForWill(at: now) }
      return
    case .resting(let until) where until <= now:
      if polling.needsSuccessor { return state = ended(.needsSuccessor) }
      ask(nextQuestion, at: now)
    case .asking, .recording, .resting: break
    }
    callForCipher(at: now)
    sendMessages(at: now)
    callForWill(at: now)
    if cipher?.isUnusable == true { state = ended(.unusable) }
  }

  private mutating func ask(_ question: Question, at now: Instant) {
    polling.asked(at: now)
    state = .asking(question, isRecording: false)
    request(.polling, call(for: question, at: now), at: now)
  }

  /// Plans the next request of the polling channel, after a response.
  mutating func rest(until due: Instant) {
    if case .asking(_, isRecording: true) = state {
      state = .recording(next: due)
    } else {
      state = .resting(until: due)
    }
  }

  /// Waits until the kiosk has recorded a position.
  private mutating func recordPosition() {
    switch state {
    case .asking(let question, _): state = .asking(question, isRecording: true)
    case .resting(let due): state = .recording(next: due)
    case .starting, .posting, .recording, .ending, .ended: break
    }
  }

  private mutating func positionRecorded() {
    switch state {
    case .asking(let question, _): state = .asking(question, isRecording: false)
    case .recording(let due): state = .resting(until: due)
    case .starting, .posting, .resting, .ending, .ended: break
    }
  }

  private mutating func answered(_ channel: Channel, _ outcome: HTTPOutcome, at now: Instant) {
    switch (channel, state) {
    case (.polling, .asking(let question, _)): asked(question, outcome, at: now)
    case (.willing, _): willed(outcome, at: now)
    case (_, .ending), (_, .ended), (_, .starting), (.polling, _): break
    case (.joining, _): joined(outcome)
    case (.sending, _): outbox.sent(outcome, at: now)
    case (.ciphering, _):
      ciphering.isUnderWay = false
      outbox.keysAnswered(outcome, isValid: cipher?.called(outcome) ?? false, at: now)
      passOnDeciphered()
      endBatch()
    }
  }

  // MARK: Orders

  private mutating func execute(_ order: RoomOrder, at now: Instant) {
    switch order {
    case .session(let path, let ca): open(path, ca)
    case .room(let name, let readsPowers, let asks):
      rooms.append(Room(name: name, id: name.begins(with: "!") ? name : nil, readsPowers: readsPowers, asks: asks))
    case .begin(let recorded):
      if let recorded, let device { position = RoomPosition(recorded, device: device) }
      favorCommanders()
      steps.append(.confine(encrypts: cipher != nil))
      send(.ready)
      state = listens ? .resting(until: now) : .posting
    case .answer(let room, let event, let form, let text):
      guard let id = rooms.first(where: { $0.name == room })?.id else { return }
      outbox.append(
        form == .reply ? .reply(text, to: event) : .reaction(text, to: event, isFinal: form == .reaction), to: id,
        at: now)
    case .poll(let recorded):
      if recorded != nil, recorded == position.settling { cipher?.recorded() }
      positionRecorded()
    case .ask(let number, let room, let text):
      guard let id = rooms.first(where: { $0.name == room })?.id, !isEncrypted(id) else { return }
      questions.ask(number, in: id)
      outbox.append(.question(number, text), to: id, at: now)
    case .close(let number, let text):
      let isUnderWay = outbox.remove(question: number)
      if let (room, event) = questions.close(number, text, underWay: isUnderWay) {
        outbox.append(.reply(text, to: event), to: room, at: now)
      }
    case .encrypt(let encryption, let state): encrypt(encryption, state)
    case .post(let id, let room, let limit, let body):
      outbox.append(.entry(id, body), to: room, within: limit, at: now)
    case .invitations: invitations.areWanted = true
    case .join(let room): join(room, at: now)
    case .will(let will, let mark): self.will = RoomWillKeeper(will, mark: mark, cipher, random: random, at: now)
    case .cancelWill:
      will?.end(at: now)
      tellOfWill()
    case .unread(let room): unread = UnreadRooms(room)
    case .commanders(let users): ciphering.commanders.formUnion(users)
    }
  }

  private mutating func open(_ path: String, _ ca: String) {
    var settings = WebhookEndpoint(action: "", url: .session(path))
    settings.redirects = Limits.roomRedirectsMax
    settings.timeout = Limits.roomPollMax + Limits.webhookTimeoutDefault
    settings.caFile = ca.isEmpty ? nil : ca
    steps.append(.open(settings))
  }

  private mutating func encrypt(_ encryption: RoomEncryption, _ state: String) {
    guard let available = availableCipher else { return }
    (cipher, ciphering.settings) = (available, encryption)
    outbox.encrypt(by: available, encryption)
    guard case .device(let device, let user) = login else { return }
    if let code = available.open(user: user, device: device, encryption, state: state) { login = .unusable(code) }
  }

  // MARK: Positions

  /// Passes on the position after the lines, and waits until the kiosk has recorded it.
  mutating func endBatch() {
    let isComplete = cipher?.hasWaitingEvents != true
    guard let device, let place = position.endBatch(device, isComplete: isComplete) else { return }
    recordPosition()
    send(.batch(position: place))
  }

  mutating func note(_ access: RoomAccess, _ index: Int) {
    guard rooms[index].access != access else { return }
    rooms[index].access = access
    // A room that has admitted the kiosk may now reveal its creation event.
    if access == .open, rooms[index].powers.creation == nil { rooms[index].isCreationKnown = false }
    send(.access(room: rooms[index].name, access))
  }

  // MARK: The last will

  private mutating func callForWill(at now: Instant) {
    if let call = will?.nextCall(at: now) { request(.willing, call, at: now) }
  }

  private mutating func willed(_ outcome: HTTPOutcome, at now: Instant) {
    will?.handle(outcome, at: now)
    tellOfWill()
  }

  /// Reports the state of the last will, unless the parent is gone.
  private mutating func tellOfWill() {
    let states = will?.takeMessages() ?? []
    if case .ending = state { return }
    for state in states { send(.will(state)) }
  }
}
