// tappet check --deliver: publishes a test message to each action's topic.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore

extension CheckReport {
  /// Prompts for consent before anything is sent.
  static func requireConsentToDeliver(_ configuration: KioskConfiguration, _ arguments: Arguments)
    throws(CommandFailure)
  {
    guard configuration.broker != nil else { return }
    let isNeeded = try Prompt.isNeeded(for: "--deliver sends a test message to the topic of each action", arguments)
    guard isNeeded else { return }
    let topics = configuration.actions.compactMap { $0.sampleTopic }
    Output.printError("A test message 'tappet check …' will be sent to: " + topics.joined(separator: ", "))
    Output.printError("Every subscriber to a topic receives the test message, just like the action's own message.")
    guard Prompt().confirm("Send it?", default: false) == true else { throw .refused("nothing was sent") }
  }

  /// Sends a test message for each action.
  mutating func checkDelivery(_ broker: BrokerSettings, endpoint: Int, _ actions: [Action]) {
    for action in actions {
      guard let topic = action.sampleTopic else { continue }
      let found = DeliveryProbe.finding(broker, endpoint: endpoint, action, topic: topic)
      note("delivery", found.verdict, found.text)
    }
  }
}
