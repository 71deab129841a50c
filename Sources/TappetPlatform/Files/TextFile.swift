// Small files, read as a whole with a size limit.

import CPlatform
import TappetCore

/// A file's content and its mode.
package struct TextFile {
  /// The whole content.
  package var bytes: [UInt8]
  /// The permission bits of the file.
  package var mode: UInt32

  /// The first line without its line ending, and without the byte order mark that some editors write before it.
  package var firstLine: ArraySlice<UInt8> {
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    let line = text.prefix { $0 != UInt8(ascii: "\n") }
    return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  /// Reads a file; fails with EFBIG if the file is larger than `sizeMax` bytes, and with `notAFile` for a pipe or a
  /// device, which could block.
  @export(interface)
  package static func read(_ path: String, sizeMax: Int) -> Result<TextFile, SystemError> {
    do throws(SystemError) {
      let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      let mode = try file.status().st_mode
      guard tp_is_regular_file(mode) != 0 else { throw .notAFile }
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
