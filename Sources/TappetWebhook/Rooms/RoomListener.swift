// Listens to rooms through /sync with long polling, starting from the position that the kiosk has recorded, or from the
// present. It polls again only when the kiosk has recorded the position after the last lines.

import CPlatform
import TappetCore
import TappetPlatform
import TappetRooms

/// Passes the lines that users write in rooms to the parent, and sends the parent's replies to these rooms.
final class RoomListener {
  let parent: UnixSocket
  let client: HTTPClient
  var endpoint: LoadedEndpoint?
  var rooms: [Room] = []
  /// Position from which the next request continues; `nil` means the present.
  var since: String?
  /// Position before the first event that could not be decrypted yet: a successor has to read it again.
  var firstUnread: String?
  /// Whether /sync has been answered.
  private(set) var isSynchronized = false
  /// Whether the response to /sync is the first one, or the first with all rooms.
  var isFirst: Bool { since == nil || !isSynchronized }
  /// Whether lines were passed on since the last recorded position, or none is recorded.
  private var hasPassed = false
  /// Whether the kiosk is recording a position.
  private var isRecording = false
  /// The request in progress; `nil` if there is none.
  var step: Step?
  /// The kiosk's last will; `nil` if there is none.
  var will: RoomWillKeeper?
  /// The unread messages; `nil` if the kiosk does not show any.
  var unread: UnreadRooms?
  var polling = RoomPolling()
  var answers = RoomMessageQueue()
  var questions = RoomQuestions()
  var invitations = Invitations()
  var exitStatus: Int32?
  let cipher: (any RoomCipher)?
  private var ciphering = Ciphering()

  static let asking = EntryID(high: 0, low: 1)
  static let answering = EntryID(high: 0, low: 2)
  private static let ciphering = EntryID(high: 0, low: 3)
  static let joining = EntryID(high: 0, low: 4)
  static let willing = EntryID(high: 0, low: 5)

  /// Creates a listener; if there is no cipher, it does not read encrypted rooms.
  init(parent: UnixSocket, client: HTTPClient, _ cipher: (any RoomCipher)?) {
    self.parent = parent
    self.client = client
    self.cipher = cipher
  }

  /// Runs until the parent is gone or the session has ended; returns the exit status.
  func run() -> Int32 {
    while exitStatus == nil {
      client.work { id, outcome in done(id, outcome) }
      goOn(at: now)
      if cipher?.isUnusable == true { exitStatus = ExitStatus.unusable }
      if exitStatus == nil, client.wait(for: parent.fileDescriptor, limit: wait) { receive() }
    }
    return exitStatus ?? ExitStatus.finished
  }

  var now: Instant { SystemClock().now().instant }

  /// Time until the next timer expires, not counting libcurl's own timers.
  private var wait: Duration {
    let dues = [
      isRecording ? nil : polling.dueAt, answers.dueAt, ciphering.isUnderWay ? nil : cipher?.dueAt, will?.dueAt,
    ]
    .compactMap { $0.map { $0 - now } }
    return min(dues.min() ?? .seconds(60), .seconds(60))
  }

  private func receive() {
    while exitStatus == nil {
      switch parent.receive(sizeMax: cipher == nil ? Limits.roomWireSizeMax : Limits.webhookMessageSizeMax) {
      case .nothing: return
      case .closed:
        cancelWill()
        exitStatus = ExitStatus.finished
      case .message(let bytes):
        guard let order = try? RoomOrder(decoding: bytes) else { return exitStatus = ExitStatus.usage }
        execute(order)
      }
    }
  }

  private func execute(_ order: RoomOrder) {
    switch order {
    case .session(let path, let ca):
      var settings = WebhookEndpoint(action: "", url: .file(path))
      settings.room = "!"
      settings.redirects = Limits.roomRedirectsMax
      settings.timeout = Limits.roomPollMax + Limits.webhookTimeoutDefault
      settings.caFile = ca.isEmpty ? nil : ca
      endpoint = LoadedEndpoint(settings)
    case .room(let name, let readsPowers, let asks):
      rooms.append(Room(name: name, id: name.begins(with: "!") ? name : nil, readsPowers: readsPowers, asks: asks))
    case .begin(let position):
      since = position.flatMap { endpoint?.position(in: $0) }
      favorCommanders()
      Sandbox.close(dataMax: cipher == nil ? Limits.webhookDataMax : Limits.matrixDataMax)
      send(.ready)
      polling.askNow(now)
    case .answer(let room, let event, let form, let text):
      guard let id = rooms.first(where: { $0.name == room })?.id else { return }
      if form == .reply { reply(text, to: event, in: id) } else { queue(.init(to: event, in: id, form, text)) }
    case .poll(let position):
      if position != nil, position == ciphering.settling { cipher?.recorded() }
      isRecording = false
    case .ask(let number, let room, let text):
      guard let id = rooms.first(where: { $0.name == room })?.id, !isEncrypted(id) else { return }
      questions.ask(number, in: id)
      queue(.init(asking: number, in: id, text))
    case .close(let number, let text):
      let isUnderWay = answers.remove(question: number)
      if let (room, event) = questions.close(number, text, underWay: isUnderWay) {
        reply(text, to: event, in: room)
      }
    case .encrypt(let encryption, let state):
      guard let user = endpoint?.user, let device = endpoint?.device, let cipher else { return }
      ciphering.settings = encryption
      guard let trouble = cipher.open(user: user, device: device, encryption, state: state) else { return }
      (ciphering.keyTrouble, endpoint) = (trouble, nil)
    case .post(let id, let room, let body):
      guard let cipher, endpoint != nil else {
        return send(.undelivered(id, .fileUnusable, code: ciphering.keyTrouble))
      }
      cipher.post(id, in: room, body, settling: nil)
    case .invitations: invitations.areWanted = true
    case .join(let room): join(room)
    case .will(let will, let mark): self.will = RoomWillKeeper(will, mark: mark, at: now)
    case .cancelWill: endWill()
    case .unread(let room): unread = UnreadRooms(room)
    case .commanders(let users): ciphering.commanders.formUnion(users)
    }
  }

  /// Whether the room with this id is known to be encrypted.
  private func isEncrypted(_ room: String) -> Bool {
    cipher?.isEncrypted(room) ?? rooms.contains { $0.id == room && $0.access == .encrypted }
  }

  /// Replies in a room; in an encrypted room, always encrypted, even if encryption was enabled after the line.
  func reply(_ text: String, to event: String, in room: String) {
    let message = RoomMessageQueue.Message(to: event, in: room, .reply, text)
    guard isEncrypted(room) else { return queue(message) }
    cipher?.post(EntryID(digestOf: event), in: room, message.body, settling: event)
  }

  private func queue(_ message: RoomMessageQueue.Message) { answers.append(message, at: now) }

  // MARK: Questions

  private func goOn(at now: Instant) {
    if step == nil, !isRecording, let due = polling.dueAt, due <= now { ask() }
    if let message = answers.next(at: now) { answer(message) }
    callForCipher()
    callForWill(at: now)
  }

  func begin(_ id: EntryID, _ call: HTTPCall) -> HTTPOutcome? {
    guard let endpoint else { return .failed(.fileUnusable, code: ciphering.keyTrouble) }
    return client.begin(id, to: endpoint, call, unixSeconds: SystemClock().now().unixSeconds)
  }

  func heard(_ answer: SyncAnswer) {
    let isFirst = isFirst
    let isResumed = isFirst && since != nil
    for room in answer.rooms { recordChanges(room, isFirst: isFirst) }
    // The homeserver stores events for this device until /sync is requested from the next position.
    guard learn(answer.news, isFirst: isFirst) else {
      return failed(.trouble(.fileUnusable, code: EIO), retryAfter: nil)
    }
    firstUnread = firstUnread ?? since
    (since, isSynchronized) = (answer.next, true)
    // Not earlier: the position of the predecessor, whose lines come again, is not the one after them.
    if isFirst { hasPassed = true }
    invitations.resume()
    for index in rooms.indices where rooms[index].id != nil {
      guard let room = answer.rooms.last(where: { $0.id == rooms[index].id }) else {
        if isFirst { note(.closed, index) }
        continue
      }
      let wasOpen = rooms[index].access == .open && !isFirst
      note(access(room, index), index)
      // A line from before the kiosk joined is not a command. A room configured under two names passes on a line once.
      let isHeard = (wasOpen || isResumed) && rooms.firstIndex(where: { $0.id == room.id }) == index
      for change in room.changes { handle(change, index, isHeard: isHeard) }
      if rooms[index].access == .open, let event = room.newest { queue(.init(reading: event, in: room.id)) }
    }
    passOnDeciphered()
    pass(answer.invitations)
    tellUnread()
    send(.listening)
    endBatch()
    let lacksEvents = answer.rooms.contains { $0.lacksEvents }
    // The next response then contains the state of all rooms.
    if unread?.resume() == true || lacksEvents { isSynchronized = false }
    let isFull = answer.news.toDevice.count >= Limits.roomPageCount
    let isEmpty = answer.rooms.isEmpty && !isFull
    polling.answered(
      isEmpty: isEmpty || lacksEvents, isFirst: isFirst && !lacksEvents, isFull: isFull, at: now)
  }

  /// Records what the cipher has to know of a room before it handles keys and events.
  private func recordChanges(_ room: SyncAnswer.Room, isFirst: Bool) {
    guard let cipher else { return }
    if room.isEncrypted { cipher.recordEncrypted(room.id) }
    // Keys may have been sent to this device as soon as the room was encrypted, or admitted the kiosk.
    let wasRead = rooms.contains { $0.id == room.id && $0.isDecrypted && $0.access == .open }
    if cipher.isEncrypted(room.id), room.changesMembers || isFirst || !wasRead { cipher.membersChanged(in: room.id) }
  }

  /// Tells the cipher whose lines matter most.
  func favorCommanders() {
    var users = ciphering.commanders
    for room in rooms where room.readsPowers { users.formUnion(room.powers.raised) }
    cipher?.favor(users)
  }

  /// Returns the room's state after a response; encryption and replacement are permanent.
  private func access(_ room: SyncAnswer.Room, _ index: Int) -> RoomAccess {
    let before = rooms[index].access
    if room.isLeft { return .closed }
    if room.isReplaced || before == .replaced { return .replaced }
    guard let cipher else { return room.isEncrypted || before == .encrypted ? .encrypted : .open }
    rooms[index].isDecrypted = cipher.isEncrypted(room.id)
    // Reactions are not encrypted, so the homeserver could forge answers to the kiosk's questions.
    if rooms[index].isDecrypted { return rooms[index].asks ? .encrypted : .open }
    return ciphering.settings.allowsPlain ? .open : .plain
  }

  private func handle(_ change: SyncAnswer.Change, _ index: Int, isHeard: Bool) {
    switch change {
    case .levels(let levels):
      rooms[index].powers.levels = levels
      favorCommanders()
    case .reaction(let event, let user, let isYes):
      guard isHeard, rooms[index].access == .open, user != endpoint?.user else { return }
      let answer = RoomAnswer(question: 0, user: user, power: power(of: user, in: rooms[index]), isYes: isYes)
      if let answer = questions.reacted(to: event, in: rooms[index].id ?? "", answer) { send(.answered(answer)) }
    case .line(let line):
      guard isHeard, !rooms[index].isDecrypted else { return }
      pass(line, in: rooms[index])
    case .encrypted(let user, let event):
      guard isHeard, rooms[index].isDecrypted, rooms[index].access == .open, user != endpoint?.user else { return }
      cipher?.hear(event, in: rooms[index].id ?? "")
    }
  }

  private func power(of user: String, in room: Room) -> Int64? {
    room.readsPowers ? room.powers.level(of: user) : nil
  }

  /// Passes on a line, with its sender's power level, if the room is open.
  private func pass(_ line: RoomLine, in room: Room) {
    guard room.access == .open, line.user != endpoint?.user else { return }
    var line = line
    line.room = room.name
    line.power = power(of: line.user, in: room)
    send(.heard(line))
    hasPassed = true
  }

  /// Passes on the position after the lines, and waits until the kiosk has recorded it.
  func endBatch() {
    if cipher?.hasWaitingEvents != true { firstUnread = nil }
    guard hasPassed, let position = firstUnread ?? since, let device = endpoint?.device else { return }
    (hasPassed, isRecording) = (false, true)
    ciphering.settling = firstUnread == nil ? device + " " + position : nil
    send(.batch(position: device + " " + position))
  }

  func note(_ access: RoomAccess, _ index: Int) {
    guard rooms[index].access != access else { return }
    rooms[index].access = access
    // A room that has admitted the kiosk may now reveal its creation event.
    if access == .open, rooms[index].powers.creation == nil { rooms[index].isCreationKnown = false }
    send(.access(room: rooms[index].name, access))
  }

  // MARK: Encryption

  private func done(_ id: EntryID, _ outcome: HTTPOutcome) {
    switch id {
    case RoomListener.asking: asked(outcome)
    case RoomListener.answering: answered(outcome)
    case RoomListener.joining: joined(outcome)
    case RoomListener.willing: willed(outcome)
    case _:
      ciphering.isUnderWay = false
      cipher?.called(outcome)
      passOnDeciphered()
      endBatch()
    }
  }

  private func learn(_ news: SyncNews, isFirst: Bool) -> Bool {
    var news = news
    news.isFirst = isFirst
    return cipher?.learn(news) ?? true
  }

  private func callForCipher() {
    guard let cipher, endpoint != nil, !ciphering.isUnderWay else { return }
    if let call = cipher.nextCall() {
      ciphering.isUnderWay = true
      if let outcome = begin(RoomListener.ciphering, call) { done(RoomListener.ciphering, outcome) }
    }
    for message in cipher.takeMessages() { send(message) }
  }

  /// Passes on the lines whose keys have arrived, those that cannot be read, and the outcomes of messages.
  func passOnDeciphered() {
    guard let cipher else { return }
    for line in cipher.takeLines() {
      if let room = rooms.first(where: { $0.id == line.room }) { pass(line, in: room) }
    }
    for line in cipher.takeUnreadable() {
      var line = line
      line.room = rooms.first { $0.id == line.room }?.name ?? line.room
      send(.unreadable(line))
    }
    for message in cipher.takeMessages() { send(message) }
  }

  /// Sends a message; if the parent does not accept it, the parent is gone or has been blocked for too long.
  func send(_ message: RoomMessage) {
    let bytes = message.encode()
    while exitStatus == nil {
      guard let sent = parent.sendSome(bytes) else { return exitStatus = ExitStatus.finished }
      if sent > 0 { return }
      if Poll.wait(parent.fileDescriptor, for: .writable, limit: Limits.webhookAnswerMax).isEmpty {
        exitStatus = ExitStatus.finished
      }
    }
  }
}

extension EntryID {
  /// Creates the transaction id of a reply to an event; it is the same for each attempt.
  fileprivate init(digestOf event: String) {
    let digest = LibCrypto.digest(Array(event.utf8))
    self.init(high: UInt64(bigEndianBytes: digest[..<8]), low: UInt64(bigEndianBytes: digest[8..<16]))
  }
}
