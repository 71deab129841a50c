// tappet fleet: every kiosk of a broker by what it keeps, once, live, or for a script.

import CPlatform
import TappetBroker
import TappetConfig
import TappetCore
import TappetPlatform

/// Shows all kiosks.
enum FleetCommand {
  static func list(_ arguments: Arguments) throws(CommandFailure) {
    let fleet = try kept(arguments)
    let now = SystemClock().now().unixMilliseconds
    guard arguments.has("prometheus") else {
      return try show(FleetTable(fleet.sorted(at: now), at: now), fleet, arguments)
    }
    if fleet.isFull { throw fullness }
    try MetricsText.write(FleetMetrics(fleet.sorted(at: now), at: now).text, arguments)
  }

  static func silent(_ arguments: Arguments) throws(CommandFailure) {
    let fleet = try kept(arguments)
    let now = SystemClock().now().unixMilliseconds
    let rows = fleet.silent(for: arguments.seconds("for") ?? .seconds(300), at: now)
    if !rows.isEmpty || arguments.asJSON { try show(FleetTable(rows, at: now), fleet, arguments) }
    if !rows.isEmpty { throw .found }
  }

  static func watch(_ arguments: Arguments) throws(CommandFailure) {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    let view = FleetView()
    let subscriber = Subscriber(client, filters: Fleet.filters, SubscriptionLimits(arguments)) { view.take($0) }
    subscriber.saysGrants = false
    subscriber.turnMax = .seconds(1)
    subscriber.endOfTurn = { () throws(CommandFailure) in view.drawIfDue() }
    try subscriber.run()
    view.drawLast()
  }

  /// The kiosks as the broker keeps them.
  private static func kept(_ arguments: Arguments) throws(CommandFailure) -> Fleet {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    var fleet = Fleet()
    var limits = SubscriptionLimits(arguments)
    (limits.retained, limits.time) = (.only, nil)
    let subscriber = Subscriber(client, filters: Fleet.filters, limits) { fleet.take($0) }
    subscriber.saysGrants = false
    try subscriber.run()
    return fleet
  }

  private static var fullness: CommandFailure {
    .refused("there are more than \(Limits.fleetBoardsMax) kiosks at this broker")
  }

  private static func show(_ table: FleetTable, _ fleet: Fleet, _ arguments: Arguments) throws(CommandFailure) {
    if fleet.isFull { throw fullness }
    if let report = arguments.report { return report.set(table.json) }
    for line in table.lines() { Output.print(line) }
    Output.printError(table.summary)
  }
}

/// The table of kiosks, drawn again when something changed, at most each half second.
final class FleetView {
  private let isLive = isatty(1) == 1
  private var fleet = Fleet()
  private var hasChanged = true
  private var drawn: Instant?

  func take(_ message: LinkMessage) {
    fleet.take(message)
    hasChanged = true
  }

  func drawIfDue() {
    let now = Instant.now()
    let rest = drawn.map { now - $0 } ?? .seconds(60)
    // Without a change only the ages grow.
    guard isLive, rest >= (hasChanged ? Limits.fleetDrawingInterval : .seconds(5)) else { return }
    (drawn, hasChanged) = (now, false)
    let size = TerminalSize.current() ?? (80, 24)
    let lines = lines(rows: max(1, size.rows - 3)).map {
      String(String.UnicodeScalarView($0.unicodeScalars.prefix(size.columns)))
    }
    // From the upper left corner, each line to its end, and nothing below.
    Output.write("\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J")
  }

  func drawLast() {
    if isLive { Output.write("\u{1B}[H\u{1B}[J") }
    for line in lines(rows: isLive ? 1000 : .max) { Output.write(line + "\n") }
  }

  private func lines(rows: Int) -> [String] {
    let now = SystemClock().now().unixMilliseconds
    let table = FleetTable(fleet.sorted(at: now), at: now)
    return [table.summary] + table.lines(max: rows)
  }
}
