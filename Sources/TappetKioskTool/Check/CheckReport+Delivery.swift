// tappet check --deliver: publishes a test message to each action's topic. Web servers are tried without it, because
// nothing is posted to them.

import CPlatform
import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetKiosk
import TappetPlatform

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

  /// Tries the server of each webhook, but not the webhook itself.
  mutating func checkWebServers(_ configuration: KioskConfiguration) {
    // A missing program was reported by `checkWebhooks`.
    guard access(WebhookProgram.path, X_OK) == 0 else { return }
    for webhook in configuration.webhooks {
      guard let url = Self.url(of: webhook) else { continue }
      let found = DeviceProbe.webServer(url, of: webhook)
      let text = "\(webhook.action): \(found.text)"
      note(
        "webhook", found.verdict,
        found.verdict == .good ? text + "; whether it accepts the \(webhook.method.word) was not tried" : text,
        code: found.code)
    }
  }

  /// Returns the webhook's URL; `nil` if its file has become unreadable since the configuration was loaded.
  private static func url(of webhook: WebhookEndpoint) -> WebhookURL? {
    switch webhook.url {
    case .text(let text): return WebhookURL(text)
    case .file(let path):
      guard case .success(var file) = TextFile.read(path, sizeMax: Limits.secretFileSizeMax) else { return nil }
      defer { LibCrypto.wipe(&file.bytes) }
      guard var line = try? file.firstLine() else { return nil }
      defer { LibCrypto.wipe(&line) }
      return WebhookURL(String(decoding: line, as: UTF8.self))
    case .session: return nil
    }
  }
}
