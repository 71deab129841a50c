// tappet outbox: entries pending for the broker, webhooks and rooms.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension Command {
  static var outboxList: Command {
    Command(
      words: "outbox list", section: .running, summary: "list pending messages", options: [.json],
      details: """
        Lists the accepted taps that are pending for the broker, oldest first: id (%I), action, topic, time left
        and message, and whether the entry was set aside because sending it makes the broker close the
        connection. The taps that are pending for webhooks and rooms follow, then the last hundred that were
        refused permanently, with the reason. With --json, prints one object per line.
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        var count = 0
        arguments.report?.beginList()
        try OutboxClient(configuration).forEach { entry in
          count += 1
          let kind = configuration.kind(of: entry.destination, for: entry.action)
          if let report = arguments.report { report.print(entry.json(kind)) } else { Output.print(entry.line(kind)) }
          return true
        }
        for entry in try OutboxClient(configuration).givenUp() {
          count += 1
          let kind = configuration.kind(of: entry.reason.destination, for: entry.action)
          if let report = arguments.report { report.print(entry.json(kind)) } else { Output.print(entry.line) }
        }
        if count == 0, !arguments.asJSON { Output.printError("The outbox is empty.") }
      })
  }

  static var outboxDrop: Command {
    Command(
      words: "outbox drop", section: .running, summary: "drop one or all pending messages",
      operands: [Operand("ID", .entryID, .oneUnlessOption)],
      options: [.json, CommandOption("all", "drop every entry")],
      details: """
        Removes one entry, or all, from the outbox; removed entries will not be sent. If a kiosk is running, the
        kiosk removes them. An entry that was sent but not yet acknowledged stays, and is reported. --json
        prints how many were "dropped" and "sent". Exit status 1: the entry does not exist, or was already sent
        to the broker.
        """,
      usageError: invalidID,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let id = arguments.operands.first.flatMap { EntryID(hex: $0) }
        let (dropped, sent) = try OutboxClient(configuration).drop(id)
        arguments.report?.set(.object(["dropped": .number(dropped), "sent": .number(sent)]))
        if let id, dropped == 0 { throw notDropped(id, isSent: sent > 0) }
        if arguments.asJSON { return }
        Output.printError(plural(dropped, "entry dropped.", "entries dropped."))
        if sent > 0 {
          let others = plural(sent, "more entry was", "more entries were")
          Output.printError("\(others) already sent to the broker, and cannot be recalled.")
        }
      })
  }

  static var outboxRetry: Command {
    Command(
      words: "outbox retry", section: .running, summary: "send messages that were given up again",
      operands: [Operand("ID", .entryID, .oneUnlessOption)],
      options: [.json, CommandOption("all", "send every entry that was given up")],
      details: """
        Puts one entry that was refused permanently, or all of them, back into the outbox,
        behind all others and with the same id; its time starts again. Correct the cause first: the topic in the
        broker's access list, or the webhook's 'url'. 'tappet outbox list' lists the entries, with the reason.
        --json prints how many were "retried". Exit status 1: no such entry was given up.
        """,
      usageError: invalidID,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let id = arguments.operands.first.flatMap { EntryID(hex: $0) }
        let count = try OutboxClient(configuration).retry(id)
        arguments.report?.set(.object(["retried": .number(count)]))
        if let id, count == 0 {
          throw .refused(
            "entry \(id.hex) was not given up; 'tappet outbox list' lists the entries that were",
            FailureCode.entryUnknown)
        }
        if !arguments.asJSON { Output.printError(plural(count, "entry", "entries") + " will be sent again.") }
      })
  }

  private static func invalidID(_ arguments: Arguments) -> String? {
    guard let text = arguments.operands.first, EntryID(hex: text) == nil else { return nil }
    return "'\(text)' is not an id; use 'tappet outbox list' to list the ids"
  }

  private static func notDropped(_ id: EntryID, isSent: Bool) -> CommandFailure {
    isSent
      ? .refused(
        "\(id.hex) was already sent to the broker, and cannot be recalled; if the connection is lost before the "
          + "broker acknowledges the entry, try again", FailureCode.entrySent)
      : .refused("there is no entry \(id.hex); it may have been delivered in the meantime", FailureCode.entryUnknown)
  }

  static var outboxExport: Command {
    Command(
      words: "outbox export", section: .running, summary: "export pending messages to a file",
      operands: [Operand("FILE", .file)], options: [.json],
      details: """
        Writes every entry to a new FILE (mode 0600), one JSON object per line; the entries stay in the outbox.
        --json prints the number of entries written as "exported".
        """,
      body: .running { (arguments, configuration) throws(CommandFailure) in
        let count = try export(OutboxClient(configuration), to: arguments.operands[0])
        if let report = arguments.report { return report.set(.object(["exported": .number(Int64(count))])) }
        Output.printError("\(plural(count, "entry", "entries")) written; the outbox still contains them.")
      })
  }

  private static func export(_ outbox: OutboxClient, to path: String) throws(CommandFailure) -> Int {
    let file: Int32
    do throws(SystemError) {
      // Messages may be private, and an existing file must not be overwritten.
      file = try checked("open") { tp_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    } catch { throw .failed("\(path) cannot be created: " + error.adviceText(or: "choose another folder")) }
    defer { close(file) }
    var count = 0
    var failure: SystemError?
    try outbox.forEach { entry in
      let kind = outbox.configuration.kind(of: entry.destination, for: entry.action)
      do throws(SystemError) {
        try PrivateFile.write(entry.json(kind).encoded() + [UInt8(ascii: "\n")], to: file)
      } catch {
        failure = error
      }
      count += 1
      return failure == nil
    }
    if failure == nil {
      do throws(SystemError) { try checked("fsync") { fsync(file) } } catch {
        // A pipe or a device cannot be synchronized.
        if error.code != EINVAL { failure = error }
      }
    }
    guard let failure else { return count }
    unlink(path)
    throw .failed("\(path) cannot be written: \(failure.text)")
  }
}

extension OutboxEntry {
  /// Whether the entry is sent only when no other entry is pending.
  private var isSetAside: Bool { closes >= Limits.closesUntilAside }

  /// Milliseconds until the entry expires.
  private var remainingMilliseconds: Int64 {
    let now = SystemClock().now()
    switch expiry {
    case .at(let instant): return (instant - now.instant).wholeMilliseconds
    case .atUnixMilliseconds(let time): return time.subtractingReportingOverflow(now.unixMilliseconds).partialValue
    }
  }

  /// Expiry time according to the current clock.
  private var expiryTime: JSON {
    let now = SystemClock().now().unixMilliseconds
    let (time, overflow) = now.addingReportingOverflow(remainingMilliseconds)
    return overflow ? .null : .time(unixMilliseconds: time)
  }

  /// Returns the row; `kind` is what `KioskConfiguration.kind(of:for:)` returns.
  fileprivate func line(_ kind: String) -> String {
    let seconds = remainingMilliseconds / 1000
    let expiry = seconds < 0 ? "expired" : "expires in \(seconds) s"
    let place = destination == .broker ? topic : "(\(kind))"
    let mark = isSetAside ? "  (set aside: sending it makes the broker close the connection)" : ""
    return "\(id.hex)  \(action)  \(place)  \(expiry)\(mark)  \(message.text)"
  }

  fileprivate func json(_ kind: String) -> JSON {
    .object([
      "id": .string(id.hex), "destination": .string(kind),
      "action": .string(action), "topic": destination == .broker ? .string(topic) : .null,
      "message": .string(message.text), "retained": .bool(isRetained), "trigger": .string(trigger.name),
      "accepted_at": .time(unixMilliseconds: acceptedUnixMilliseconds), "expires_at": expiryTime,
      "expires_in_ms": .number(remainingMilliseconds), "set_aside": .bool(isSetAside),
    ])
  }
}

extension Store.DeadLetter {
  fileprivate var line: String { "\(id.hex)  \(action)  (given up)  \(reason.sentence(of: action))  \(message.text)" }

  fileprivate func json(_ kind: String) -> JSON {
    let isForBroker = reason.destination == .broker
    return .object([
      "id": .string(id.hex), "destination": .string(kind),
      "action": .string(action), "topic": isForBroker ? .string(topic) : .null, "message": .string(message.text),
      "trigger": .string(trigger.name), "accepted_at": .time(unixMilliseconds: acceptedUnixMilliseconds),
      "given_up_at": .time(unixMilliseconds: givenUpUnixMilliseconds), "code": .string(reason.code),
      "text": .string(reason.sentence(of: action)),
    ])
  }
}
