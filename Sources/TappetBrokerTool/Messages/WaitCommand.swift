// tappet mqtt wait: waits for one matching message, for scripts.

import TappetBroker
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetPlatform

/// Waits for one message, and prints its payload.
enum WaitCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    var limits = SubscriptionLimits(arguments)
    limits.countMax = 1
    limits.time = arguments.seconds("timeout") ?? .seconds(30)
    if arguments.has("ignore-retained") { limits.retained = .none }
    if let text = arguments.value("match") { limits.match = PayloadMatch(text) }
    var found: LinkMessage?
    let subscriber = Subscriber(client, filters: arguments.operands, limits) { found = $0 }
    try subscriber.run()
    guard let message = found else { throw .interrupted }
    arguments.report?.set(message.json(SystemClock().now().unixMilliseconds))
    if !arguments.asJSON { Output.print(message.text) }
  }
}

/// A condition on a payload: `state.power=on` for a member of a JSON object, or a text that the payload contains.
struct PayloadMatch {
  private let path: [String]
  private let value: String

  init(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    path = parts.count == 2 ? parts[0].split(separator: ".").map { String($0) } : []
    value = String(parts.last ?? "")
  }

  /// Whether a payload matches.
  func fits(_ payload: [UInt8]) -> Bool {
    guard !path.isEmpty else { return occurs(in: payload) }
    guard var json = JSON(decoding: payload, roundsFractions: true) else { return false }
    for name in path {
      guard let member = json[name] else { return false }
      json = member
    }
    return json.text == value || String(decoding: json.encoded(), as: UTF8.self) == value
  }

  private func occurs(in payload: [UInt8]) -> Bool {
    let wanted = Array(value.utf8)
    guard !wanted.isEmpty else { return true }
    guard payload.count >= wanted.count else { return false }
    return (0...payload.count - wanted.count).contains { payload[$0..<$0 + wanted.count].elementsEqual(wanted) }
  }
}
