// A record of every light and every output level, for tests and for debugging light patterns.

import CPlatform
import TappetCore
import TappetPlatform

/// Appends lines with monotonic timestamps to a file: `NANOSECONDS LIGHT`, and `NANOSECONDS OUTPUT=0|1` for each change
/// of level.
package final class LightTrace {
  private let file: FileDescriptor

  /// Opens the file, or creates it if it does not exist.
  package init(path: String) throws(SystemError) {
    file = try .open(path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o644)
  }

  /// Records one light.
  package func record(_ light: Light, at now: Instant) { write("\(now.nanoseconds) \(light.name)\n") }

  /// Records the new level of an output.
  package func record(_ output: String, isOn: Bool, at now: Instant) {
    write("\(now.nanoseconds) \(output)=\(isOn ? "1" : "0")\n")
  }

  private func write(_ line: String) { try? file.write(Array(line.utf8)) }
}
