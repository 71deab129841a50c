// A row of the tap log as text, JSON or comma-separated values (RFC 4180).

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

/// A row of the log, for printing.
struct HistoryRow {
  var record: TapRecord
  let configuration: KioskConfiguration
  /// The name of the tag's owner.
  var person: String?

  static let header = "time,outcome,trigger,action,uid,tag,person,code,id,count,destination,input,output,by"

  var line: String { record.line(configuration, person: person) }

  private var destination: String? { record.destination.map { configuration.kind(of: $0, for: record.action) } }

  private var action: String? { record.isOfInput || record.isOfOutput ? nil : record.action }

  private var input: String? { record.isOfInput ? record.action : nil }

  private var output: String? { record.isOfOutput ? record.action : nil }

  private var by: String? { Originator.name(record.by, person: person, tag: record.tag) }

  var json: JSON {
    .object([
      "time": .time(unixMilliseconds: record.unixMilliseconds), "outcome": .string(record.result.name),
      "trigger": .optional(record.trigger?.name), "action": .optional(action),
      "uid": .optional(record.uid.map { Hex.encode($0.bytes) }), "tag": .optional(record.tag),
      "person": .optional(person),
      "code": .optional(record.code), "id": .optional(record.entry?.hex), "count": .number(Int64(record.count)),
      "destination": .optional(destination), "input": .optional(input), "output": .optional(output),
      "by": .optional(by),
    ])
  }

  var csv: String {
    CSV.line([
      WallTime.utc(unixMilliseconds: record.unixMilliseconds), record.result.name, record.trigger?.name, action,
      record.uid.map { Hex.encode($0.bytes) }, record.tag, person, record.code, record.entry?.hex, String(record.count),
      destination, input, output, by,
    ])
  }
}

/// A row of counts, for printing.
struct HistoryCountRow {
  var count: HistoryCount
  /// The name of the tag's owner.
  var person: String?

  static let header = "count,action,trigger,uid,tag,person,last,by"

  var line: String {
    let time = WallTime.second(unixMilliseconds: count.lastUnixMilliseconds)
    let name = uid ?? count.by ?? count.trigger?.name ?? "-"
    let named = uid == nil ? person : count.by ?? person
    let who = name + (count.tag.map { " (\($0))" } ?? "") + (named.map { "  " + $0 } ?? "")
    return "\(count.count)  \(count.action ?? "-")  \(who)  last \(time)"
  }

  private var uid: String? { count.uid.map { Hex.encode($0.bytes) } }

  private var by: String? { Originator.name(count.by, person: person, tag: count.tag) }

  var json: JSON {
    .object([
      "count": .number(count.count), "action": .optional(count.action), "trigger": .optional(count.trigger?.name),
      "uid": .optional(uid), "tag": .optional(count.tag), "person": .optional(person),
      "last": .time(unixMilliseconds: count.lastUnixMilliseconds), "by": .optional(by),
    ])
  }

  var csv: String {
    CSV.line([
      String(count.count), count.action, count.trigger?.name, uid, count.tag, person,
      WallTime.utc(unixMilliseconds: count.lastUnixMilliseconds), by,
    ])
  }
}
