// tappet mqtt history: lists recent commands, or runs one of them again.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// Lists the newest commands, or runs one of them again.
enum HistoryCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let entries = try entries()
    if let number = arguments.number("again") { return try runAgain(Int(number), entries) }
    if let report = arguments.report { return report.set(json(entries)) }
    if entries.isEmpty { return Output.print("no history yet") }
    var kind: BrokerHistory.Kind?
    for (index, entry) in entries.enumerated() {
      if entry.kind != kind { Output.print(title(entry.kind)) }
      kind = entry.kind
      let number = String(index + 1)
      let margin = String(repeating: " ", count: max(0, 4 - number.utf8.count))
      let time = WallTime.minute(unixSeconds: entry.unixMilliseconds / 1000)
      Output.print("\(margin)\(number)  \(time)  \(line(entry.words))")
    }
  }

  private static func entries() throws(CommandFailure) -> [BrokerHistory.Entry] {
    guard let folder = BrokerHistory.usualFolder else { throw .failed("neither XDG_STATE_HOME nor HOME is set") }
    do throws(DatabaseError) { return try BrokerHistory.open(folder: folder, makes: false)?.entries() ?? [] } catch {
      throw .failed(error.sentence)
    }
  }

  private static func runAgain(_ number: Int, _ entries: [BrokerHistory.Entry]) throws(CommandFailure) {
    guard entries.indices.contains(number - 1) else {
      throw .refused("there is no command \(number); the history contains \(plural(entries.count, "command"))")
    }
    let words = entries[number - 1].words
    Output.printError(line(words))
    try BrokerHistory.run(words)
  }

  /// Returns the command line of these words, quoted for a shell.
  static func line(_ words: [String]) -> String {
    "tappet "
      + words.map { word in
        let isPlain =
          !word.isEmpty
          && word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
              UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
              UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: ","):
              true
            default: false
            }
          }
        if isPlain { return word }
        let parts = word.escaped.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
      }.joined(separator: " ")
  }

  private static func title(_ kind: BrokerHistory.Kind) -> String {
    switch kind {
    case .connection: "connections"
    case .subscription: "subscriptions"
    case .publish: "publishes"
    }
  }

  private static func json(_ entries: [BrokerHistory.Entry]) -> JSON {
    let list = entries.enumerated().map { index, entry in
      JSON.object([
        "number": .number(Int64(index + 1)), "kind": .string(title(entry.kind)),
        "time": .time(unixMilliseconds: entry.unixMilliseconds), "words": .array(entry.words.map { .string($0) }),
      ])
    }
    return .object(["entries": .array(list)])
  }
}
