// Log lines: a priority, a sentence, and its facts as key=value. To the journal with its prefix, to a terminal with the time.

import CPlatform
import TappetCore
import TappetDevices

/// How urgent a line is: syslog's numbers.
public enum Priority: UInt8, Sendable {
  case error = 3
  case warning = 4
  case notice = 5
  case info = 6
  case debug = 7
}

/// One fact of a line.
public typealias Field = (key: String, value: String)

/// Writes log lines to standard error.
///
/// It never waits: when nobody reads them, lines are lost and counted.
public struct Journal {
  private let hasPriorities: Bool
  private var lost = 0

  /// Lines carry their priority unless a person reads them directly.
  public init() { hasPriorities = isatty(2) == 0 }

  /// Writes one line.
  public mutating func write(_ priority: Priority, _ sentence: String, _ fields: [Field] = []) {
    var line = hasPriorities ? "<\(priority.rawValue)>" : Self.timeOfDay() + " "
    line += sentence
    for field in fields { line += " \(field.key)=\(Self.quoted(field.value))" }
    if lost > 0 { line += " lost_lines=\(lost)" }
    lost = Self.put(line) ? 0 : lost + 1
  }

  private static func put(_ line: String) -> Bool {
    var entry = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return false }
    // A pipe that is ready takes PIPE_BUF bytes at once.
    let bytes = Array(line.utf8.prefix(Int(PIPE_BUF) - 1)) + [UInt8(ascii: "\n")]
    return bytes.withUnsafeBytes { CPlatform.write(2, $0.baseAddress, $0.count) } == bytes.count
  }

  /// As it stands, or in quotes with escapes where it has spaces, quotes or control characters.
  private static func quoted(_ value: String) -> String {
    let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x3D && $0 != 0x7F }
    if isPlain { return value }
    var text: [UInt8] = [0x22]
    for byte in value.utf8 {
      switch byte {
      case 0x22, 0x5C: text += [0x5C, byte]
      case 0x00..<0x20, 0x7F: text += Array("\\x".utf8) + Array(Hex.encode([byte]).utf8)
      default: text.append(byte)
      }
    }
    text.append(0x22)
    return String(decoding: text, as: UTF8.self)
  }

  private static func timeOfDay() -> String {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }
}
