// Notes on a message's content: the time in a timestamp token, and JSON members that changed.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform

/// Decrypts timestamp tokens that occur in messages.
struct TokenDecoder {
  let key: TimestampKey

  /// Returns `%T: 3 s old` for each token that the key decrypts; empty if there are none.
  func note(_ payload: [UInt8], at now: Int64) -> String {
    var notes: [String] = []
    for token in Self.candidates(payload) {
      guard let sealed = try? TimestampToken.open(token, key: key) else { continue }
      let age = now - sealed
      notes.append(
        "%T of " + WallTime.minute(unixSeconds: sealed) + (age < 0 ? ", \(-age) s ahead" : ", \(age) s old"))
    }
    return notes.isEmpty ? "" : "  [" + notes.joined(separator: "; ") + "]"
  }

  /// Returns up to four runs of exactly 32 hexadecimal digits.
  static func candidates(_ payload: [UInt8]) -> [String] {
    var found: [String] = []
    var start = 0
    for place in 0...payload.count {
      let isDigit = place < payload.count && Hex.decode([0x30, payload[place]]) != nil
      if isDigit { continue }
      if place - start == 32, found.count < 4 { found.append(String(decoding: payload[start..<place], as: UTF8.self)) }
      start = place + 1
    }
    return found
  }
}

/// Keeps the last JSON object of each topic, and lists the members that changed.
struct PayloadDifference {
  private var last: [String: [String: String]] = [:]

  /// Returns the changed members as `a.b: 1 → 2`; `nil` if the payload is not a JSON object, or is the topic's first
  /// object.
  mutating func changes(_ message: LinkMessage) -> String? {
    guard let json = JSON(decoding: message.payload, roundsFractions: true), case .object = json else { return nil }
    var members: [String: String] = [:]
    Self.flatten(json, "", into: &members)
    let before = last[message.topic]
    if before != nil || last.count < Limits.comparedTopicsMax { last[message.topic] = members }
    guard let before else { return nil }
    var changes: [String] = []
    for name in members.keys.sorted() where before[name] != members[name] {
      changes.append("\(name): \(before[name] ?? "(nothing)") → \(members[name] ?? "")")
    }
    for name in before.keys.sorted() where members[name] == nil { changes.append("\(name): gone") }
    return changes.isEmpty ? "(no change)" : changes.joined(separator: ", ")
  }

  private static func flatten(_ json: JSON, _ path: String, into members: inout [String: String]) {
    guard case .object(let list) = json else {
      members[path] = String(decoding: json.encoded(), as: UTF8.self)
      return
    }
    for member in list { flatten(member.value, path.isEmpty ? member.name : path + "." + member.name, into: &members) }
  }
}
