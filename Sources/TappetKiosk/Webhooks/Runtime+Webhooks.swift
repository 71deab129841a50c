// Performs the effects for webhooks.

import CPlatform
import TappetConfig
import TappetCore
import TappetPlatform
import TappetStore

extension Runtime {
  func startWebhooks() {
    do throws(SystemError) { try helpers.webhooks.start(configuration.webhooks, reactor) } catch {
      inbox.append(.webhook(.notStarted(code: error.code)))
    }
  }

  func post(_ entry: OutboxEntry, room: String?, unixSeconds: Int64) {
    guard let body = filled(entry, unixSeconds: unixSeconds) else { return }
    post(body, entry.id, action: entry.action, room: room, within: entry.expiry.remaining(at: now()))
  }

  /// Posts the body under the given id in the room, which may take several requests, or to the action's webhook.
  func post(
    _ body: [UInt8], _ id: EntryID, action: String, room: String?, within limit: Duration = Limits.roomPostMax
  ) {
    if let room {
      if helpers.rooms.send(RoomOrder.post(id, room: room, limit: limit, body: body).encode()) { return }
      // The socket is full, or the process has just ended.
      return inbox.append(.webhook(.failed(id, .other, code: EAGAIN)))
    }
    if let event = helpers.webhooks.post(id, action: action, body: body) { inbox.append(.webhook(event)) }
  }

  /// Returns the message with its token and id; reports that the message needs a token and none can be created.
  func filled(_ entry: OutboxEntry, unixSeconds: Int64) -> [UInt8]? {
    guard entry.message.usesTimestamp else { return entry.message.fill(token: nil, id: entry.id) }
    // The key may have been removed from the configuration since the entry was accepted.
    let token = configuration.timestampKey.flatMap { try? TimestampToken.seal(unixSeconds: unixSeconds, key: $0) }
    // Recorded before the token can arrive in a command.
    inbox.append(
      token.map { .tokenSealed($0, unixSeconds: unixSeconds) } ?? .fillFailed(entry.id, entry.destination))
    return token.map { entry.message.fill(token: $0, id: entry.id) }
  }
}
