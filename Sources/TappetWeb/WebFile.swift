// Small files, read as a whole. TextFile also wipes what it has read, for which this process would need libcrypto.

import CPlatform
import TappetPlatform

/// A file's content, and what other users may do with it.
struct WebFile {
  var bytes: [UInt8]
  /// Whether other users can read or change the file.
  var isOpenToOthers: Bool { mode & 0o077 != 0 || isForeign }
  /// Whether they can do so to a file of systemd's, which may be readable to its group for the sake of an access list.
  var isOpenCredential: Bool { mode & 0o037 != 0 || isForeign }
  private let mode: mode_t
  private let isForeign: Bool

  /// Reads a file; fails with EFBIG if the file is larger than `sizeMax` bytes, and with ESPIPE for a pipe or a device,
  /// for which it does not wait.
  init(_ path: String, sizeMax: Int) throws(SystemError) {
    let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
    let status = try file.status()
    guard tp_is_regular_file(status.st_mode) != 0 else { throw SystemError(call: "read", code: ESPIPE) }
    (mode, isForeign) = (status.st_mode, WebFile.isForeign(status))
    bytes = []
    while bytes.count <= sizeMax {
      let part = try file.read(sizeMax: 4096)
      if part.isEmpty { return }
      bytes += part
    }
    throw SystemError(call: "read", code: EFBIG)
  }

  /// Whether users other than the owner can replace the files in the folder.
  static func isFolderOpen(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && (status.st_mode & 0o022 != 0 || isForeign(status))
  }

  /// Whether a file belongs to neither root nor this user.
  private static func isForeign(_ status: stat) -> Bool { status.st_uid != 0 && status.st_uid != geteuid() }
}
