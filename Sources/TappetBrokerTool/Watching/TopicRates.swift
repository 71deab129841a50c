// Messages and bytes per topic over the last second, minute and hour, with bounded memory. Reads no clock.

import TappetCommandLine
import TappetCore

/// Counts per topic.
struct TopicRates {
  /// Messages and bytes of one topic over three windows.
  struct Row {
    var topic: String
    var second = Count()
    var minute = Count()
    var hour = Count()
  }

  struct Count {
    var messages: UInt64 = 0
    var bytes: UInt64 = 0

    mutating func add(_ other: Count) {
      messages += other.messages
      bytes += other.bytes
    }
  }

  /// A ring of slots, each of one second, 10 seconds or 10 minutes.
  private struct Ring {
    var slots: [Count]
    var newest: Int64 = 0

    mutating func add(_ count: Count, slot: Int64) {
      advance(to: slot)
      slots[Int(slot % Int64(slots.count))].add(count)
    }

    mutating func advance(to slot: Int64) {
      let steps = min(Int64(slots.count), max(0, slot - newest))
      for step in 0..<steps { slots[Int((slot - step) % Int64(slots.count))] = Count() }
      newest = max(newest, slot)
    }

    var sum: Count { slots.reduce(into: Count()) { $0.add($1) } }
  }

  private struct Entry {
    // The last complete second is shown, because the current second is not over.
    var seconds = Ring(slots: [Count(), Count()])
    var minute = Ring(slots: [Count](repeating: Count(), count: 6))
    var hour = Ring(slots: [Count](repeating: Count(), count: 6))
  }

  private var entries: [String: Entry] = [:]
  private var namesSize = 0
  /// Number of messages on topics beyond the limit.
  private(set) var uncounted: UInt64 = 0

  /// Number of topics.
  var count: Int { entries.count }

  mutating func add(_ topic: String, bytes: Int, atSecond second: Int64) {
    if entries[topic] == nil {
      guard entries.count < Limits.ratedTopicsMax, namesSize + topic.utf8.count <= Limits.ratedNamesSizeMax else {
        return uncounted += 1
      }
      namesSize += topic.utf8.count
    }
    let count = Count(messages: 1, bytes: UInt64(bytes))
    entries[topic, default: Entry()].seconds.add(count, slot: second)
    entries[topic]?.minute.add(count, slot: second / 10)
    entries[topic]?.hour.add(count, slot: second / 600)
  }

  /// Returns the `number` busiest topics, sorted by traffic in the last minute, then in the last hour.
  mutating func top(_ number: Int, byBytes: Bool, atSecond second: Int64) -> [Row] {
    var rows: [Row] = []
    for topic in entries.keys {
      entries[topic]?.seconds.advance(to: second)
      entries[topic]?.minute.advance(to: second / 10)
      entries[topic]?.hour.advance(to: second / 600)
      guard let entry = entries[topic] else { continue }
      let last = entry.seconds.slots[Int((second + 1) % 2)]
      rows.append(Row(topic: topic, second: last, minute: entry.minute.sum, hour: entry.hour.sum))
    }
    func key(_ row: Row) -> (UInt64, UInt64) {
      byBytes ? (row.minute.bytes, row.hour.bytes) : (row.minute.messages, row.hour.messages)
    }
    rows.sort { key($0) != key($1) ? key($0) > key($1) : $0.topic < $1.topic }
    return Array(rows.prefix(number))
  }
}
