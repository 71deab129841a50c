// Small files, read as a whole. TextFile also wipes what it has read, for which this process would need libcrypto.

import CPlatform
import TappetPlatform

enum WebFile {
  /// Reads a file; fails with EFBIG if the file is larger than `sizeMax` bytes.
  static func read(_ path: String, sizeMax: Int) throws(SystemError) -> [UInt8] {
    let file = try FileDescriptor.open(path, O_RDONLY)
    var bytes: [UInt8] = []
    while bytes.count <= sizeMax {
      let part = try file.read(sizeMax: 4096)
      if part.isEmpty { return bytes }
      bytes += part
    }
    throw SystemError(call: "read", code: EFBIG)
  }
}
