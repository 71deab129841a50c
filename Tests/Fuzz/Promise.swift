// Shared by all fuzz targets: a broken promise ends the run, and the fuzzer's bytes become values.

import CPlatform

/// Ends the run when `isKept` is false: libFuzzer sees the abort and keeps the input.
func promise(_ isKept: Bool, _ words: @autoclosure () -> String, line: UInt = #line) {
  if isKept { return }
  fputs("\nBROKEN PROMISE (line \(line)): \(words())\n", tp_stderr())
  abort()
}

/// The fuzzer's input as a Swift array.
func input(_ data: UnsafePointer<UInt8>?, _ size: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: data, count: size))
}

/// Makes values of the fuzzer's bytes, so that it can shape them; zeros when the bytes are used up.
struct Choices {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether no bytes are left.
  var isUsedUp: Bool { offset >= bytes.count }

  mutating func byte() -> UInt8 {
    guard offset < bytes.count else { return 0 }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func bit() -> Bool { byte() & 1 != 0 }

  /// A number from 0 to `bound` - 1.
  mutating func below(_ bound: Int) -> Int {
    let value = UInt32(byte()) << 8 | UInt32(byte())
    return bound > 0 ? Int(value) % bound : 0
  }

  /// The next `count` bytes, or as many as are left.
  mutating func take(_ count: Int) -> [UInt8] {
    let end = min(bytes.count, offset + max(0, count))
    defer { offset = end }
    return Array(bytes[offset..<end])
  }

  /// At most 255 bytes; their number is chosen too.
  mutating func some() -> [UInt8] { take(Int(byte())) }

  mutating func word() -> UInt64 { (0..<8).reduce(0) { value, _ in value << 8 | UInt64(byte()) } }

  /// A number that is often small and often huge, and never negative.
  mutating func number() -> Int64 {
    let width = UInt64(byte() & 63)
    return Int64(truncatingIfNeeded: word() >> max(1, width))
  }

  /// A text in which invalid UTF-8 is replaced.
  mutating func text() -> String { String(decoding: some(), as: UTF8.self) }
}

/// Whether it controls a terminal, ends a line, or turns the direction of text (Unicode: Cc, Zl, Zp, Bidi_Control).
func isControl(_ scalar: Unicode.Scalar) -> Bool {
  let properties = scalar.properties
  switch properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: return true
  default: return properties.isBidiControl
  }
}
