// tappet mqtt recent: shows or exports the last messages of 'mqtt sub', or subscribes to the topic of one of them.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetPlatform
import TappetStore

/// Lists the newest messages, writes them to a file, or subscribes to the topic of one of them.
enum RecentCommand {
  static func run(_ arguments: Arguments) throws(CommandFailure) {
    let recent = RecentMessages.load() ?? RecentMessages(brokerWords: [])
    if let number = arguments.number("follow") { return try follow(Int(number), recent) }
    let entries = recent.entries
    let match = arguments.value("match").map { PayloadMatch($0) }
    let filters = arguments.operands
    // The newest message has number 1.
    let numbers = (1..<entries.count + 1).filter { number in
      let message = entries[entries.count - number].message
      return (filters.isEmpty || filters.contains { $0.matches(topic: message.topic) })
        && match?.fits(message.payload) ?? true
    }
    if let path = arguments.value("export") {
      return try export(numbers.reversed().map { entries[entries.count - $0] }, to: path)
    }
    if entries.isEmpty, !arguments.asJSON {
      return Output.print("no messages yet; use 'tappet mqtt sub' to receive messages")
    }
    let printer = try MessagePrinter(arguments)
    for number in numbers {
      let entry = entries[entries.count - number]
      printer.take(entry.message, at: entry.unixMilliseconds, number: number)
    }
    printer.flush()
  }

  /// Subscribes to the topic of the message with this number, at the broker that sent it.
  private static func follow(_ number: Int, _ recent: RecentMessages) throws(CommandFailure) {
    let entries = recent.entries
    guard number <= entries.count else {
      throw .refused("there is no message \(number), since only \(entries.count) were saved")
    }
    let words = ["mqtt", "sub"] + recent.brokerWords + ["--", entries[entries.count - number].message.topic]
    Output.printError(HistoryCommand.line(words))
    try BrokerHistory.run(words)
  }

  /// Writes a file in the format of 'mqtt record', with the pauses between the messages.
  private static func export(_ entries: [RecentMessages.Entry], to path: String) throws(CommandFailure) {
    let cut = entries.filter { $0.message.size > $0.message.payload.count }.count
    guard cut == 0 else {
      throw .refused(
        "\(cut) of the messages were saved only partially: they are larger than "
          + "\(Limits.recentPayloadSizeMax) bytes")
    }
    let first = entries.first?.unixMilliseconds ?? 0
    var lines: [UInt8] = []
    for entry in entries {
      lines += entry.message.recorded(microseconds: max(0, entry.unixMilliseconds - first) * 1000)
    }
    try PrivateFile.create(path, lines)
    Output.print("\(path): \(entries.count) messages")
  }
}
