// tappet outbox: what waits for the broker. Reading goes to the database, beside a kiosk that runs; dropping goes through the kiosk
// where there is one, for it holds entries in its memory.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

enum OutboxCommand {
  // MARK: list

  static func list(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "outbox list", options: [.config, .json]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let vault = Settings.openVault(configuration) else { return .failure }
      let asJSON = arguments.has("json")
      var count = 0
      let trouble = each(of: vault.store) { (entry) in
        count += 1
        Output.print(asJSON ? String(decoding: entry.json.encoded(), as: UTF8.self) : entry.line)
        return true
      }
      if let trouble { return complain("list", trouble.sentence) }
      if count == 0, !asJSON { Output.complain("The outbox is empty.") }
      return .success
    }
  }

  // MARK: export

  static func export(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "outbox export", options: [.config, .json], operandsMax: 1) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let path = arguments.operands.first else {
        Output.complain("tappet outbox export: say to which file")
        return .usage
      }
      guard let configuration = Settings.load(arguments) else { return .configuration }
      guard let vault = Settings.openVault(configuration) else { return .failure }
      return export(vault.store, to: path, asJSON: arguments.has("json"))
    }
  }

  private static func export(_ store: Store, to path: String, asJSON: Bool) -> ExitStatus {
    let file: Int32
    do throws(SystemError) {
      // Messages may be nobody else's business; and what is there already is not overwritten.
      file = try checked("open") { tp_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    } catch { return complain("export", "\(path) cannot be made: \(error.text)") }
    defer { close(file) }
    var count = 0
    var code: Int32?
    let trouble = each(of: store) { (entry) in
      let bytes = entry.json.encoded() + [UInt8(ascii: "\n")]
      let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if written != bytes.count { code = written < 0 ? tp_errno() : ENOSPC }
      count += 1
      return code == nil
    }
    if code == nil, fsync(file) != 0, tp_errno() != EINVAL { code = tp_errno() }
    if let code {
      unlink(path)
      return complain("export", "\(path) cannot be written: \(SystemError(call: "write", code: code).text)")
    }
    if let trouble { return complain("export", trouble.sentence) }
    if asJSON {
      Output.print(.object(["exported": .number(Int64(count))]))
    } else {
      Output.complain("\(count) \(count == 1 ? "entry" : "entries") written; the outbox still holds them.")
    }
    return .success
  }

  // MARK: drop

  static func drop(_ words: [String]) -> ExitStatus {
    let options: [CommandOption] = [.config, .json, CommandOption(name: "all")]
    switch Arguments.parse(words, command: "outbox drop", options: options, operandsMax: 1) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      let isAll = arguments.has("all")
      guard isAll != (arguments.operands.first != nil) else {
        Output.complain("tappet outbox drop: say which: an id of 'tappet outbox list', or --all")
        return .usage
      }
      var id: EntryID?
      if let text = arguments.operands.first {
        id = EntryID(hex: text)
        guard id != nil else { return complain("drop", "'\(text)' is no id; 'tappet outbox list' shows them", .usage) }
      }
      guard let configuration = Settings.load(arguments) else { return .configuration }
      return drop(id, configuration, asJSON: arguments.has("json"))
    }
  }

  private static func drop(_ id: EntryID?, _ configuration: Configuration, asJSON: Bool) -> ExitStatus {
    let count: Int64
    var sentCount: Int64 = 0
    if let kiosk = RunningKiosk(configuration) {
      var members = [JSON.Member(name: "request", value: .string("outbox-drop"))]
      members.append(id.map { .init(name: "id", value: .string($0.hex)) } ?? .init(name: "all", value: .bool(true)))
      guard let answer = kiosk.ask(.object(members), waiting: Limits.outboxDropMax) else {
        return complain("drop", "the kiosk does not answer; look at its log")
      }
      if let sentence = answer["error"]?.text { return complain("drop", sentence) }
      count = answer["dropped"]?.wholeNumber ?? 0
      sentCount = answer["sent"]?.wholeNumber ?? 0
    } else {
      guard let vault = Settings.openVault(configuration) else { return .failure }
      do throws(StoreError) { count = Int64(try dropAll(id, of: vault.store)) } catch {
        return complain("drop", error.sentence)
      }
    }
    if asJSON { Output.print(.object(["dropped": .number(count), "sent": .number(sentCount)])) }
    if let id, count == 0 {
      let reason =
        sentCount > 0
        ? "\(id.hex) is with the broker already, and cannot be taken back; if the connection is lost before the broker's word, try again"
        : "there is no entry \(id.hex); it may have been delivered meanwhile"
      return complain("drop", reason, .refused)
    }
    if !asJSON {
      Output.complain(count == 1 ? "1 entry dropped." : "\(count) entries dropped.")
      if sentCount > 0 {
        Output.complain(
          "\(sentCount) more \(sentCount == 1 ? "is" : "are") with the broker already, and cannot be taken back.")
      }
    }
    return .success
  }

  private static func dropAll(_ id: EntryID?, of store: Store) throws(StoreError) -> Int {
    var count = 0
    while true {
      let dropped = try store.drop(id).count
      count += dropped
      if id != nil || dropped < Limits.storeDropMax { return count }
    }
  }

  // MARK: Helpers

  /// Every entry in the order of acceptance, until `body` says that it is enough.
  private static func each(of store: Store, _ body: (OutboxEntry) -> Bool) -> StoreError? {
    var last: Int64 = 0
    do throws(StoreError) {
      while true {
        let (entries, reachedEnd) = try store.fetch(after: last, limit: Limits.storeDropMax, clockIsGood: true)
        for entry in entries {
          last = entry.sequence
          if !body(entry) { return nil }
        }
        if reachedEnd || entries.isEmpty { return nil }
      }
    } catch { return error }
  }

  private static func complain(_ command: String, _ sentence: String, _ status: ExitStatus = .failure) -> ExitStatus {
    Output.complain("tappet outbox \(command): \(sentence)")
    return status
  }
}

extension OutboxEntry {
  /// Milliseconds until it may not be sent any more.
  private var remainingMilliseconds: Int64 {
    let now = SystemClock().now()
    switch expiry {
    case .at(let instant): return (instant - now.instant).wholeMilliseconds
    case .atUnixMilliseconds(let time): return time.subtractingReportingOverflow(now.unixMilliseconds).partialValue
    }
  }

  fileprivate var line: String {
    let seconds = remainingMilliseconds / 1000
    let expiry = seconds < 0 ? "expired" : "expires in \(seconds) s"
    return "\(id.hex)  \(action)  \(topic)  \(expiry)  \(message.text)"
  }

  fileprivate var json: JSON {
    .object([
      "id": .string(id.hex), "action": .string(action), "topic": .string(topic), "message": .string(message.text),
      "retained": .bool(isRetained), "trigger": .string(trigger == .tag ? "tag" : "button"),
      "accepted_unix_ms": .number(acceptedUnixMilliseconds), "expires_in_ms": .number(remainingMilliseconds),
    ])
  }
}
