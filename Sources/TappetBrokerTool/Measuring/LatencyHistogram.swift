// Latencies in buckets as in HdrHistogram: 32 buckets per doubling, so that a percentile is at most 3 % too large.

import TappetCommandLine

/// A histogram of times in microseconds, with constant memory.
struct LatencyHistogram {
  private static let perDoubling = 32
  /// Number of values in each bucket, for times of up to 2^31 µs, about 36 minutes.
  private var counts = [UInt64](repeating: 0, count: 27 * LatencyHistogram.perDoubling + 32)
  private(set) var count: UInt64 = 0
  private(set) var largest: Int64 = 0
  private(set) var smallest = Int64.max

  mutating func add(_ microseconds: Int64) {
    let value = max(0, microseconds)
    counts[min(Self.index(value), counts.count - 1)] += 1
    count += 1
    largest = max(largest, value)
    smallest = min(smallest, value)
  }

  /// Returns a percentile of the times; `thousandths` is 990 for p99.
  func percentile(thousandths: UInt64) -> Int64 {
    let wanted = max(1, (count * thousandths + 999) / 1000)
    var seen: UInt64 = 0
    for (index, number) in counts.enumerated() {
      seen += number
      if seen >= wanted { return min(Self.upper(index), largest) }
    }
    return largest
  }

  /// The upper bound and the number of values of each doubling, from the smallest to the largest non-empty doubling.
  var doublings: [(upper: Int64, count: UInt64)] {
    var groups: [(upper: Int64, count: UInt64)] = []
    for (index, number) in counts.enumerated() {
      let upper = Self.bound(Self.upper(index))
      if groups.last?.upper == upper {
        groups[groups.count - 1].count += number
      } else {
        groups.append((upper, number))
      }
    }
    guard let first = groups.firstIndex(where: { $0.count > 0 }), let last = groups.lastIndex(where: { $0.count > 0 })
    else { return [] }
    return Array(groups[first...last])
  }

  private static func bound(_ value: Int64) -> Int64 {
    var bound: Int64 = 32
    while bound <= value { bound *= 2 }
    return bound
  }

  /// Returns a value's bucket: one per value below 32; above, selected by the five bits after the leading bit.
  private static func index(_ value: Int64) -> Int {
    guard value >= 32 else { return Int(value) }
    let exponent = 63 - value.leadingZeroBitCount
    return 32 + (exponent - 5) * perDoubling + Int(value >> Int64(exponent - 5)) - 32
  }

  private static func upper(_ index: Int) -> Int64 {
    guard index >= 32 else { return Int64(index) }
    let (step, place) = ((index - 32) / perDoubling, (index - 32) % perDoubling)
    return (Int64(place + 33) << Int64(step)) - 1
  }
}
