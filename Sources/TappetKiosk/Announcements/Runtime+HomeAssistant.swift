// Messages to and from Home Assistant.

import TappetBroker
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension Runtime {
  /// Publishes the discovery message, and clears retained messages of an earlier configuration.
  func publishDiscovery(_ settings: BrokerSettings) {
    var kept = configuration.publishesState ? [(topic: settings.stateTopic, content: "")] : []
    kept += configuration.inventoryListTopics.map { ($0, "") }
    if let discovery = Discovery(configuration) {
      let components = discovery.components.map { AnnouncedTopics.Component(key: $0.key, platform: $0.platform) }
      let removed = announced.removed(from: discovery.topic, keeping: components)
      keep(discovery.message(removing: removed), at: discovery.topic)
      log(LogRecord(discoverySent: discovery.topic))
      kept.append((discovery.topic, AnnouncedTopics.content(removed + components)))
      kept += discovery.keptTopics.map { ($0, "") }
    }
    for (topic, content) in announced.replace(by: kept) {
      if content == nil, topic != settings.statusTopic + "/status" { keep([], at: topic) }
      store.thread.submit(.recordAnnounced(topic: topic, content: content))
    }
  }

  func publish(level isOn: Bool, of output: Int, _ topics: HomeAssistantTopics) {
    guard configuration.panel.outputs.indices.contains(output) else { return }
    let name = configuration.panel.outputs[output].plan.name
    keep(Array((isOn ? "ON" : "OFF").utf8), at: topics.output(name))
  }

  func publish(_ state: InputState, since seconds: Int64?, of input: Int, _ topics: HomeAssistantTopics) {
    guard configuration.panel.inputs.indices.contains(input) else { return }
    let message: JSON = .object([
      "state": .string(state.level.name), "since": seconds.map { .number($0) } ?? .null,
      "cause": .string(state.cause.name), "held_open": .bool(state.isHeldOpen),
    ])
    keep(message.encoded(), at: topics.input(configuration.panel.inputs[input].plan.name))
  }

  func publish(_ alarm: InputAlarm, of input: String, _ topics: HomeAssistantTopics) {
    send(.object(["event_type": .string(alarm.name)]), to: topics.alarm(input))
  }

  func publish(_ gesture: Gesture, on button: Int, _ topics: HomeAssistantTopics) {
    guard configuration.panel.buttons.indices.contains(button) else { return }
    let name = configuration.panel.buttons[button].plan.name
    send(.object(["event_type": .string(gesture.name)]), to: topics.button(name))
  }

  func publish(chord index: Int, _ topics: HomeAssistantTopics) {
    guard let names = configuration.panel.chordNames(index) else { return }
    send(.object(["event_type": .string(Gesture.press.name)]), to: topics.chord(names.first, names.second))
  }

  func publish(_ news: TapTransition, _ topics: HomeAssistantTopics, at now: Moment) {
    if let scan = news.scan { send(scan, to: topics.tag) }
    send(news.message, to: topics.tap)
    if let last = news.last(unixMilliseconds: now.unixMilliseconds) { keep(last.encoded(), at: topics.lastTap) }
  }

  /// Handles a message on Home Assistant's status topic; returns false for other topics.
  func heardHomeAssistant(_ message: LinkMessage) -> Bool {
    guard let plan = configuration.homeAssistant, message.topic == plan.statusTopic else { return false }
    if let isOnline = plan.isOnline(message.payload) { inbox.append(.homeAssistant(isOnline: isOnline)) }
    return true
  }

  /// Handles the broker's reply to the Home Assistant subscription, which is the last in `commandTopics`.
  func answeredHomeAssistant(_ index: Int, isGranted: Bool) -> Bool {
    guard let plan = configuration.homeAssistant, index + 1 == configuration.broker?.commandTopics.count else {
      return false
    }
    if !isGranted { log(LogRecord(homeAssistantDenied: plan.statusTopic)) }
    return true
  }

  /// Publishes a retained message; an empty message clears the retained one.
  private func keep(_ payload: [UInt8], at topic: String) {
    broker?.publish(id: nil, topic: topic, payload: payload, isRetained: true)
  }

  private func send(_ message: JSON, to topic: String) {
    broker?.publish(id: nil, topic: topic, payload: message.encoded(), isRetained: false)
  }
}
