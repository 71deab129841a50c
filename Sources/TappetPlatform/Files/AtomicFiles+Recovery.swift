// Recovery of a set of files that a killed process or a power cut left incomplete. The last rename completes a set: as
// long as a draft exists, the old files return.

import CPlatform
import TappetBase

extension AtomicFiles {
  /// The remains of one process, by the names of their files.
  private struct Remains {
    var drafts: [String] = []
    var kept: [(link: String, name: String)] = []
    var folders: [String] = []
  }

  /// Starts the name of a hidden folder in which a process prepares files.
  package static var stagePrefix: String { mark + String(getpid()) + "-" }

  /// Whether a process that no longer exists has replaced some of its files in the folder, but not all.
  @export(interface)
  package static func isMixed(_ folder: String) -> Bool {
    remains(in: folder).contains { !$0.drafts.isEmpty && !$0.kept.isEmpty }
  }

  /// Restores the old files of sets that processes that no longer exist have not completed, and removes what else they
  /// left; returns the names of the restored files.
  @export(interface)
  package static func recover(in folder: String) -> [String] {
    var restored: [String] = []
    for remains in remains(in: folder) {
      for (link, name) in remains.kept {
        if remains.drafts.isEmpty {
          unlink(folder + "/" + link)
        } else if rename(folder + "/" + link, folder + "/" + name) == 0 {
          restored.append(name)
        }
      }
      synchronizeFolder(of: folder + "/.")
      // The drafts go last, because they show that the set is incomplete.
      for draft in remains.drafts { unlink(folder + "/" + draft) }
      for stage in remains.folders {
        for name in FolderNames.sorted(in: folder + "/" + stage) { unlink(folder + "/" + stage + "/" + name) }
        rmdir(folder + "/" + stage)
      }
    }
    return restored
  }

  private static func remains(in folder: String) -> [Remains] {
    var found: [Int64: Remains] = [:]
    for name in FolderNames.sorted(in: folder, withHidden: true) {
      let bytes = Array(name.utf8)
      guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: mark.utf8) }) else { continue }
      let rest = bytes[(start + mark.utf8.count)...]
      let digits = rest.prefix { (0x30...0x39).contains($0) }
      guard let process = Int64(decimal: digits), isGone(process) else { continue }
      switch (start, String(decoding: rest.dropFirst(digits.count), as: UTF8.self)) {
      case (0, _): found[process, default: Remains()].folders.append(name)
      case (_, ".new"): found[process, default: Remains()].drafts.append(name)
      case (_, ".old"):
        found[process, default: Remains()].kept.append((name, String(decoding: bytes[..<start], as: UTF8.self)))
      default: break
      }
    }
    return found.values.map { $0 }
  }

  /// Whether the process no longer exists: ids repeat in a container, and this process has not written yet.
  private static func isGone(_ process: Int64) -> Bool {
    guard let process = pid_t(exactly: process), process > 0 else { return false }
    return process == getpid() || kill(process, 0) == -1 && tp_errno() == ESRCH
  }
}
