// Publishes messages and tracks each until the broker acknowledges it, reconnecting if necessary.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Publishes messages, and keeps each until the broker has acknowledged it.
final class Publisher {
  struct Message {
    var topic: String
    var payload: [UInt8]
    var qos: Int32
    var isRetained: Bool
    /// Expiry interval for MQTT 5; `nil` means that the message does not expire.
    var expirySeconds: UInt32? = nil
  }

  private struct InFlight {
    var message: Message
    var sent: Instant
  }

  private let client: BrokerClient
  private(set) var usesMQTT5: Bool
  private var waiting: [UInt64: InFlight] = [:]
  private var count: UInt64 = 0
  private var sentWithQoS0: Int64 = 0
  private var acknowledged: Int64 = 0
  /// Number of acknowledged messages without a subscriber; `nil` if the broker cannot tell, as with MQTT 3.1.1.
  private var unheard: Int64?
  private var refused: Int64 = 0
  private var refusal: String?
  private var sentAgain: Int64 = 0
  private var slowest: Int64 = 0
  private var policy = ReconnectPolicy()

  init(_ client: BrokerClient, usesMQTT5: Bool) {
    self.client = client
    self.usesMQTT5 = usesMQTT5
    unheard = usesMQTT5 ? 0 : nil
  }

  /// Whether another message may be sent now.
  var hasRoom: Bool { waiting.count < Limits.brokerToolUnacknowledgedMax }

  func send(_ message: Message) {
    count += 1
    waiting[count] = InFlight(message: message, sent: Instant.now())
    publish(count, message)
  }

  /// Waits for events until `limit`; returns whether `file` is readable.
  func turn(until limit: Instant? = nil, file: Int32 = -1) throws(CommandFailure) -> Bool {
    let news = client.wait(until: limit, file: file)
    if news.isInterrupted { throw unfinished("interrupted") }
    for event in news.events { try handle(event) }
    return news.isFileReady
  }

  /// Waits for all acknowledgements; fails if a message was refused.
  func finish() throws(CommandFailure) {
    while !waiting.isEmpty { _ = try turn() }
    if refused > 0 { throw unfinished("the broker refused a message: " + (refusal ?? "")) }
  }

  /// Returns the error for a run in which some messages were not acknowledged.
  func unfinished(_ why: String) -> CommandFailure {
    let text = "\(acknowledged) of \(plural(count, "message was", "messages were")) acknowledged; \(why)"
    return CommandFailure(status: .publishRefused, sentence: text, code: FailureCode.publishUnacknowledged)
  }

  private func publish(_ number: UInt64, _ message: Message) {
    client.link.publish(
      id: EntryID(high: 0, low: number), topic: message.topic, payload: message.payload, qos: message.qos,
      isRetained: message.isRetained, expirySeconds: message.expirySeconds)
  }

  private func handle(_ event: LinkEvent) throws(CommandFailure) {
    switch event {
    case .acknowledged(let id): settle(id)
    case .acknowledgedUnheard(let id):
      settle(id)
      unheard? += 1
    case .publishRefused(let id, let code):
      guard waiting.removeValue(forKey: id.low) != nil else { return }
      refused += 1
      refusal = LinkFailure.publishRefusal(code)
    case .failed(let failure), .lost(let failure): try reconnect(after: failure)
    case .connected, .disconnected, .didFallBack, .foundMQTT5, .lacksRetained: break
    }
  }

  private func settle(_ id: EntryID) {
    guard let entry = waiting.removeValue(forKey: id.low) else { return }
    guard entry.message.qos > 0 else { return sentWithQoS0 += 1 }
    acknowledged += 1
    slowest = max(slowest, (Instant.now() - entry.sent).wholeNanoseconds / 1000)
  }

  /// Reconnects, and resends all unacknowledged messages in their original order.
  private func reconnect(after loss: LinkFailure) throws(CommandFailure) {
    var sentence = loss.sentence
    for _ in 0..<Limits.publisherAttemptsMax {
      let (pause, isStorm) = policy.lost(at: Instant.now())
      Output.printError("\(sentence); reconnecting in \(pause.wholeMilliseconds / 1000) s")
      if isStorm || client.pause(pause) { break }
      do throws(CommandFailure) {
        usesMQTT5 = try client.connectToAny()
        if !usesMQTT5 { unheard = nil }
      } catch {
        if error.code == FailureCode.cancelled { throw unfinished("interrupted") }
        sentence = error.sentence ?? ""
        continue
      }
      policy.connected()
      sentAgain += Int64(waiting.count)
      for number in waiting.keys.sorted() { if let entry = waiting[number] { publish(number, entry.message) } }
      return
    }
    throw unfinished("the connection was lost: " + loss.sentence)
  }

  // MARK: The result

  func print(qos: Int32) {
    if qos == 0 { return Output.print("sent \(count); QoS 0 messages are not acknowledged") }
    var text = "\(acknowledged) of \(Int64(count) - sentWithQoS0) acknowledged (\(qos == 2 ? "PUBCOMP" : "PUBACK"))"
    if acknowledged > 0 { text += ", the slowest after \(ConnectReport.milliseconds(slowest))" }
    if sentWithQoS0 > 0 { text += "; \(sentWithQoS0) sent with QoS 0, without acknowledgement" }
    if sentAgain > 0 { text += "; \(sentAgain) resent" }
    Output.print(text)
    if let unheard, unheard > 0 { Output.print("no subscriber on the topic (\(plural(unheard, "message")))") }
    if !usesMQTT5, acknowledged > 0 {
      Output.print(
        "with MQTT 3.1.1, a broker also acknowledges messages that its access list denies or that have no subscriber: "
          + "verify with 'mqtt sub'")
    }
  }

  var members: [JSON.Member] {
    [
      JSON.Member(name: "protocol", value: .string(client.settings.versionName(usesMQTT5: usesMQTT5))),
      JSON.Member(name: "sent", value: .number(Int64(count))),
      JSON.Member(name: "acknowledged", value: .number(acknowledged)),
      JSON.Member(name: "unheard", value: unheard.map { .number($0) } ?? .null),
      JSON.Member(name: "refused", value: .number(refused)),
      JSON.Member(name: "sent_again", value: .number(sentAgain)),
      JSON.Member(name: "slowest_microseconds", value: .number(slowest)),
    ]
  }
}
