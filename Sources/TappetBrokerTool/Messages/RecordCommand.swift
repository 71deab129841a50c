// tappet mqtt record and replay: write messages with their times to a file of JSON lines, and publish them again.

import CPlatform
import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Writes messages to a file as they arrive.
enum RecordCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let path = arguments.operands[0]
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    let file: FileDescriptor
    do throws(SystemError) { file = try .open(path, O_WRONLY | O_CREAT | O_EXCL) } catch {
      throw .failed(error.code == EEXIST ? "\(path) already exists" : "\(path): \(error.text)")
    }
    let filters = Array(arguments.operands.dropFirst())
    var lines: [UInt8] = []
    var began: Instant?
    let subscriber = Subscriber(client, filters: filters, SubscriptionLimits(arguments)) { message in
      let now = Instant.now()
      if began == nil { began = now }
      lines += message.recorded(microseconds: (now - (began ?? now)).wholeNanoseconds / 1000)
    }
    subscriber.endOfTurn = { () throws(CommandFailure) in
      defer { lines.removeAll(keepingCapacity: true) }
      do throws(SystemError) { try file.write(lines) } catch {
        throw .failed("\(path) cannot be written: \(error.text)")
      }
    }
    defer { subscriber.printSummary() }
    try subscriber.run()
  }
}

/// Publishes the messages from a recording with their original timing, or faster with --speed.
enum ReplayCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let path = arguments.operands[0]
    let file: FileDescriptor
    do throws(SystemError) { file = try .open(path, O_RDONLY) } catch { throw .failed("\(path): \(error.text)") }
    let speed = arguments.number("speed") ?? 1
    let map = arguments.value("topic-map").flatMap { TopicMap($0) }
    let client = try BrokerClient(try BrokerChoice.settings(arguments), window: Limits.brokerToolInFlightMax)
    let publisher = Publisher(client, usesMQTT5: try client.connectToAny())
    defer { client.shutdown() }
    var source = PayloadSource(lines: file.number)
    let began = Instant.now()
    var number = 0
    while !source.isOver {
      guard let line = source.next() else {
        if !source.fill() { throw publisher.unfinished("\(path) cannot be read, or contains a line that is too long") }
        continue
      }
      number += 1
      guard var entry = RecordedMessage(line) else {
        throw .failed("line \(number) of \(path) was not written by 'mqtt record'")
      }
      entry.message.topic = map?.applied(to: entry.message.topic) ?? entry.message.topic
      let due = began + .microseconds(entry.microseconds / speed)
      while !publisher.hasRoom || Instant.now() < due {
        _ = try publisher.turn(until: publisher.hasRoom ? due : nil)
      }
      publisher.send(entry.message)
    }
    try publisher.finish()
    publisher.print(qos: 1)
  }
}

/// One line of a recording: `{"us":0,"topic":"a/b","qos":1,"retain":false,"payload":"b24="}`.
struct RecordedMessage {
  var microseconds: Int64
  var message: Publisher.Message

  init?(_ line: [UInt8]) {
    guard let json = JSON(decoding: line), let time = json["us"]?.wholeNumber, time >= 0,
      let topic = json["topic"]?.text, !topic.isEmpty, let qos = json["qos"]?.wholeNumber, (0...2).contains(qos),
      let text = json["payload"]?.text, let payload = Base64.decode(Array(text.utf8))
    else { return nil }
    microseconds = time
    message = Publisher.Message(
      topic: topic, payload: payload, qos: Int32(qos), isRetained: json["retain"] == .bool(true))
  }
}

extension LinkMessage {
  /// Returns one line of a recording, with additional members at the end.
  func recorded(microseconds: Int64, _ more: [JSON.Member] = []) -> [UInt8] {
    let payload = String(decoding: Base64.encode(payload), as: UTF8.self)
    let members = [
      JSON.Member(name: "us", value: .number(microseconds)), JSON.Member(name: "topic", value: .string(topic)),
      JSON.Member(name: "qos", value: .number(Int64(qos))), JSON.Member(name: "retain", value: .bool(isRetained)),
      JSON.Member(name: "payload", value: .string(payload)),
    ]
    return JSON.object(members + more).encoded() + [UInt8(ascii: "\n")]
  }
}
