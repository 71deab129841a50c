// Log lines: a priority, a sentence and its facts as key=value; with a priority prefix for the journal, with the time
// on a terminal.

import CPlatform
import TappetCore
import TappetMessages
import TappetPlatform

/// Writes log lines to standard error.
///
/// It never waits: while nobody reads, lines are lost and counted.
package struct Journal {
  private let hasPriorities: Bool
  private var lost = 0

  /// Lines carry their priority unless standard error is a terminal.
  package init() { hasPriorities = isatty(2) == 0 }

  /// Writes one log line.
  package mutating func write(_ priority: Priority, _ sentence: String, _ fields: [Field] = []) {
    var line =
      hasPriorities ? "<\(priority.rawValue)>" : WallTime.timeOfDay(unixMilliseconds: Int64(time(nil)) * 1000) + " "
    line += sentence.escaped
    for field in fields { line += " \(field.key)=\(Self.value(field.value))" }
    if lost > 0 { line += " lost_lines=\(lost)" }
    lost = Self.put(line) ? 0 : lost + 1
  }

  private static func put(_ line: String) -> Bool {
    guard Poll.wait(STDERR_FILENO, for: .writable, limit: .zero).contains(.writable) else { return false }
    // A pipe that is ready accepts PIPE_BUF bytes at once.
    let bytes = Array(line.utf8.prefix(Int(PIPE_BUF) - 1)) + [UInt8(ascii: "\n")]
    return bytes.withUnsafeBytes { CPlatform.write(2, $0.baseAddress, $0.count) } == bytes.count
  }

  /// The value unchanged, or in quotes with escapes when it is empty or has spaces, quotes or control characters.
  private static func value(_ value: String) -> String {
    let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x3D && $0 != 0x7F }
    return isPlain && value.isPrintable ? value : value.quoted
  }
}
