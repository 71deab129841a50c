/// A timing model of the serial line, the air interface and the chip. It is not based on measurements of real chips,
/// but its totals are close to known values (a select 8 ms, a READ 6.6 ms, no tag 16 ms at three attempts).

/// The transmission times.
///
/// When pacing is off, bytes take no time, but waiting for a tag that does not respond takes as long as usual.
package struct Pacing {
  /// Whether transmission takes time.
  package var isOn: Bool
  /// Baud rate of the serial line.
  var baudRate: Int64 = 115_200
  /// Duration of one unsuccessful attempt to find a tag, in nanoseconds; depends on chip and antenna.
  package var emptyAttempt: Int64 = 4_250_000

  /// Creates a model with realistic transmission times, or without any.
  package init(isOn: Bool) { self.isOn = isOn }

  /// Processing time of the chip's firmware from a command to the first bit on the air, and back, in nanoseconds.
  private static let firmware: Int64 = 750_000
  /// Duration of a bit at 106 kbit/s, in nanoseconds (ISO/IEC 14443-2: 128 / 13.56 MHz).
  private static let airBit: Int64 = 9_440
  /// Delay before a tag's response, in nanoseconds (ISO/IEC 14443-3 §6.2.1: 1172 / 13.56 MHz and more).
  private static let frameDelay: Int64 = 91_000
  /// Nanoseconds for switching the field off and on, plus the guard time before a request (ISO/IEC 14443-3 §5.2: 5 ms).
  static let fieldReset: Int64 = 5_100_000
  /// Time to write a page of EEPROM, in nanoseconds.
  static let pageWrite: Int64 = 4_100_000

  /// Transmission time of `count` bytes on the serial line, in nanoseconds, with start and stop bits.
  func line(_ count: Int) -> Int64 {
    isOn && baudRate > 0 ? Int64(count) * 10 * 1_000_000_000 / baudRate : 0
  }
  /// Processing time of the chip in nanoseconds.
  var chip: Int64 { isOn ? Self.firmware : 0 }
  /// Transmission time of `count` bytes with parity on the air, plus the other side's response delay, in nanoseconds.
  func air(_ count: Int) -> Int64 {
    isOn ? (Int64(count) * 9 + 2) * Self.airBit + Self.frameDelay : 0
  }
  /// Returns the processing time of a tag in nanoseconds.
  func tag(_ nanoseconds: Int64) -> Int64 { isOn ? nanoseconds : 0 }
}
