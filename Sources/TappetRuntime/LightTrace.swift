// A record of every light that was shown, for tests and for people who look for a flaw in the rhythm.

import CPlatform
import TappetCore
import TappetDevices

/// Appends `NANOSECONDS NAME` lines to a file, by the monotonic clock.
public final class LightTrace {
  private let fileDescriptor: Int32

  /// Opens the file, made if it is not there.
  public init(path: String) throws(SystemError) {
    fileDescriptor = try checked("open") { tp_open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644) }
  }

  deinit { close(fileDescriptor) }

  /// Records one light.
  public func record(_ light: Light, at now: Instant) {
    let line = Array("\(now.nanoseconds) \(light.name)\n".utf8)
    _ = line.withUnsafeBytes { CPlatform.write(fileDescriptor, $0.baseAddress, $0.count) }
  }
}
