// Performs the effects that are about webhooks.

import TappetConfig
import TappetCore
import TappetPlatform
import TappetStore

extension Runtime {
  func startWebhooks() {
    do throws(SystemError) { try webhooks.start(configuration.webhooks, reactor) } catch {
      inbox.append(.webhook(.notStarted(code: error.code)))
    }
  }

  func postWebhook(_ entry: OutboxEntry, unixSeconds: Int64) {
    guard let body = filled(entry, unixSeconds: unixSeconds) else { return inbox.append(.webhookFillFailed(entry.id)) }
    if let event = webhooks.post(entry.id, action: entry.action, body: body) { inbox.append(.webhook(event)) }
  }

  /// The message with its token and its id; `nil` when there is no token for it.
  func filled(_ entry: OutboxEntry, unixSeconds: Int64) -> [UInt8]? {
    guard entry.message.usesTimestamp else { return entry.message.fill(token: nil, id: entry.id) }
    // The configuration may have lost the key since the entry was accepted.
    let token = configuration.timestampKey.flatMap { try? TimestampToken.seal(unixSeconds: unixSeconds, key: $0) }
    return token.map { entry.message.fill(token: $0, id: entry.id) }
  }
}
