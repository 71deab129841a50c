// Small files, read whole and bounded.

import CPlatform
import TappetCore

/// A file's content and its mode.
struct TextFile {
  /// As it stands in the file.
  var bytes: [UInt8]
  /// Permission bits.
  var mode: UInt32

  /// Without the line's end, and what follows it.
  var firstLine: ArraySlice<UInt8> {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  /// EFBIG when it has more than `sizeMax` bytes, `notAFile` for a pipe or a device, which could keep us waiting.
  static func read(_ path: String, sizeMax: Int) -> Result<TextFile, SystemError> {
    do throws(SystemError) {
      let fd = try checked("open") { tp_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) }
      defer { close(fd) }
      var status = stat()
      try checked("fstat") { fstat(fd, &status) }
      guard status.st_mode & UInt32(S_IFMT) == UInt32(S_IFREG) else { throw .notAFile }
      var bytes: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 4096)
      // The file may hold a key.
      defer { LibCrypto.wipe(&block) }
      while true {
        let count = try checked("read") {
          block.withUnsafeMutableBytes { CPlatform.read(fd, $0.baseAddress, $0.count) }
        }
        if count == 0 { break }
        bytes += block.prefix(count)
        guard bytes.count <= sizeMax else { throw SystemError(call: "read", code: EFBIG) }
      }
      return .success(TextFile(bytes: bytes, mode: status.st_mode & 0o777))
    } catch { return .failure(error) }
  }
}
