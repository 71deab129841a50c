// Files with keys in them: made anew, for their owner alone, whole or not at all.

import CPlatform
import TappetCore
import TappetDevices

enum PrivateFile {
  /// EFBIG when it has more than `sizeMax` bytes.
  static func read(_ path: String, sizeMax: Int) -> Result<[UInt8], SystemError> {
    do throws(SystemError) {
      let file = try checked("open") { tp_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0) }
      defer { close(file) }
      var bytes = [UInt8](repeating: 0, count: sizeMax + 1)
      var size = 0
      while size < bytes.count {
        let count = try checked("read") {
          bytes.withUnsafeMutableBytes { CPlatform.read(file, $0.baseAddress?.advanced(by: size), $0.count - size) }
        }
        if count == 0 {
          bytes.removeLast(bytes.count - size)
          return .success(bytes)
        }
        size += count
      }
      throw SystemError(call: "read", code: EFBIG)
    } catch { return .failure(error) }
  }

  /// Whether others than its owner have rights to it; a pipe that a shell made is as private as the shell.
  static func isOpenToOthers(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, tp_is_regular_file(status.st_mode) != 0 else { return false }
    return status.st_mode & 0o077 != 0
  }

  /// EEXIST when there is one.
  static func make(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let file = try checked("open") { tp_open(path, flags, 0o600) }
    do throws(SystemError) {
      defer { close(file) }
      try checked("fchmod") { fchmod(file, 0o600) }
      var offset = 0
      while offset < bytes.count {
        offset += try checked("write") {
          bytes.withUnsafeBytes { write(file, $0.baseAddress?.advanced(by: offset), $0.count - offset) }
        }
      }
      try checked("fsync") { fsync(file) }
    } catch {
      unlink(path)
      throw error
    }
  }
}
