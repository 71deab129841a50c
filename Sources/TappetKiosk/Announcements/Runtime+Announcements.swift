// Publishes the kiosk's announcements about itself. Announcements are dropped while there is no connection; after each
// connect, all of them are published again.

import TappetBroker
import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform

extension Runtime {
  func publish(_ announcement: Announcement, at now: Moment) {
    guard let broker, let settings = configuration.broker else { return }
    switch announcement {
    case .firmwareReport(let topic): reportAsFirmware(to: topic, at: now)
    case .state:
      broker.publish(
        id: nil, topic: settings.stateTopic, payload: view.stateMessage.encoded(), isRetained: true)
    case .check(let nonce):
      broker.publish(
        id: nil, topic: settings.checkTopic, payload: view.checkMessage(nonce: nonce).encoded(), isRetained: false)
    case .discovery: publishDiscovery(settings)
    case .output(let index, let isOn): publish(level: isOn, of: index, settings.homeAssistantTopics)
    case .input(let index, let state, let since): publish(state, since: since, of: index, settings.homeAssistantTopics)
    case .alarm(let name, let alarm): publish(alarm, of: name, settings.homeAssistantTopics)
    case .gesture(let button, let gesture): publish(gesture, on: button, settings.homeAssistantTopics)
    case .chord(let index): publish(chord: index, settings.homeAssistantTopics)
    case .tap(let news): publish(news, settings.homeAssistantTopics, at: now)
    case .inventoryList(let list): publish(list, settings.homeAssistantTopics)
    case .touch(let touch): publish(touch, settings.homeAssistantTopics)
    }
  }

  /// Publishes the same report as an ESP32 device, and likewise with QoS 0.
  private func reportAsFirmware(to topic: String, at now: Moment) {
    let network = NetworkIdentity.current()
    let report: JSON = .object([
      "TT_ID": .string("TT-" + network.hardwareAddress), "event_timestamp": .number(now.unixSeconds),
      "firmware_version": .string("tappet " + Version.text),
      "tt_net_info": .object(["ipv4": .string(network.ipv4)]),
    ])
    broker?.publish(id: nil, topic: topic, payload: report.encoded(), qos: 0, isRetained: false)
  }
}
