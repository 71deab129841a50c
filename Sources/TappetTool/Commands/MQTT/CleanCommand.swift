// tappet mqtt clean: what the broker keeps, listed, and cleared over the same connection.

import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// Lists retained messages, and removes them.
enum CleanCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    var kept: [String: Int] = [:]
    var limits = SubscriptionLimits(arguments)
    limits.retained = .only
    let subscriber = Subscriber(client, filters: arguments.operands, limits) { message in
      // An empty one is somebody's clearing that has just come through.
      if !message.payload.isEmpty, kept.count < Limits.cleanedTopicsMax { kept[message.topic] = message.size }
    }
    try subscriber.run()
    let topics = kept.keys.sorted()
    if !arguments.asJSON { for topic in topics { Output.print("\(topic)  \(kept[topic] ?? 0) bytes") } }
    var cleared = 0
    if !arguments.has("dry-run"), !topics.isEmpty {
      try Prompt.require("clear", "The broker forgets \(topics.count) messages for good.", arguments)
      cleared = try clear(topics, BrokerDialogue(client))
    }
    arguments.report?.set(
      .object(["topics": .array(topics.map { .string($0) }), "cleared": .number(Int64(cleared))]))
    if arguments.asJSON { return }
    Output.printError("\(topics.count) messages are kept; \(cleared) were cleared")
  }

  private static func clear(_ topics: [String], _ dialogue: BrokerDialogue) throws(CommandFailure) -> Int {
    for (index, topic) in topics.enumerated() {
      let answer = dialogue.publish(topic, [], isRetained: true)
      try dialogue.requireConnection()
      switch answer {
      case .taken: continue
      case .refused(let code):
        throw unfinished("\(index) were cleared; \(topic.quoted) is refused: \(LinkFailure.publishRefusal(code))")
      case .none: throw unfinished("\(index) were cleared; the broker does not acknowledge \(topic.quoted)")
      }
    }
    return topics.count
  }

  private static func unfinished(_ sentence: String) -> CommandFailure {
    CommandFailure(status: .publishRefused, sentence: sentence, code: FailureCode.publishUnacknowledged)
  }
}
