// 'mqtt pub --fill': replaces the kiosk's placeholders in messages from the command line.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// Replaces the first `%T` and the first `%I` of each message; the key is read when a message first needs it.
struct PayloadFiller {
  private let arguments: Arguments
  private var key: TimestampKey?

  init(_ arguments: Arguments) { self.arguments = arguments }

  mutating func fill(_ payload: [UInt8]) throws(CommandFailure) -> [UInt8] {
    guard let text = String(validating: payload, as: UTF8.self) else { return payload }
    let template = PayloadTemplate(text)
    return template.fill(token: template.usesTimestamp ? try token() : nil, id: try id())
  }

  private mutating func token() throws(CommandFailure) -> String {
    if key == nil { key = try Tokens.key(arguments) }
    let now = SystemClock().now().unixMilliseconds / 1000
    guard let key, let token = try? TimestampToken.seal(unixSeconds: now, key: key) else {
      throw .failed("the timestamp token could not be created")
    }
    return token
  }

  private func id() throws(CommandFailure) -> EntryID {
    guard let bytes = try? LibCrypto.random(count: 16), let id = EntryID(hex: Hex.encode(bytes)) else {
      throw .failed(SharedSentence.noRandomness)
    }
    return id
  }
}
