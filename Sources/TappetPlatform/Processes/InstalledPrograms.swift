// Where the helper programs are that are installed with this one.

import CPlatform

/// The helper programs under libexec.
package enum InstalledPrograms {
  /// The path of a program that is installed under libexec.
  ///
  /// It is looked for where `make install` puts it for the running program, else next to that program (a build folder),
  /// else the same for libtappet, else where packages put it. The last of these is the answer when there is none, so
  /// that starting it reports what is missing.
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

  /// The running executable's folder, links followed.
  static func folderOfThisProgram() -> String? { resolvedPath("/proc/self/exe").map { AtomicFiles.folder(of: $0) } }

  /// The folder of libtappet, or of the program that contains this code, links followed.
  static func folderOfThisCode() -> String? {
    tp_library_path().flatMap { resolvedPath(String(cString: $0)) }.map { AtomicFiles.folder(of: $0) }
  }
}
