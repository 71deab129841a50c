// The encryption of a session's rooms: the crypto machine with its database. Only one request is in progress at a time.
// The machine's changes are written to disk before a request or a message that depends on them is sent.

import CPlatform
import TappetCore
import TappetJSON
import TappetOlm
import TappetPlatform
import TappetRooms
import TappetSQLite
import TappetStore
import TappetWebhook

/// Decrypts and encrypts the messages of rooms.
final class RoomEncrypter: RoomCipher {
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
  /// The kind of the request in progress.
  private var pending: CryptoRequest.Kind?
  private var condition = Condition.good
  private(set) var dueAt: Instant?

  // MARK: Keys

  func open(user: String, device: String, _ encryption: RoomEncryption, state: String) -> Int32? {
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

  // MARK: Writing

  func need(of room: String, _ users: [String], _ rotation: Rotation) -> RoomNeed {
    guard let machine, condition == .good else { return .unusable }
    do throws(OlmError) {
      let now = clock.now().unixMilliseconds
      guard let request = try machine.need(of: room, users, rotation, unixMilliseconds: now) else { return .ready }
      return call(request).map { .request($0) } ?? .unusable
    } catch {
      return .unusable
    }
  }

  func encrypt(_ message: [UInt8], in room: String) -> [UInt8]? {
    guard let content = JSON(decoding: message), let event = try? machine?.encrypt(content, in: room), commit() else {
      return nil
    }
    return event.canonical
  }

  // MARK: Requests

  func nextCall() -> HTTPCall? {
    let now = clock.now()
    guard let machine, condition == .good, dueAt ?? now.instant <= now.instant else { return nil }
    dueAt = nil
    return (try? machine.nextRequest(unixMilliseconds: now.unixMilliseconds)).flatMap { call($0) }
  }

  private func call(_ request: CryptoRequest) -> HTTPCall? {
    guard commit() else { return nil }
    pending = request.kind
    return HTTPCall(
      path: request.path, method: request.method, body: request.body, keepsAnswer: true,
      answerSizeMax: Limits.roomKeysAnswerSizeMax)
  }

  func called(_ outcome: HTTPOutcome) -> Bool {
    defer { _ = commit() }
    guard let kind = pending else { return false }
    pending = nil
    switch (kind, outcome) {
    case (.logOut, .answered): end()
    case (_, .answered(let status, let named, let body)):
      let now = clock.now().unixMilliseconds
      if (try? machine?.handle(kind, status: Int(status), body, unixMilliseconds: now)) == true { return true }
      pause(named)
    case (_, .failed): pause(nil)
    }
    return false
  }

  /// Clears the store of the logged-out device, so that the next login detects the logout.
  private func end() {
    condition = .lost
    try? store?.clear()
    store = nil
  }

  private func pause(_ pause: Duration?) {
    dueAt = clock.now().instant + min(max(pause ?? .zero, Limits.roomKeysRetry), Limits.roomRetry.last)
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
