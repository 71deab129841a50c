// tappet history: the outcome of each tap, from the store.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

extension Command {
  static var history: Command {
    Command(
      words: "history", section: .running, summary: "list taps and presses with their outcomes, and what doors did",
      operands: [Operand("top", .word(["top"]), .optional)],
      options: [
        CommandOption(
          "since", "TIME", "only newer entries: 30min, '1 day', 18:00 (the last), 'yesterday 18:00', or 2026-11-20"),
        CommandOption("until", "TIME", "only older entries; of a day, until its end; a time alone is after --since"),
        CommandOption("action", "ACTION", .action, "only rows about this action, input or output"),
        CommandOption(
          "outcome", "OUTCOME", .word(TapResult.allCases.map { $0.name }), "only taps with this outcome"),
        CommandOption("person", "NAME", .person, "only taps of this person's tags"),
        CommandOption("by", "TEXT", "only what this person, room user, button, device or topic caused"),
        CommandOption("tag", "TAG", "only taps of this tag (its UID, or the label of its secret)"),
        CommandOption("follow", "keep printing new entries until Ctrl-C"),
        CommandOption("csv", "print comma-separated values"), .json,
      ],
      details: """
        Lists taps and presses in the tap log, oldest first: time, outcome (accepted, delivered, refused, ignored,
        expired, dropped, undeliverable), action, tag, who it was, and reason. An accepted tap has a second line for
        its final outcome. A row about a door has its name instead of an action, and the outcome opened, closed,
        forced, held-open or, if nobody used an opening, not-entered; with the reason 'found', the door was so
        when its line became available. An output that was switched without an action has a row with its name:
        switched-on, switched-off. Who it was is the owner of the tag, a user in a room, or 'button NAME',
        'page DEVICE', 'topic TOPIC', 'input NAME'; --by accepts a part of this, and of people the whole name.
        'history' in kiosk.yaml sets how long the log is kept. With 'top', lists the most frequently accepted tags
        instead. With --json, prints one object per line.
        """,
      example: "tappet history --since 7d --action door --outcome refused",
      usageError: { HistoryQuery.usageError($0) },
      body: .running { (arguments, configuration) throws(CommandFailure) in
        var query = HistoryQuery(arguments, configuration)
        try query.run()
      })
  }
}

/// One run of the command.
private struct HistoryQuery {
  private let arguments: Arguments
  private let configuration: KioskConfiguration
  private var filter = HistoryFilter()
  /// People's names by id; a row contains only the id.
  private var names: [String: String] = [:]

  init(_ arguments: Arguments, _ configuration: KioskConfiguration) {
    self.arguments = arguments
    self.configuration = configuration
    let now = SystemClock().now()
    filter.since = arguments.value("since").flatMap { HistoryTime.unixMilliseconds($0, now: now.unixMilliseconds) }
    filter.until = arguments.value("until").flatMap {
      HistoryTime.unixMilliseconds($0, now: now.unixMilliseconds, isEnd: true, after: filter.since)
    }
    // The kiosk deletes expired rows only from time to time; until it does, they are hidden here.
    if let age = configuration.historyAge {
      filter.since = max(filter.since ?? 0, now.unixMilliseconds - age.wholeMilliseconds)
    }
    filter.action = arguments.value("action")
    filter.by = arguments.value("by")
    filter.result = arguments.value("outcome").flatMap { TapResult(name: $0) }
    if let tag = arguments.value("tag") {
      let digits = String(decoding: tag.utf8.filter { $0 != UInt8(ascii: ":") }, as: UTF8.self)
      filter.tag = Hex.decode(digits).map { Hex.encode($0) } ?? tag
    }
  }

  /// Returns an error message about the options, or `nil`.
  static func usageError(_ arguments: Arguments) -> String? {
    if let word = arguments.operands.first, word != "top" {
      return "unexpected argument '\(word)'; only 'top' is supported"
    }
    for option in ["since", "until"] {
      guard let text = arguments.value(option), HistoryTime.unixMilliseconds(text, now: 0) == nil else { continue }
      return "--\(option) must be a time such as 30min, 12h, 7d, 14:30, yesterday or 'yesterday 14:30', or a date such "
        + "as 2026-11-20, not '\(text)'"
    }
    if let text = arguments.value("outcome"), TapResult(name: text) == nil {
      return "--outcome must be one of " + TapResult.allCases.map { $0.name }.joined(separator: ", ")
        + ", not '\(text)'"
    }
    if arguments.has("csv"), arguments.has("json") { return "--csv and --json cannot be combined" }
    if arguments.has("follow"), arguments.has("until") { return "--follow and --until cannot be combined" }
    guard arguments.operands.isEmpty else {
      let wrong = ["follow", "outcome"].first { arguments.has($0) }
      return wrong.map { "'top' does not support --\($0)" }
    }
    return nil
  }

  mutating func run() throws(CommandFailure) {
    guard configuration.historyAge != nil else {
      throw .refused("kiosk.yaml sets 'history: none', so no log is kept", FailureCode.historyOff)
    }
    let secretStore = try KioskAccess.openStore(configuration)
    try learnNames(secretStore)
    let store = secretStore.store
    arguments.report?.beginList()
    do throws(DatabaseError) {
      if arguments.operands.isEmpty { try list(store) } else { try top(store) }
    } catch { throw .failed(error.sentence) }
  }

  private mutating func learnNames(_ secretStore: SecretStore) throws(CommandFailure) {
    let people: StoredPeople
    do throws(SecretStoreError) { people = try secretStore.people() } catch { throw .failed(error.sentence) }
    for person in people.all { names[person.id] = person.name }
    filter.byPerson = filter.by.flatMap { people.named($0)?.id }
    guard let name = arguments.value("person") else { return }
    guard let person = people.named(name) else { throw .refused(people.unknown(name).sentence) }
    filter.person = person.id
  }

  private func list(_ store: Store) throws(DatabaseError) {
    if arguments.has("csv") { Output.write(HistoryRow.header + "\r\n") }
    var last: Int64 = 0
    var isEmpty = true
    while true {
      let rows = try store.history(after: last, filter, limit: Limits.storeDropMax)
      for (number, record) in rows {
        last = number
        let person = record.person.flatMap { names[$0] }
        print(HistoryRow(record: record, configuration: configuration, person: person))
      }
      isEmpty = isEmpty && rows.isEmpty
      if rows.count == Limits.storeDropMax { continue }
      guard arguments.has("follow"), Output.isTaken else { break }
      Poll.sleep(Limits.historyFollowInterval)
    }
    if isEmpty, arguments.report == nil, !arguments.has("csv") { Output.printError("No matching entries.") }
  }

  private func print(_ row: HistoryRow) {
    if let report = arguments.report {
      report.print(row.json)
    } else if arguments.has("csv") {
      Output.write(row.csv + "\r\n")
    } else {
      Output.print(row.line)
    }
  }

  private func top(_ store: Store) throws(DatabaseError) {
    if arguments.has("csv") { Output.write(HistoryCountRow.header + "\r\n") }
    for found in try store.topHistory(filter, limit: Limits.historyTopMax) {
      let count = HistoryCountRow(count: found, person: found.person.flatMap { names[$0] })
      if let report = arguments.report {
        report.print(count.json)
      } else if arguments.has("csv") {
        Output.write(count.csv + "\r\n")
      } else {
        Output.print(count.line)
      }
    }
  }
}
