// The encryption of a session's rooms: the crypto machine with its database, and the queued messages. Only one request
// is in progress at a time. The machine's changes are written to disk before a request that depends on them is sent.

import CPlatform
import TappetCore
import TappetJSON
import TappetOlm
import TappetPlatform
import TappetRooms
import TappetSQLite
import TappetStore
import TappetWebhook

/// Reads and writes messages in encrypted rooms.
final class RoomEncrypter: RoomCipher {
  /// A message to be sent.
  private struct Post {
    let id: EntryID
    let body: [UInt8]
    /// The event to which this is the final answer; `nil` for an entry's message.
    let event: String?
    var room: RoomDestination
    var step: RoomDestination.Step?
    /// Whether no request has been answered yet.
    var isFirst = true
    /// The users in the room.
    var users: [String] = []
    var endsAt: Instant
  }

  /// The request in progress.
  private enum Pending {
    /// A request about keys; `isForPost` is true if the first message is waiting for the request.
    case keys(CryptoRequest.Kind, isForPost: Bool)
    case post(RoomDestination.Step)
  }

  private enum Condition {
    case good
    /// The device's keys are lost, and the device is logged out.
    case lost
    /// Changes could not be written.
    case behind
  }

  private let clock = SystemClock()
  private var store: MatrixStore?
  private var machine: CryptoMachine?
  private var encryption = RoomEncryption()
  private var posts: [Post] = []
  private var pending: Pending?
  /// Known state of the rooms of earlier messages, by room name.
  private var rooms: [String: RoomDestination] = [:]
  private var rotations: [String: Rotation] = [:]
  private var messages: [RoomMessage] = []
  private var condition = Condition.good
  private(set) var dueAt: Instant?

  // MARK: Keys

  func open(user: String, device: String, _ encryption: RoomEncryption, state: String) -> Int32? {
    self.encryption = encryption
    do throws(SecretStoreError) { store = try MatrixStore.open(folder: state, device: user + " " + device) } catch {
      return error.systemCode
    }
    guard let encrypted = try? store?.encryptedRooms() else { return EIO }
    // If the rows cannot be restored, a new account finds different keys on the homeserver, and logs out the device.
    let rows = (try? store?.rows()) ?? []
    machine =
      (try? CryptoMachine.open(user: user, device: device, encryption.devices, rows + encrypted))
      ?? (try? CryptoMachine.open(user: user, device: device, encryption.devices, encrypted))
    return machine != nil && commit() ? nil : EIO
  }

  /// Writes the changes to disk; if this fails, nothing that depends on them may be done.
  private func commit() -> Bool {
    guard let machine, let store else { return false }
    do throws(SecretError) { try store.commit(machine.takeChanges()) } catch {
      // The state in memory is ahead of the disk, so a new process must start with the state on disk.
      condition = .behind
      return false
    }
    return condition == .good
  }

  var isUnusable: Bool { condition == .behind }

  func isEncrypted(_ room: String) -> Bool { machine?.encryptedRooms.contains(room) ?? false }

  func recordEncrypted(_ room: String) {
    machine?.recordEncrypted(room)
    _ = commit()
  }

  // MARK: Reading

  func learn(_ news: SyncNews) -> Bool {
    guard let machine, condition == .good else { return condition == .lost }
    if news.isFirst { machine.forgetDevices() }
    machine.devicesChanged(news.changed, left: news.left)
    machine.note(keyCount: news.keyCount, hasFallback: news.hasFallback)
    let now = clock.now().unixMilliseconds
    for event in news.toDevice { try? machine.receive(event, unixMilliseconds: now) }
    return commit()
  }

  func favor(_ users: Set<String>) { machine?.favor(users) }

  func membersChanged(in room: String) { machine?.membersChanged(in: room) }

  func needsMembers(of room: String) -> Bool { machine?.needsMembers(of: room) ?? false }

  func setMembers(_ users: [String], of room: String) {
    machine?.setMembers(users, of: room, unixMilliseconds: clock.now().unixMilliseconds)
    _ = commit()
  }

  func hear(_ event: [UInt8], in room: String) {
    machine?.hear(event, in: room, unixMilliseconds: clock.now().unixMilliseconds)
  }

  var hasWaitingEvents: Bool { machine?.hasWaitingEvents ?? false }

  /// Returns lines only after their message indexes are on disk; otherwise, a restart would allow replays.
  func takeLines() -> [RoomLine] {
    guard let machine, condition == .good else { return [] }
    let lines = (try? machine.takeLines(unixMilliseconds: clock.now().unixMilliseconds)) ?? []
    return commit() ? lines : []
  }

  func takeUnreadable() -> [UnreadableLine] { machine?.takeUnreadable() ?? [] }

  func recorded() {
    try? machine?.settle()
    _ = commit()
  }

  func takeMessages() -> [RoomMessage] {
    defer { messages = [] }
    return messages
  }

  // MARK: Writing

  func post(_ id: EntryID, in room: String, _ body: [UInt8], settling event: String?) {
    if event != nil, posts.contains(where: { $0.event == event }) { return }
    if posts.count >= Limits.roomPostsMax {
      if event == nil { messages.append(.undelivered(id, .other, code: EAGAIN)) }
      return
    }
    posts.append(
      Post(
        id: id, body: body, event: event, room: RoomDestination(room, encryption),
        endsAt: clock.now().instant + Limits.roomPostMax))
  }

  func nextCall() -> HTTPCall? {
    let now = clock.now()
    endLatePosts(at: now.instant)
    guard let machine, condition == .good, dueAt ?? now.instant <= now.instant else { return nil }
    dueAt = nil
    if let request = try? machine.nextRequest(unixMilliseconds: now.unixMilliseconds) {
      return call(request, isForPost: false)
    }
    while !posts.isEmpty, condition == .good {
      if let call = firstCall(machine, at: now) { return call }
    }
    return nil
  }

  private func endLatePosts(at now: Instant) {
    for post in posts where post.endsAt <= now { tell(post, .undelivered(post.id, .timedOut, code: 0)) }
    posts.removeAll { $0.endsAt <= now }
  }

  /// Returns the next request for the first message; `nil` if the message could not be encrypted and was removed.
  private func firstCall(_ machine: CryptoMachine, at now: Moment) -> HTTPCall? {
    if posts[0].step == nil, let known = rooms[posts[0].room.room] { posts[0].room = known }
    let step = posts[0].step ?? posts[0].room.begin(at: now.instant)
    posts[0].step = step
    guard case .send = step, posts[0].room.isEncrypted, let room = posts[0].room.id else {
      return call(step, step == .send ? posts[0].body : [])
    }
    do throws(OlmError) {
      let rotation = rotations[room] ?? Rotation()
      switch try machine.need(of: room, posts[0].users, rotation, unixMilliseconds: now.unixMilliseconds) {
      case .request(let request): return call(request, isForPost: true)
      case .ready:
        guard let content = JSON(decoding: posts[0].body) else { throw .malformed }
        let event = try machine.encrypt(content, in: room)
        guard commit() else { throw .malformed }
        return call(.send, event.canonical)
      }
    } catch {
      end(.undelivered(posts[0].id, .other, code: EIO))
      return nil
    }
  }

  private func call(_ step: RoomDestination.Step, _ body: [UInt8]) -> HTTPCall {
    let post = posts[0]
    pending = .post(step)
    return HTTPCall(
      path: post.room.path(of: step, sending: post.id), method: post.room.method(of: step), body: body,
      keepsAnswer: true, answerSizeMax: Limits.roomKeysAnswerSizeMax)
  }

  private func call(_ request: CryptoRequest, isForPost: Bool) -> HTTPCall? {
    guard commit() else { return nil }
    pending = .keys(request.kind, isForPost: isForPost)
    return HTTPCall(
      path: request.path, method: request.method, body: request.body, keepsAnswer: true,
      answerSizeMax: Limits.roomKeysAnswerSizeMax)
  }

  // MARK: Answers

  func called(_ outcome: HTTPOutcome) {
    defer { _ = commit() }
    guard let pending else { return }
    self.pending = nil
    switch (pending, outcome) {
    case (.keys(.logOut, _), .answered): end()
    case (.keys(let kind, let isForPost), .answered(let status, let named, let body)):
      let now = clock.now().unixMilliseconds
      if (try? machine?.handle(kind, status: Int(status), body, unixMilliseconds: now)) == true { return }
      pause(named)
      guard isForPost else { return }
      // A damaged response does not mean that nobody may read the message.
      if status == 200 { return end(.undelivered(posts[0].id, .notAHomeserver, code: 200)) }
      handle(.members, Int(status), named, body)
    case (.keys(_, let isForPost), .failed(let trouble, let code)):
      pause(nil)
      if isForPost { end(.undelivered(posts[0].id, trouble, code: code)) }
    case (.post(let step), .answered(let status, let named, let body)): handle(step, Int(status), named, body)
    case (.post, .failed(let trouble, let code)): end(.undelivered(posts[0].id, trouble, code: code))
    }
  }

  /// Clears the store of the logged-out device, so that the next login detects the logout.
  private func end() {
    condition = .lost
    try? store?.clear()
    store = nil
  }

  private func pause(_ pause: Duration?, atLeast least: Duration = Limits.roomKeysRetry) {
    dueAt = clock.now().instant + min(max(pause ?? .zero, least), Limits.roomRetry.last)
  }

  private func handle(_ step: RoomDestination.Step, _ status: Int, _ retryAfter: Duration?, _ body: [UInt8]) {
    guard !posts.isEmpty else { return }
    var (status, answer) = (status, MatrixAnswer(body))
    if case .check = step, let room = posts[0].room.id {
      if status == 200, let machine {
        guard let rotation = JSON(decoding: body, roundsFractions: true).flatMap({ Rotation($0) }) else {
          return end(.undelivered(posts[0].id, .roomEncrypted, code: 0))
        }
        rotations[room] = rotation
        machine.recordEncrypted(room)
      } else if status == 404, isEncrypted(room) {
        // A homeserver that denies known encryption is not trusted.
        (status, answer) = (200, MatrixAnswer(isObject: true))
      }
    }
    let turn = posts[0].room.handle(
      step, isFirst: posts[0].isFirst, status: status, retryAfter: retryAfter, answer, at: clock.now().instant)
    switch turn {
    case .next(let next):
      if case .members = step { posts[0].users = RoomEncrypter.members(body) }
      posts[0].step = next
      posts[0].isFirst = false
    // The outbox retries its own messages.
    case .answered(let status, let named) where status != 200 && posts[0].event != nil:
      pause(named, atLeast: Limits.roomRetry.first)
    case .answered(200, _) where posts[0].event == nil && answer.shortEventID != nil:
      end(.created(posts[0].id, event: answer.shortEventID ?? ""))
    case .answered(let status, let pause):
      end(.posted(posts[0].id, status: UInt16(clamping: status), retryAfter: pause))
    // A refused reply ends here, as in a room without encryption.
    case .failed where posts[0].event != nil && (400..<500).contains(status) && status != 401:
      end(.posted(posts[0].id, status: UInt16(clamping: status), retryAfter: nil))
    case .failed(let trouble): end(.undelivered(posts[0].id, trouble, code: Int32(clamping: status)))
    }
  }

  private static func members(_ body: [UInt8]) -> [String] {
    (JSON(decoding: body, roundsFractions: true)?["joined"]?.members ?? []).map { $0.name }
  }

  /// Removes the first message and reports its outcome.
  private func end(_ message: RoomMessage) {
    guard !posts.isEmpty else { return }
    let post = posts.removeFirst()
    rooms[post.room.room] = post.room
    tell(post, message)
  }

  private func tell(_ post: Post, _ message: RoomMessage) {
    guard let event = post.event else { return messages.append(message) }
    if case .posted = message { messages.append(.settled(event: event)) }
  }
}

extension SecretStoreError {
  /// The errno that best describes the error.
  fileprivate var systemCode: Int32 {
    switch self {
    case .store(.cannotOpen(_, let error)): error.code
    case .store(.full): ENOSPC
    case .store(.readOnly): EROFS
    case .store(.busy): EBUSY
    case .store(.foreignOwner): EPERM
    case .store, .sealingKey, .secret, .keyIsGiven, .noTimestampKey, .noBrokerPassword: EIO
    }
  }
}
