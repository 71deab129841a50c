// The device file that a connection string refers to. libnfc neither locks the file nor reports why opening it failed,
// so both are done here, on a separate descriptor that stays open as long as the device is in use.

import CPlatform
import TappetTag
import TappetPlatform

/// The device file, open and locked.
///
/// Only one process that respects this lock can use it.
final class DeviceNode {
  /// The file's path.
  let path: String
  private let file: FileDescriptor

  /// libnfc's flag in `c_iflag` for a port in use (`CCLAIMED` in its buses/uart.c).
  private static let claimed: tcflag_t = 0x8000_0000

  /// Returns the path in `driver:path[:more]`; `nil` for devices that are not identified by a path (USB).
  static func path(in connstring: String) -> String? {
    let parts = connstring.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[1].first == UInt8(ascii: "/") else { return nil }
    return String(Substring(parts[1]))
  }

  /// Opens and locks the file.
  init(path: String) throws(DeviceError) {
    do throws(SystemError) {
      // Read and write, because libnfc needs both; without O_NONBLOCK, opening a port without carrier would block.
      file = try .open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    } catch { throw DeviceError(fault: Self.fault(error.code), code: -error.code) }
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
      throw DeviceError(fault: .busy, code: -EWOULDBLOCK)
    }
    self.path = path
  }

  /// Clears libnfc's in-use flag, which a killed process leaves set on a real port.
  ///
  /// This is safe because we hold the lock: no other process that respects the lock can be using the port.
  func clearStaleClaim() {
    var settings = termios()
    guard tcgetattr(file.number, &settings) == 0, settings.c_iflag & Self.claimed != 0 else { return }
    settings.c_iflag &= ~Self.claimed
    tcsetattr(file.number, TCSANOW, &settings)
  }

  /// Whether the file still exists: it disappears when an adapter is unplugged.
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
