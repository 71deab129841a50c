// Small files, read as a whole with a size limit.

import CPlatform
import TappetBase

/// A file's content and its mode.
package struct TextFile {
  /// The whole content.
  package var bytes: [UInt8]
  /// The permission bits of the file.
  package var mode: UInt32

  /// The first line, as `FirstLine` reads it; to be wiped by the caller if it is a secret.
  @export(interface)
  package func firstLine() throws(TextFault) -> [UInt8] { try FirstLine.parse(bytes) }

  /// Reads a file; fails with EFBIG if the file is larger than `sizeMax` bytes, and with `notAFile` for a pipe or a
  /// device, which could block.
  @export(interface)
  package static func read(_ path: String, sizeMax: Int) -> Result<TextFile, SystemError> {
    do throws(SystemError) {
      // To open a device is enough to act on it, such as a watchdog: the file is opened only once its type is known,
      // and not by its path, where another file may be by then.
      let place = try FileDescriptor.make("openat") { tp_open_place(AT_FDCWD, path, 0) }
      defer { withExtendedLifetime(place) {} }
      let mode = try place.status().st_mode
      guard tp_is_regular_file(mode) != 0 else { throw .notAFile }
      let file = try FileDescriptor.open("/proc/self/fd/\(place.number)", O_RDONLY)
      var bytes: [UInt8] = []
      while true {
        var block = try file.read(sizeMax: 4096)
        // The file may contain a key.
        defer { LibCrypto.wipe(&block) }
        if block.isEmpty { return .success(TextFile(bytes: bytes, mode: mode & 0o777)) }
        bytes += block
        guard bytes.count <= sizeMax else { throw SystemError(call: "read", code: EFBIG) }
      }
    } catch { return .failure(error) }
  }
}
