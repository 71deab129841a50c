// Log lines: a sentence, followed by fields as key=value. Each line starts with the priority if it is written to the
// journal, and otherwise with the time.

import CPlatform
import TappetCore
import TappetMessages
import TappetPlatform

/// Writes log lines to standard error.
///
/// Writing never blocks: while no process reads standard error, lines are dropped and counted.
package struct Journal {
  /// Prefix of a line.
  private enum Head {
    /// `<6>`, for the journal, which records the time itself.
    case priority
    /// Local time of day, for a terminal.
    case timeOfDay
    /// RFC 3339 time, for a file or another logger.
    case time
  }

  private let head: Head
  private var lost = 0

  /// Creates a journal with the line prefix that suits the destination of standard error.
  package init() { head = isatty(2) == 1 ? .timeOfDay : Self.isJournal ? .priority : .time }

  /// Whether standard error is the journal's own socket (systemd.exec(5)), and not redirected to another process.
  private static var isJournal: Bool {
    guard let stream = secure_getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard fstat(2, &status) == 0 else { return false }
    return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }

  /// Writes one log line.
  package mutating func write(_ priority: Priority, _ sentence: String, _ fields: [Field] = []) {
    var line = head(priority) + sentence.escaped
    for field in fields { line += " \(field.key)=\(Self.value(field.value))" }
    if lost > 0 { line += " lost_lines=\(lost)" }
    lost = Self.put(line) ? 0 : lost + 1
  }

  private func head(_ priority: Priority) -> String {
    let now = SystemClock().now().unixMilliseconds
    switch head {
    case .priority: return "<\(priority.rawValue)>"
    case .timeOfDay: return WallTime.timeOfDay(unixMilliseconds: now) + " "
    case .time: return (WallTime.utc(unixMilliseconds: now) ?? "") + " \(priority.name): "
    }
  }

  private static func put(_ line: String) -> Bool {
    guard Poll.wait(STDERR_FILENO, for: .writable, limit: .zero).contains(.writable) else { return false }
    // A writable pipe accepts PIPE_BUF bytes without blocking.
    let bytes = Array(line.utf8.prefix(Int(PIPE_BUF) - 1)) + [UInt8(ascii: "\n")]
    return bytes.withUnsafeBytes { CPlatform.write(2, $0.baseAddress, $0.count) } == bytes.count
  }

  /// Returns the value unchanged, or quoted and escaped if it is empty or contains spaces, quotes or control
  /// characters.
  private static func value(_ value: String) -> String {
    let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x3D && $0 != 0x7F }
    return isPlain && value.isPrintable ? value : value.quoted
  }
}
