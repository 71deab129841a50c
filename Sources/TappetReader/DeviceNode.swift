// The device file that a connection string names. libnfc neither locks it nor says why it could not open it, so both are done
// here, on a descriptor of our own that stays open as long as the device is ours.

import CPlatform
import TappetCore

/// The device file, held and locked.
///
/// Only one process that goes by this lock can have it.
final class DeviceNode {
  /// Where it is.
  let path: String
  private let descriptor: Int32

  /// libnfc's mark in `c_iflag` for a port in use (`CCLAIMED` in its buses/uart.c).
  private static let claimed: tcflag_t = 0x8000_0000

  /// The path in `driver:path[:more]`, nil for devices that are named otherwise (USB).
  static func path(in connstring: String) -> String? {
    let parts = connstring.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[1].first == UInt8(ascii: "/") else { return nil }
    return String(Substring(parts[1]))
  }

  /// Opens and locks the file; throws why it cannot be had.
  init(path: String) throws(DeviceTrouble) {
    // Read and write, because libnfc will want both; without O_NONBLOCK a port without carrier would block here.
    let descriptor = tp_open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0)
    guard descriptor >= 0 else {
      let code = tp_errno()
      throw DeviceTrouble(fault: Self.fault(code), code: -code)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw DeviceTrouble(fault: .busy, code: -EWOULDBLOCK)
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Clears libnfc's mark, which a killed process leaves behind on a real port for ever.
  ///
  /// Ours is the lock, so the mark is nobody's who goes by it.
  func clearStaleClaim() {
    var settings = termios()
    guard tcgetattr(descriptor, &settings) == 0, settings.c_iflag & Self.claimed != 0 else { return }
    settings.c_iflag &= ~Self.claimed
    tcsetattr(descriptor, TCSANOW, &settings)
  }

  /// Whether the file is still there: an adapter that is unplugged takes its file along.
  var exists: Bool { access(path, F_OK) == 0 }

  private static func fault(_ code: Int32) -> ReaderFault {
    switch code {
    case EACCES, EPERM, EROFS: .permissionDenied
    case EBUSY: .busy
    case EIO: .ioError
    default: .notFound
    }
  }
}
