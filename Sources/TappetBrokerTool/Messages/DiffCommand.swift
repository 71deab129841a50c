// tappet mqtt diff: compares the retained messages of two brokers, before or after a migration.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform

/// Compares the retained messages of two brokers.
enum DiffCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let settings = try BrokerChoice.settings(arguments)
    let here = try kept(settings, arguments)
    let there = try kept(try BrokerChoice.other(arguments, beside: settings), arguments)
    let difference = RetainedDifference(here, there)
    if let report = arguments.report { report.set(difference.json) } else { difference.print() }
    if !difference.isEmpty { throw .found }
  }

  /// Returns the retained messages of a broker, by topic.
  private static func kept(
    _ settings: BrokerSettings, _ arguments: Arguments
  ) throws(CommandFailure) -> [String: LinkMessage] {
    let client = try BrokerClient(settings)
    defer { client.shutdown() }
    var kept: [String: LinkMessage] = [:]
    var size = 0
    var isTooMuch = false
    var limits = SubscriptionLimits(arguments)
    limits.retained = .only
    let filters = arguments.operands.isEmpty ? ["#"] : arguments.operands
    let subscriber = Subscriber(client, filters: filters, limits) { message in
      size += message.payload.count + message.topic.utf8.count
      isTooMuch = isTooMuch || size > Limits.comparedSizeMax || kept.count >= Limits.cleanedTopicsMax
      if !isTooMuch, !message.payload.isEmpty { kept[message.topic] = message }
    }
    try subscriber.run()
    if isTooMuch { throw .refused("a broker retains too many messages to compare in one run; use narrower filters") }
    return kept
  }
}

/// The topics on which two sets of retained messages differ.
struct RetainedDifference {
  private let here: [String: LinkMessage]
  private let there: [String: LinkMessage]
  private(set) var onlyHere: [String] = []
  private(set) var onlyThere: [String] = []
  private(set) var different: [String] = []

  init(_ here: [String: LinkMessage], _ there: [String: LinkMessage]) {
    self.here = here
    self.there = there
    for (topic, message) in here {
      guard let other = there[topic] else {
        onlyHere.append(topic)
        continue
      }
      if other.payload != message.payload { different.append(topic) }
    }
    onlyThere = there.keys.filter { here[$0] == nil }.sorted()
    onlyHere.sort()
    different.sort()
  }

  var isEmpty: Bool { onlyHere.isEmpty && onlyThere.isEmpty && different.isEmpty }
  private var sameCount: Int { here.count - onlyHere.count - different.count }

  func print() {
    for topic in onlyHere { Output.print("only here   " + topic.escaped + "  " + text(here[topic])) }
    for topic in onlyThere { Output.print("only there  " + topic.escaped + "  " + text(there[topic])) }
    for topic in different {
      Output.print("different   " + topic.escaped + "  " + text(here[topic]) + " → " + text(there[topic]))
    }
    Output.printError(
      "\(sameCount) the same, \(different.count) different, \(onlyHere.count) only here, \(onlyThere.count) only there")
  }

  private func text(_ message: LinkMessage?) -> String { message?.summary(Limits.treeValueSizeMax) ?? "" }

  var json: JSON {
    func list(_ topics: [String]) -> JSON { .array(topics.map { .string($0) }) }
    return .object([
      "only_here": list(onlyHere), "only_there": list(onlyThere), "different": list(different),
      "same": .number(Int64(sameCount)),
    ])
  }
}
