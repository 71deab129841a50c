// Files that contain keys: readable only by their owner, and created completely or not at all.

import CPlatform
import TappetPlatform

package enum PrivateFile {
  /// Reads a file; fails with EFBIG if it is larger than `sizeMax` bytes.
  @export(interface)
  package static func read(_ path: String, sizeMax: Int) -> Result<[UInt8], SystemError> {
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

  /// Whether other users have access to the file; a shell's pipe counts as private.
  package static func isOpenToOthers(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, tp_is_regular_file(status.st_mode) != 0 else { return false }
    return status.st_mode & 0o077 != 0
  }

  /// Creates a file with the given content, accessible only to its owner.
  @export(interface)
  package static func create(_ path: String, _ bytes: [UInt8]) throws(CommandFailure) {
    do throws(SystemError) { try make(path, bytes) } catch {
      throw .failed(
        error.code == EEXIST
          ? "\(path) already exists; delete it, or specify another name" : "\(path) cannot be written: \(error.text)")
    }
  }

  /// Creates the file, and names it only once all data is on disk, so that killing the process leaves nothing behind;
  /// FAT file systems do not support unnamed files.
  private static func make(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    let file = tp_open_unnamed(AtomicFiles.folder(of: path))
    if file >= 0 {
      defer { close(file) }
      try fill(file, bytes)
      let unnamed = "/proc/self/fd/" + String(file)
      try checked("linkat") { linkat(AT_FDCWD, unnamed, AT_FDCWD, path, AT_SYMLINK_FOLLOW) }
      return
    }
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let named = try checked("open") { tp_open(path, flags, 0o600) }
    defer { close(named) }
    do throws(SystemError) { try fill(named, bytes) } catch {
      unlink(path)
      throw error
    }
  }

  private static func fill(_ file: Int32, _ bytes: [UInt8]) throws(SystemError) {
    try checked("fchmod") { fchmod(file, 0o600) }
    try write(bytes, to: file)
    try checked("fsync") { fsync(file) }
  }

  /// Writes all bytes.
  @export(interface)
  package static func write(_ bytes: [UInt8], to file: Int32) throws(SystemError) {
    var offset = 0
    while offset < bytes.count {
      offset += try checked("write") {
        bytes.withUnsafeBytes { CPlatform.write(file, $0.baseAddress?.advanced(by: offset), $0.count - offset) }
      }
    }
  }
}
