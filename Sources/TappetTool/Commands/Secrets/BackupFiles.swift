// The files of a backup: kiosk.yaml and what it names, from their places and back into them.

import CPlatform
import TappetConfig
import TappetCore
import TappetKiosk
import TappetMessages
import TappetPlatform

enum BackupFiles {
  /// The configuration at `path`, then the files that it names; one that is missing is named and left out.
  static func collect(_ path: String) throws(CommandFailure) -> [BackupPart] {
    guard let configuration = try read("", from: path) else { throw .failed("\(path) is gone") }
    var parts = [configuration]
    for name in ConfigurationParser.namedFiles(in: configuration.content) {
      let file = ConfigurationParser.resolve(name, in: path)
      guard let part = try read(name, from: file) else {
        Output.printError("\(file) does not exist, and is not in the backup.")
        continue
      }
      parts.append(part)
    }
    return parts
  }

  private static func read(_ name: String, from path: String) throws(CommandFailure) -> BackupPart? {
    switch TextFile.read(path, sizeMax: Limits.configurationSizeMax) {
    case .failure(let error):
      if error.code == ENOENT { return nil }
      throw .failed("\(path) cannot be read: \(error.text); nothing was backed up")
    case .success(let file): return BackupPart(path: name, mode: file.mode & 0o777, content: file.bytes)
    }
  }

  /// The paths of the files when the configuration is at `path`.
  static func targets(_ parts: [BackupPart], _ path: String) -> [String] {
    parts.map { $0.path.isEmpty ? path : ConfigurationParser.resolve($0.path, in: path) }
  }

  /// Writes the files next to their places, kiosk.yaml last: it never names a missing file.
  static func stage(_ parts: [BackupPart], _ path: String) throws(CommandFailure) -> AtomicFiles {
    let files = AtomicFiles(isForService: true)
    let placed = Array(zip(parts, targets(parts, path)))
    do throws(AtomicFilesError) {
      for (part, target) in placed where !part.path.isEmpty { try add(part, target, to: files) }
      for (part, target) in placed where part.path.isEmpty { try add(part, target, to: files) }
    } catch { throw error.failure }
    return files
  }

  private static func add(_ part: BackupPart, _ target: String, to files: AtomicFiles) throws(AtomicFilesError) {
    do throws(SystemError) {
      try checked("mkdir") { mkdir(AtomicFiles.folder(of: target), 0o755) }
    } catch {
      if error.code != EEXIST { throw AtomicFilesError(path: target, error: error) }
    }
    try files.add(target, part.content, mode: part.mode)
  }
}
