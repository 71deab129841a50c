// tappet fleet watch: a live full-screen view of the kiosks, until a key or a signal ends the view.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform

/// The main loop of the screen.
final class FleetWatch {
  private let client: BrokerClient
  private let terminal: FullScreen
  private let end: Instant?
  private var screen: FleetScreen
  private var policy = ReconnectPolicy()
  private var endpoint: Int
  private var connectAt: Instant?
  private var drawn: Instant?
  private var hasChanged = true
  private var isEnding = false
  private var refusals = 0

  /// Uses a connected client and the whole terminal; `time` limits the total running time.
  init(_ client: BrokerClient, for time: Duration?) throws(CommandFailure) {
    self.client = client
    endpoint = client.endpoint
    screen = FleetScreen(place: client.settings.endpoints[client.endpoint].text)
    end = time.map { Instant.now() + $0 }
    terminal = try FullScreen()
    terminal.useColours()
  }

  /// Runs until a key is pressed, a signal arrives or the time limit expires, then restores the terminal.
  func run() throws(CommandFailure) {
    defer { terminal.close() }
    subscribe()
    client.gathering = Limits.fleetGathering
    while !isEnding {
      draw()
      let limits = [connectAt, end, turnEnd].compactMap { $0 }
      let news = client.wait(until: limits.min(), file: 0)
      if news.isInterrupted || news.isFileReady && !takeKeys() { return }
      for reception in news.receptions { try take(reception) }
      for event in news.events { take(event) }
      let now = Instant.now()
      if let end, end <= now { return }
      if let time = connectAt, time <= now { reconnect() }
      if !terminal.adapt() { return }
    }
  }

  /// Time of the next redraw; if nothing has changed, only the displayed ages need updating.
  private var turnEnd: Instant {
    (drawn ?? Instant.now()) + (hasChanged ? Limits.fleetDrawingInterval : Limits.fleetAgeInterval)
  }

  private func draw() {
    let now = Instant.now()
    guard drawn == nil || turnEnd <= now else { return }
    (drawn, hasChanged) = (now, false)
    let size = terminal.size
    let rows = screen.rows(
      columns: size.columns, rows: size.rows, at: SystemClock().now().unixMilliseconds)
    terminal.show(rows, cursor: screen.cursor(rows: size.rows))
  }

  /// Handles key presses; returns false if the terminal has been closed, so that no more keys will arrive.
  private func takeKeys() -> Bool {
    var count = 0
    while let key = terminal.key() {
      count += 1
      if screen.press(key, page: max(1, terminal.size.rows - FleetScreen.frame)) { isEnding = true }
    }
    // The result of a key press is shown immediately.
    if count > 0 { drawn = nil }
    return count > 0 || TerminalSize.current() != nil
  }

  private func subscribe() {
    refusals = 0
    for (index, filter) in Fleet.filters.enumerated() {
      _ = client.link.subscribe(request: UInt64(index), filter: filter, qos: Fleet.qos)
    }
  }

  private func reconnect() {
    connectAt = nil
    endpoint = (endpoint + 1) % max(1, client.settings.endpoints.count)
    client.link.connect(endpoint: endpoint)
  }

  private func take(_ reception: LinkReception) throws(CommandFailure) {
    hasChanged = true
    switch reception {
    case .message(let message): screen.take(message)
    case .subscribed(let request, nil, let reason):
      let filter = Fleet.filters[Int(request) % Fleet.filters.count]
      let why = LinkFailure.subscriptionRefusal(reason)
      screen.notice = "the broker refused the subscription to \(filter.quoted): \(why)"
      refusals += 1
      guard refusals == Fleet.filters.count else { return }
      throw CommandFailure(
        status: .subscriptionRefused, sentence: screen.notice, code: FailureCode.subscriptionRefused)
    case .subscribed, .unsubscribed, .discarded: break
    }
  }

  private func take(_ event: LinkEvent) {
    hasChanged = true
    switch event {
    case .connected:
      policy.connected()
      screen.notice = ""
      subscribe()
    case .lost(let failure), .failed(let failure):
      let (pause, isStorm) = policy.lost(at: Instant.now())
      let why = isStorm ? " (more than \(Limits.lossStormMax) losses in a minute)" : ""
      // The time comes first, because a narrow terminal cuts off the rest.
      screen.notice = "reconnecting in \(pause.wholeMilliseconds / 1000) s\(why): \(failure.sentence)".escaped
      connectAt = Instant.now() + pause
    case .foundMQTT5, .lacksRetained, .disconnected, .didFallBack, .acknowledged, .acknowledgedUnheard, .publishRefused:
      break
    }
  }
}
