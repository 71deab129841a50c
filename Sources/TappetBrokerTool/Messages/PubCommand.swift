// tappet mqtt pub: publishes messages; a message counts as delivered only once the broker has acknowledged it.

import CPlatform
import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform

/// Publishes one or more messages.
enum PubCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let qos = Int32(arguments.number("qos") ?? 1)
    let source = try source(arguments)
    let client = try BrokerClient(try BrokerChoice.settings(arguments), window: Limits.brokerToolInFlightMax)
    defer { client.shutdown() }
    let publisher = Publisher(client, usesMQTT5: try client.connectToAny())
    let pattern = Publisher.Message(
      topic: arguments.operands[0], payload: [], qos: qos, isRetained: arguments.has("retain"),
      expirySeconds: arguments.number("expiry").map { UInt32(clamping: $0) })
    if pattern.expirySeconds != nil, !publisher.usesMQTT5 {
      throw .refused("the connection uses MQTT 3.1.1, which does not support --expiry")
    }
    client.gathering = arguments.has("lines") ? Limits.brokerToolGathering : nil
    let filler = arguments.has("fill") ? PayloadFiller(arguments) : nil
    do throws(CommandFailure) { try publish(source, pattern, publisher, filler) } catch {
      report(publisher, pattern, arguments)
      throw error
    }
    report(publisher, pattern, arguments)
  }

  private static func source(_ arguments: Arguments) throws(CommandFailure) -> PayloadSource {
    if arguments.has("lines") { return PayloadSource(lines: 0) }
    if arguments.has("empty") { return PayloadSource([]) }
    guard let path = arguments.value("file") else { return PayloadSource(Array(arguments.operands[1].utf8)) }
    switch TextFile.read(path, sizeMax: Limits.publishedMessageSizeMax) {
    case .success(let file): return PayloadSource(file.bytes)
    case .failure(let error): throw .failed("\(path) cannot be read: \(error.text)")
    }
  }

  private static func publish(
    _ source: PayloadSource, _ pattern: Publisher.Message, _ publisher: Publisher, _ filler: PayloadFiller?
  ) throws(CommandFailure) {
    var source = source
    var filler = filler
    while true {
      while publisher.hasRoom, let payload = source.next() {
        var message = pattern
        message.payload = try filler?.fill(payload) ?? payload
        publisher.send(message)
      }
      if source.isOver { break }
      if try publisher.turn(file: publisher.hasRoom ? source.file : -1), !source.fill() {
        throw publisher.unfinished("a line is too long, or cannot be read")
      }
    }
    try publisher.finish()
  }

  private static func report(_ publisher: Publisher, _ pattern: Publisher.Message, _ arguments: Arguments) {
    guard let report = arguments.report else { return publisher.print(qos: pattern.qos) }
    report.set(
      .object(
        [
          JSON.Member(name: "topic", value: .string(pattern.topic)),
          JSON.Member(name: "qos", value: .number(Int64(pattern.qos))),
        ] + publisher.members))
  }
}
