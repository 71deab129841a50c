// The names in a folder.

import CPlatform
import TappetCore

package enum FolderNames {
  /// The names that do not begin with a full stop, sorted; none if the folder cannot be read.
  @export(interface)
  package static func sorted(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in Array(bytes.prefix { $0 != 0 }) }
      if bytes.first != UInt8(ascii: ".") { names.append(String(decoding: bytes, as: UTF8.self)) }
    }
    return names.inOrder { $0 < $1 }
  }
}
