// Names of the files in a folder.

import CPlatform
import TappetBase

package enum FolderNames {
  /// Returns the sorted names, by default only those that do not start with a full stop; an empty array if the folder
  /// cannot be read.
  @export(interface)
  package static func sorted(in folder: String, withHidden: Bool = false) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in Array(bytes.prefix { $0 != 0 }) }
      if withHidden || bytes.first != UInt8(ascii: ".") { names.append(String(decoding: bytes, as: UTF8.self)) }
    }
    return names.inOrder { $0 < $1 }
  }
}
