// A record of every light that was shown and of every output's level, for tests and for people who look for a flaw in the rhythm.

import CPlatform
import TappetCore
import TappetDevices

/// Appends lines to a file, by the monotonic clock: `NANOSECONDS LIGHT`, and `NANOSECONDS OUTPUT=0|1` for each change of level.
public final class LightTrace {
  private let fileDescriptor: Int32

  /// Opens the file, made if it is not there.
  public init(path: String) throws(SystemError) {
    fileDescriptor = try checked("open") { tp_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644) }
  }

  deinit { close(fileDescriptor) }

  /// Records one light.
  public func record(_ light: Light, at now: Instant) { write("\(now.nanoseconds) \(light.name)\n") }

  /// Records one output's new level.
  public func record(_ output: String, isOn: Bool, at now: Instant) {
    write("\(now.nanoseconds) \(output)=\(isOn ? "1" : "0")\n")
  }

  private func write(_ line: String) {
    let bytes = Array(line.utf8)
    _ = bytes.withUnsafeBytes { CPlatform.write(fileDescriptor, $0.baseAddress, $0.count) }
  }
}
