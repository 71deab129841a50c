// tappet fleet: all kiosks of a broker from its retained messages, once, live, or for a script.

import CPlatform
import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// Lists all kiosks.
enum FleetCommand {
  static func list(_ arguments: Arguments) throws(CommandFailure) {
    var fleet = try kept(arguments)
    let now = SystemClock().now().unixMilliseconds
    let rows = fleet.sorted(at: now)
    guard arguments.has("prometheus") else { return try show(rows, fleet, at: now, arguments) }
    if fleet.isFull { throw fullness }
    try MetricsText.write(FleetMetrics(rows, at: now).text, arguments)
  }

  static func silent(_ arguments: Arguments) throws(CommandFailure) {
    var fleet = try kept(arguments)
    let now = SystemClock().now().unixMilliseconds
    let rows = fleet.silent(for: arguments.seconds("for") ?? .seconds(300), at: now)
    if !rows.isEmpty || arguments.asJSON { try show(rows, fleet, at: now, arguments) }
    if !rows.isEmpty { throw .found }
  }

  static func watch(_ arguments: Arguments) throws(CommandFailure) {
    let isLive = isatty(0) == 1 && isatty(1) == 1
    if !isLive { return try watchOnce(arguments) }
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    _ = try client.connectToAny()
    try FleetWatch(client, for: arguments.seconds("for")).run()
  }

  /// Follows all changes without showing them, and prints the list at the end.
  private static func watchOnce(_ arguments: Arguments) throws(CommandFailure) {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    var fleet = Fleet()
    var limits = SubscriptionLimits(arguments)
    limits.qos = Fleet.qos
    let subscriber = Subscriber(client, filters: Fleet.filters, limits) { fleet.take($0) }
    subscriber.saysGrants = false
    try subscriber.run()
    let now = SystemClock().now().unixMilliseconds
    try show(fleet.sorted(at: now), fleet, at: now, arguments)
  }

  /// Returns the list for a page, as JSON: the own kiosk first, then those with problems, and the number of those that
  /// are left out.
  static func page(_ arguments: Arguments) throws(CommandFailure) -> JSON {
    let own = try KioskAccess.load(arguments).broker?.clientID
    var fleet = try kept(arguments, own: own)
    let now = SystemClock().now().unixMilliseconds
    return page(of: fleet.sorted(at: now), own: own, at: now)
  }

  /// Returns the list for a page; anyone who may publish to the broker can add kiosks, but not hide the own one.
  static func page(of rows: [FleetRow], own: String?, at now: Int64) -> JSON {
    let mine = rows.filter { $0.board.clientID == own }
    let kiosks = FleetTable(mine + rows.filter { $0.board.clientID != own }, at: now).json["kiosks"]?.elements ?? []
    var room = Limits.pageKiosksSizeMax
    let shown = kiosks.filter { kiosk in
      let size = kiosk.encoded().count
      if size > room { return false }
      room -= size
      return true
    }
    return .object(["kiosks": .array(shown), "more": .number(Int64(kiosks.count - shown.count))])
  }

  /// Returns the kiosks found in the broker's retained messages.
  private static func kept(_ arguments: Arguments, own: String? = nil) throws(CommandFailure) -> Fleet {
    let client = try BrokerClient(try BrokerChoice.settings(arguments))
    defer { client.shutdown() }
    var fleet = Fleet(own: own)
    var limits = SubscriptionLimits(arguments)
    (limits.retained, limits.time, limits.qos) = (.only, nil, Fleet.qos)
    let subscriber = Subscriber(client, filters: Fleet.filters, limits) { fleet.take($0) }
    subscriber.saysGrants = false
    subscriber.asksForEnd = true
    try subscriber.run()
    return fleet
  }

  private static var fullness: CommandFailure {
    .refused("there are more than \(Limits.fleetBoardsMax) kiosks on this broker")
  }

  private static func show(
    _ rows: [FleetRow], _ fleet: Fleet, at now: Int64, _ arguments: Arguments
  ) throws(CommandFailure) {
    if fleet.isFull { throw fullness }
    // Lines in a file are not truncated.
    let columns = isatty(1) == 1 ? TerminalSize.current()?.columns : nil
    let table = FleetTable(rows, at: now, columns: columns)
    if let report = arguments.report { return report.set(table.json) }
    for line in table.lines() { Output.print(line) }
    Output.printError(fleet.summary(at: now))
    for line in advice(rows) { Output.printError(line) }
  }

  /// Returns why columns are empty, and how a kiosk leaves the list.
  private static func advice(_ rows: [FleetRow]) -> [String] {
    let stateless = rows.count { $0.board.state == nil && $0.board.isOnline == true }
    let offline = rows.count { $0.board.isOnline == false }
    var lines: [String] = []
    if stateless > 0 {
      let who = plural(stateless, "kiosk publishes", "kiosks publish")
      lines.append(who + " no state; set 'telemetry: {state: true}' in kiosk.yaml")
    }
    if offline > 0 {
      let who = plural(offline, "kiosk is", "kiosks are")
      lines.append(
        who + " not connected; to forget one that is gone for good, use 'tappet mqtt clean tappet/ID/#'")
    }
    return lines
  }
}
