// What every fuzz target shares: how a broken promise ends the run, and how a fuzzer's bytes become values.

import CPlatform

/// Ends the run when `isKept` is false: libFuzzer sees the abort and keeps the input.
func promise(_ isKept: Bool, _ words: @autoclosure () -> String, line: UInt = #line) {
  if isKept { return }
  fputs("\nBROKEN PROMISE (line \(line)): \(words())\n", tp_stderr())
  abort()
}

/// The fuzzer's input as a value of Swift's.
func input(_ data: UnsafePointer<UInt8>?, _ size: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: data, count: size))
}

/// Values out of the fuzzer's bytes, so that it can shape them; zeros when the bytes are used up.
struct Choices {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Nothing is left to choose from.
  var isUsedUp: Bool { offset >= bytes.count }

  mutating func byte() -> UInt8 {
    guard offset < bytes.count else { return 0 }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func bit() -> Bool { byte() & 1 != 0 }

  /// 0 to `bound` - 1.
  mutating func below(_ bound: Int) -> Int {
    let value = UInt32(byte()) << 8 | UInt32(byte())
    return bound > 0 ? Int(value) % bound : 0
  }

  /// So many bytes; fewer when there are no more.
  mutating func take(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, offset + max(0, count))
    defer { offset = end }
    return Array(bytes[offset..<end])
  }

  /// At most 255 bytes, how many is chosen too.
  mutating func some() -> [UInt8] { take(Int(byte())) }

  mutating func word() -> UInt64 { (0..<8).reduce(0) { value, _ in value << 8 | UInt64(byte()) } }

  /// Small numbers and huge ones, both often; never negative.
  mutating func number() -> Int64 {
    let width = UInt64(byte() & 63)
    return Int64(truncatingIfNeeded: word() >> max(1, width))
  }

  /// Text; what is no UTF-8 is replaced.
  mutating func text() -> String { String(decoding: some(), as: UTF8.self) }
}
