// Finds a board's profile by the name of an installed profile, by path, or by the board's model.

import CPlatform
import TappetCore
import TappetPlatform

/// The reason why a profile cannot be loaded.
package indirect enum BoardProfileError: Error, Hashable, Sendable {
  /// There is no profile with this name; `nearest` is the most similar of the known names.
  case unknown(String, nearest: String?, known: [String])
  /// The file has one or more errors.
  case refused([ConfigurationProblem])
}

extension BoardProfile {
  /// Reads the profile `name`: an installed profile or, if `name` contains a slash, the file at this path.
  @export(interface)
  package static func load(name: String) throws(BoardProfileError) -> BoardProfile {
    if name.utf8.contains(UInt8(ascii: "/")) { return try load(path: name, name: name) }
    let folder = folder()
    let path = "\(folder)/\(name).yaml"
    guard access(path, F_OK) == 0 else {
      let known = known(in: folder)
      throw .unknown(name, nearest: Spelling.nearest(to: name, among: known), known: known)
    }
    return try load(path: path, name: name)
  }

  /// Returns the name of the profile for a board with this model in its device tree; `nil` if there is none.
  package static func matching(model: String) -> String? {
    for name in known() {
      guard let profile = try? load(name: name) else { continue }
      if profile.models.contains(where: { model.begins(with: $0) }) { return name }
    }
    return nil
  }

  /// Returns the model in this machine's device tree; `nil` if there is no device tree, as on a PC.
  package static func modelOfThisMachine() -> String? {
    guard case .success(let file) = TextFile.read("/proc/device-tree/model", sizeMax: 256) else { return nil }
    let text = String(decoding: file.bytes.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }

  /// Returns the names that `load` accepts, sorted.
  package static func known() -> [String] { known(in: folder()) }

  private static func load(path: String, name: String) throws(BoardProfileError) -> BoardProfile {
    switch TextFile.read(path, sizeMax: Limits.profileSizeMax) {
    case .failure(let error):
      let start = TextPosition(line: 1, column: 1)
      throw .refused([ConfigurationProblem(file: path, position: start, place: "", kind: .cannotRead(error))])
    case .success(let file): return try parse(file.bytes, file: path, name: name)
    }
  }

  private static func known(in folder: String) -> [String] { DataFolder.names(in: folder) }

  private static func folder() -> String { DataFolder.path("profiles", variable: "TAPPET_PROFILES") }
}
