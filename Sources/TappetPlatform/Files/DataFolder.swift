// Lookup of the data files that are installed with the programs: board profiles and broker presets.

import CPlatform
import TappetBase

/// The folder of the installed data files.
package enum DataFolder {
  /// Returns the folder specified by the environment variable; otherwise, the folder that `make install` creates for
  /// the running program or for libtappet; otherwise, the folder used by packages.
  @export(interface)
  package static func path(_ name: String, variable: String) -> String {
    if let path = secure_getenv(variable) { return String(cString: path) }
    var candidates: [String] = []
    // A program is in bin/ or in libexec/tappet/, libtappet in lib/ or in lib/TRIPLE/.
    for folder in [InstalledPrograms.folderOfThisProgram(), InstalledPrograms.folderOfThisCode()] {
      if let folder { candidates += ["..", "../.."].map { "\(folder)/\($0)/share/tappet/\(name)" } }
    }
    candidates += ["/usr/local/share/tappet/" + name, "/usr/share/tappet/" + name]
    return candidates.first { access($0, X_OK) == 0 } ?? "/usr/share/tappet/" + name
  }

  /// Returns the sorted names of the folder's YAML files, without their extension.
  @export(interface)
  package static func names(in folder: String) -> [String] {
    FolderNames.sorted(in: folder).filter { $0.utf8.suffix(5).elementsEqual(".yaml".utf8) }
      .map { String(decoding: $0.utf8.dropLast(5), as: UTF8.self) }.inOrder { $0 < $1 }
  }
}
