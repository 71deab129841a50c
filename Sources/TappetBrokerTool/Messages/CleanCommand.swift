// tappet mqtt clean: lists the broker's retained messages, and clears them over the same connection.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// The topics of retained messages, up to the limit of one run.
struct RetainedTopics {
  /// The size of each topic's message, in bytes.
  private(set) var sizes: [String: Int] = [:]
  /// Number of topics beyond the limit.
  private(set) var leftCount = 0
  private var namesSize = 0

  mutating func add(_ topic: String, size: Int) {
    if sizes[topic] == nil {
      let namesSize = namesSize + topic.utf8.count
      guard sizes.count < Limits.cleanedTopicsMax, namesSize <= Limits.cleanedNamesSizeMax else {
        return leftCount += 1
      }
      self.namesSize = namesSize
    }
    sizes[topic] = size
  }
}

/// Lists retained messages, and removes them.
enum CleanCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    var kept = RetainedTopics()
    var limits = SubscriptionLimits(arguments)
    limits.retained = .only
    let subscriber = Subscriber(client, filters: arguments.operands, limits) { message in
      // An empty message means that a different client is clearing the topic.
      if !message.payload.isEmpty { kept.add(message.topic, size: message.size) }
    }
    try subscriber.run()
    let topics = kept.sizes.keys.sorted()
    if !arguments.asJSON { for topic in topics { Output.print("\(topic)  \(plural(kept.sizes[topic] ?? 0, "byte"))") } }
    var cleared = 0
    if !arguments.has("dry-run"), !topics.isEmpty {
      try Prompt.require("clear", "This permanently clears \(plural(topics.count, "retained message")).", arguments)
      cleared = try clear(topics, RequestSession(client))
    }
    arguments.report?.set(
      .object(["topics": .array(topics.map { .string($0) }), "cleared": .number(Int64(cleared))]))
    if arguments.asJSON { return }
    let rest = kept.leftCount > 0 ? "; \(kept.leftCount) more messages are retained: run the command again" : ""
    Output.printError("\(plural(topics.count, "retained message")); \(cleared) cleared" + rest)
  }

  private static func clear(_ topics: [String], _ dialogue: RequestSession) throws(CommandFailure) -> Int {
    for (index, topic) in topics.enumerated() {
      let answer = dialogue.publish(topic, [], isRetained: true)
      try dialogue.requireConnection()
      switch answer {
      case .taken: continue
      case .refused(let code):
        throw unfinished("\(index) messages cleared; \(topic.quoted) was refused: \(LinkFailure.publishRefusal(code))")
      case .none: throw unfinished("\(index) messages cleared; the broker did not acknowledge \(topic.quoted)")
      }
    }
    return topics.count
  }

  private static func unfinished(_ sentence: String) -> CommandFailure {
    CommandFailure(status: .publishRefused, sentence: sentence, code: FailureCode.publishUnacknowledged)
  }
}
