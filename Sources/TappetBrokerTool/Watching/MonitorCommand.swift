// tappet mqtt monitor: a full-screen view of the broker with topics, messages, statistics and a publish line.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// Connects, and shows the broker's activity until a key or a signal ends the view.
enum MonitorCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let settings = try BrokerChoice.settings(arguments)
    let client = try BrokerClient(settings, window: Limits.brokerToolInFlightMax)
    defer { client.shutdown() }
    let usesMQTT5 = try client.connectToAny()
    let filters = arguments.operands.isEmpty ? ["#"] : arguments.operands
    let model = MonitorModel(
      url: settings.endpoints[client.endpoint].text, version: settings.versionName(usesMQTT5: usesMQTT5),
      filters: filters,
      brokerWords: arguments.brokerWords)
    let screen = try FullScreen()
    let monitor = MonitorLoop(client, model, screen, qos: Int32(arguments.number("qos") ?? 1))
    monitor.run()
    screen.close()
    monitor.printEnd()
  }
}

/// The main loop of the monitor.
final class MonitorLoop {
  private let client: BrokerClient
  private var model: MonitorModel
  private let screen: FullScreen
  private let qos: Int32
  private let began = Instant.now()
  private var policy = ReconnectPolicy()
  private var endpoint: Int
  private var connectAt: Instant?
  private var drawn: Instant?
  private var isStale = true
  private var published: UInt64 = 0
  private var isEnding = false

  init(_ client: BrokerClient, _ model: MonitorModel, _ screen: FullScreen, qos: Int32) {
    self.client = client
    self.model = model
    self.screen = screen
    self.qos = qos
    endpoint = client.endpoint
  }

  private var second: Int64 { (Instant.now() - began).wholeMilliseconds / 1000 }

  func run() {
    model.statistics.connected(at: Instant.now())
    subscribe()
    client.gathering = Limits.brokerToolGathering
    while !isEnding {
      draw()
      let turnEnd = Instant.now() + (isStale ? Limits.treeDrawingInterval : Limits.monitorTurn)
      let news = client.wait(until: min(connectAt ?? turnEnd, turnEnd), file: 0)
      if news.isInterrupted { return }
      if news.isFileReady, !takeKeys() { return }
      for reception in news.receptions { take(reception) }
      for event in news.events { take(event) }
      if let time = connectAt, time <= Instant.now() {
        connectAt = nil
        endpoint = (endpoint + 1) % max(1, client.settings.endpoints.count)
        client.link.connect(endpoint: endpoint)
      }
      if !screen.adapt() { return }
    }
  }

  /// Prints the statistics, which remain on the terminal.
  func printEnd() {
    for line in model.statistics.lines(at: Instant.now()) { Output.printError(line) }
    model.recent.save()
  }

  private func draw() {
    let now = Instant.now()
    guard drawn.map({ now - $0 >= Limits.treeDrawingInterval }) ?? true else { return isStale = true }
    (drawn, isStale) = (now, false)
    let (columns, rows) = screen.size
    let lines = model.rows(columns: columns, rows: rows, now: now, second: second)
    screen.show(lines, cursor: model.cursor(rows: rows))
  }

  /// Handles key presses; returns false if the terminal has been closed, so that no more keys will arrive.
  private func takeKeys() -> Bool {
    var count = 0
    while let key = screen.key() {
      count += 1
      if let order = model.press(key, page: max(1, screen.size.rows - MonitorModel.frame)) { perform(order) }
    }
    // The result of a key press is shown immediately, even between two redraws.
    if count > 0 { drawn = nil }
    return count > 0 || TerminalSize.current() != nil
  }

  private func perform(_ order: MonitorModel.Order) {
    switch order {
    case .quit: isEnding = true
    case .publish(let topic, let message):
      published += 1
      let payload = Array(message.utf8)
      model.notice = "publishing …"
      model.statistics.published(bytes: payload.count)
      client.link.publish(
        id: EntryID(high: 0, low: published), topic: topic, payload: payload, qos: max(1, qos), isRetained: false)
    case .subscribe(let topic):
      for filter in model.filters { _ = client.link.unsubscribe(request: 0, filter: filter) }
      model.filters = [topic]
      model.tree = TopicTree()
      subscribe()
    }
  }

  private func subscribe() {
    for (index, filter) in model.filters.enumerated() {
      _ = client.link.subscribe(request: UInt64(index), filter: filter, qos: qos)
    }
  }

  private func take(_ reception: LinkReception) {
    switch reception {
    case .message(let message):
      model.take(message, unixMilliseconds: SystemClock().now().unixMilliseconds, atSecond: second)
    case .subscribed(let request, let granted, let reason):
      let filter = model.filters.indices.contains(Int(request)) ? model.filters[Int(request)] : ""
      model.notice =
        granted.map { "subscribed to \(filter.quoted) with QoS \($0)" }
        ?? "the broker refused the subscription to \(filter.quoted): \(LinkFailure.subscriptionRefusal(reason))"
    case .discarded:
      model.notice = "a message was discarded: it is larger than \(Limits.receivedMessageSizeMax) bytes"
    case .unsubscribed: break
    }
  }

  private func take(_ event: LinkEvent) {
    switch event {
    case .connected:
      policy.connected()
      model.statistics.connected(at: Instant.now())
      subscribe()
    case .lost(let failure), .failed(let failure):
      // A failed attempt to reconnect is not counted as another loss.
      if model.statistics.connectedSince != nil { model.statistics.lost(failure) }
      let (pause, isStorm) = policy.lost(at: Instant.now())
      let why = isStorm ? " (more than \(Limits.lossStormMax) losses in a minute)" : ""
      // The time comes first, because a narrow terminal cuts off the rest.
      model.notice = "reconnecting in \(pause.wholeMilliseconds / 1000) s\(why): \(failure.sentence)".escaped
      connectAt = Instant.now() + pause
    case .acknowledged: model.notice = "acknowledged"
    case .acknowledgedUnheard: model.notice = "acknowledged; no subscriber on the topic"
    case .publishRefused(_, let code): model.notice = "refused: \(LinkFailure.publishRefusal(code))"
    case .disconnected, .didFallBack, .foundMQTT5, .lacksRetained: break
    }
  }
}
