// Lookup of the helper programs that are installed with this program.

import CPlatform

/// The helper programs under libexec.
package enum InstalledPrograms {
  /// Returns the path of a program that is installed under libexec.
  ///
  /// Searches libexec in the installation of the running program (`make install`), then the folder of the running
  /// program (a build folder), then libexec in the installation of libtappet, then the folders of packages. If the
  /// program is not found, returns the last of these paths, so that starting it reports the missing file.
  @export(interface)
  package static func locate(_ name: String) -> String {
    var candidates = ["/usr/local/libexec/tappet/\(name)", "/usr/libexec/tappet/\(name)"]
    // libtappet may be in lib/ or in lib/TRIPLE/.
    if let folder = folderOfThisCode() {
      candidates = ["..", "../.."].map { "\(folder)/\($0)/libexec/tappet/\(name)" } + candidates
    }
    if let folder = folderOfThisProgram() {
      candidates = ["\(folder)/../libexec/tappet/\(name)", "\(folder)/\(name)"] + candidates
    }
    return candidates.first { access($0, X_OK) == 0 } ?? "/usr/libexec/tappet/\(name)"
  }

  /// Returns the folder of the running executable, with links resolved.
  static func folderOfThisProgram() -> String? { resolvedPath("/proc/self/exe").map { AtomicFiles.folder(of: $0) } }

  /// Returns the folder of libtappet, or of the program that contains this code, with links resolved.
  static func folderOfThisCode() -> String? {
    tp_library_path().flatMap { resolvedPath(String(cString: $0)) }.map { AtomicFiles.folder(of: $0) }
  }
}
