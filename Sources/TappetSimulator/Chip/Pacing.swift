/// How long things take: on the serial line, in the air, inside the chip. A model, not a measurement of real chips; its
/// sums come close to known values (a select 8 ms, a READ 6.6 ms, no tag 16 ms at three attempts).

/// Times of transmission.
///
/// Off, bytes take no time, but waiting for a tag that does not answer takes as long as ever.
package struct Pacing {
  /// Whether transmission takes time.
  package var isOn: Bool
  /// Of the serial line.
  var baudRate: Int64 = 115_200
  /// Nanoseconds of one try to find a tag where there is none: chips and antennas differ.
  package var emptyAttempt: Int64 = 4_250_000

  /// Times as on a real line, or none.
  package init(isOn: Bool) { self.isOn = isOn }

  /// The chip's firmware between a command and the first bit in the air, and back.
  private static let firmware: Int64 = 750_000
  /// A bit at 106 kbit/s (ISO/IEC 14443-2: 128 / 13.56 MHz).
  private static let airBit: Int64 = 9_440
  /// A tag's pause before it answers (ISO/IEC 14443-3 §6.2.1: 1172 / 13.56 MHz and more).
  private static let frameDelay: Int64 = 91_000
  /// The field off and on again, and the guard time until a tag may be asked (ISO/IEC 14443-3 §5.2: 5 ms).
  static let fieldReset: Int64 = 5_100_000
  /// Writing a page of EEPROM.
  static let pageWrite: Int64 = 4_100_000

  /// Nanoseconds for `count` bytes on the serial line: start, eight bits, stop.
  func line(_ count: Int) -> Int64 {
    isOn && baudRate > 0 ? Int64(count) * 10 * 1_000_000_000 / baudRate : 0
  }
  /// Nanoseconds in the chip.
  var chip: Int64 { isOn ? Self.firmware : 0 }
  /// Nanoseconds for `count` bytes in the air, each with its parity, and the other side's pause.
  func air(_ count: Int) -> Int64 {
    isOn ? (Int64(count) * 9 + 2) * Self.airBit + Self.frameDelay : 0
  }
  /// Nanoseconds that a tag works by itself.
  func tag(_ nanoseconds: Int64) -> Int64 { isOn ? nanoseconds : 0 }
}
