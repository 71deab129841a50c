// Performs the effects for webhooks.

import CPlatform
import TappetConfig
import TappetCore
import TappetPlatform
import TappetStore

extension Runtime {
  func startWebhooks() {
    let isElsewhere = configuration.matrix?.encryption != nil
    do throws(SystemError) {
      try helpers.webhooks.start(configuration.webhooks.filter { $0.room == nil || !isElsewhere }, reactor)
    } catch { inbox.append(.webhook(.notStarted(code: error.code))) }
  }

  func postWebhook(_ entry: OutboxEntry, unixSeconds: Int64) {
    guard let body = filled(entry, unixSeconds: unixSeconds) else { return }
    post(body, entry.id, action: entry.action)
  }

  /// Posts the body under the given id to the action's webhook or room.
  func post(_ body: [UInt8], _ id: EntryID, action: String) {
    let room = configuration.matrix?.encryption == nil ? nil : configuration.webhooks.room(of: action)
    if let room {
      let order = RoomOrder.post(id, room: room, body: body)
      if helpers.rooms.send(order.encode()) { return helpers.webhooks.willAnswerElsewhere(id) }
      // The process is about to be started or restarted.
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

extension [WebhookEndpoint] {
  /// Returns the room of an action; `nil` if the action has none.
  fileprivate func room(of action: String) -> String? { first { $0.action == action }?.room }
}
