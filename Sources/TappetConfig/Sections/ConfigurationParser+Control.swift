// Finds the running kiosk's socket even in a configuration with errors: a lost tag must be revocable while the file is
// being edited.

import TappetCore
import TappetPlatform

extension ConfigurationParser {
  /// Returns the control socket's path; `nil` if the file cannot be read at all.
  @export(interface)
  package static func controlSocket(path: String) -> String? {
    guard case .success(let file) = text(path: path) else { return nil }
    func value(_ key: String) -> String? { self.path(key, in: file.bytes, folder: folder(of: path)) }
    return value("control") ?? KioskConfiguration.controlSocket(in: value("state") ?? KioskConfiguration.usualState)
  }

  /// Returns the path of the state folder, even if the configuration at `path` contains errors or cannot be read.
  package static func stateFolder(path: String) -> String {
    guard case .success(let file) = text(path: path) else { return KioskConfiguration.usualState }
    return self.path("state", in: file.bytes, folder: folder(of: path)) ?? KioskConfiguration.usualState
  }

  /// Returns the path that a top-level key specifies; if the text is not valid YAML, reads only the key's line.
  private static func path(_ key: String, in bytes: [UInt8], folder: String) -> String? {
    if let root = try? YAMLDocument.parse(bytes) { return path(key, in: root, folder: folder) }
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      let line = Array(bytes[start..<end])
      if String(decoding: line, as: UTF8.self).begins(with: key + ":"), let root = try? YAMLDocument.parse(line) {
        return path(key, in: root, folder: folder)
      }
      start = end + 1
    }
    return nil
  }

  private static func path(_ key: String, in root: YAMLNode, folder: String) -> String? {
    var reader = YAMLReader(file: "", folder: folder, files: .ignored)
    return reader.path(reader.mapping(root, keys: [key])?[key])
  }
}
