// A row of the log of taps, for people, as JSON and as comma-separated values (RFC 4180).

import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetStore

/// A row as it is printed.
struct HistoryRow {
  var record: TapRecord

  static let header = "time,outcome,trigger,action,uid,tag,code,id,count"

  var line: String {
    let time = WallTime.second(unixMilliseconds: record.unixMilliseconds)
    let result = record.result.name + String(repeating: " ", count: max(0, 13 - record.result.name.utf8.count))
    var line = "\(time)  \(result)  \(record.action ?? "-")  \(who)"
    if let code = record.code { line += "  " + code }
    if record.count > 1 { line += "  \(record.count) taps" }
    return line
  }

  /// The tag, or what took its place.
  private var who: String {
    guard let uid = record.uid else { return record.trigger?.name ?? "-" }
    return Hex.encode(uid.bytes) + (record.tag.map { " (\($0))" } ?? "")
  }

  var json: JSON {
    .object([
      "time": .time(unixMilliseconds: record.unixMilliseconds), "outcome": .string(record.result.name),
      "trigger": .optional(record.trigger?.name), "action": .optional(record.action),
      "uid": .optional(record.uid.map { Hex.encode($0.bytes) }), "tag": .optional(record.tag),
      "code": .optional(record.code), "id": .optional(record.entry?.hex), "count": .number(Int64(record.count)),
    ])
  }

  var csv: String {
    CSV.line([
      WallTime.utc(unixMilliseconds: record.unixMilliseconds), record.result.name, record.trigger?.name, record.action,
      record.uid.map { Hex.encode($0.bytes) }, record.tag, record.code, record.entry?.hex, String(record.count),
    ])
  }
}

extension HistoryCount {
  var line: String {
    let time = WallTime.second(unixMilliseconds: lastUnixMilliseconds)
    let name = uid.map { Hex.encode($0.bytes) } ?? trigger?.name ?? "-"
    return "\(count)  \(action ?? "-")  \(name + (tag.map { " (\($0))" } ?? ""))  last \(time)"
  }

  var json: JSON {
    .object([
      "count": .number(count), "action": .optional(action), "trigger": .optional(trigger?.name),
      "uid": .optional(uid.map { Hex.encode($0.bytes) }), "tag": .optional(tag),
      "last": .time(unixMilliseconds: lastUnixMilliseconds),
    ])
  }

  var csv: String {
    CSV.line([
      String(count), action, trigger?.name, uid.map { Hex.encode($0.bytes) }, tag,
      WallTime.utc(unixMilliseconds: lastUnixMilliseconds),
    ])
  }
}

/// Writes comma-separated values.
enum CSV {
  /// A line without its end; `nil` is empty.
  static func line(_ fields: [String?]) -> String { fields.map { quoted($0 ?? "") }.joined(separator: ",") }

  private static func quoted(_ field: String) -> String {
    let isPlain = field.utf8.allSatisfy { $0 != 0x22 && $0 != 0x2C && $0 >= 0x20 }
    if isPlain { return field }
    var text = "\""
    for scalar in field.unicodeScalars {
      if scalar == "\"" { text += "\"" }
      text.unicodeScalars.append(scalar)
    }
    return text + "\""
  }
}
