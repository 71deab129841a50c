// The device file that a connection string names. libnfc neither locks it nor reports why it could not open it, so both
// are done here, on a descriptor of our own that stays open as long as the device is ours.

import CPlatform
import TappetCore
import TappetPlatform

/// The device file, open and locked.
///
/// Only one process that respects this lock can have it.
final class DeviceNode {
  /// The file's path.
  let path: String
  private let file: FileDescriptor

  /// libnfc's mark in `c_iflag` for a port in use (`CCLAIMED` in its buses/uart.c).
  private static let claimed: tcflag_t = 0x8000_0000

  /// The path in `driver:path[:more]`, `nil` for devices that are named otherwise (USB).
  static func path(in connstring: String) -> String? {
    let parts = connstring.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[1].first == UInt8(ascii: "/") else { return nil }
    return String(Substring(parts[1]))
  }

  /// Opens and locks the file.
  init(path: String) throws(DeviceError) {
    do throws(SystemError) {
      // Read and write, because libnfc will want both; without O_NONBLOCK a port without carrier would block here.
      file = try .open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    } catch { throw DeviceError(fault: Self.fault(error.code), code: -error.code) }
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
      throw DeviceError(fault: .busy, code: -EWOULDBLOCK)
    }
    self.path = path
  }

  /// Clears libnfc's mark, which a killed process leaves on a real port for good.
  ///
  /// We have the lock, so the mark belongs to nobody who respects it.
  func clearStaleClaim() {
    var settings = termios()
    guard tcgetattr(file.number, &settings) == 0, settings.c_iflag & Self.claimed != 0 else { return }
    settings.c_iflag &= ~Self.claimed
    tcsetattr(file.number, TCSANOW, &settings)
  }

  /// Whether the file still exists: it disappears with an adapter that is unplugged.
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
